"""Notebooks and their cells."""
