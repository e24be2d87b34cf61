"""Expressions: their inferred values, and the uses of torch in them."""
