"""Whole packages from PyPI, converted and checked for results that must never occur."""
