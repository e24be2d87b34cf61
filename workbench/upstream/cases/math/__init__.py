"""Cases of functions of values."""
