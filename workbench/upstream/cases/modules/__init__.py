"""Cases of modules."""
