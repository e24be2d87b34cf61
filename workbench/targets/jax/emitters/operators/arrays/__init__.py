"""Operators that make, arrange, read and write arrays."""
