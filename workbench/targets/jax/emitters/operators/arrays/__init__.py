"""Operators that create, arrange, read and write arrays."""
