"""Operators that create, reshape, read and write tensors."""
