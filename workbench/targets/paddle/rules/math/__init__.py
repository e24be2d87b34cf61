"""Arithmetic, reductions, linear algebra and special functions."""
