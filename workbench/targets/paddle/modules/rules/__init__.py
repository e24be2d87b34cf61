"""Rules of modules."""
