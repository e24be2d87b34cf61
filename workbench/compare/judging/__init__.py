"""Comparison of two values: tensors, numbers and texts."""
