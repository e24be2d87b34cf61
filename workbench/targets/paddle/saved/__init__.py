"""Saved state of Paddle programs: the layer of each entry, and its torch equivalent."""
