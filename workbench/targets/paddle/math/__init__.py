"""Functions of values: arithmetic, comparison, reduction, special functions."""
