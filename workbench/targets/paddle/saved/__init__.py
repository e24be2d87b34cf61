"""State that Paddle's programs save: which layer each entry belongs to, and what it is in torch."""
