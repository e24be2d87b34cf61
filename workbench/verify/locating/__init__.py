"""Location of a difference: the operation of either side, and its line."""
