"""Where a difference comes from: the operation of either side, and its line."""
