"""Rules of functions of values."""
