"""Both sides of a verification: loaded, named, and run."""
