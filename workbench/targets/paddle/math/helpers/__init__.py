"""Helper functions of functions of values."""
