"""Plain forms of modules."""
