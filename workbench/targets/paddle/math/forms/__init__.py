"""Plain forms of functions of values."""
