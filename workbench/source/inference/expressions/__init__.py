"""Expressions: what is known of their values, and the uses of torch in them."""
