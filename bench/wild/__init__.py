"""Whole packages from PyPI, converted and held against what must never happen."""
