"""Operators that make tensors, give them other shapes, and read and write their places."""
