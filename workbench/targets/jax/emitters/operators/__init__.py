"""Operators in JAX, by kind."""
