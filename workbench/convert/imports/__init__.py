"""Imports, names and helpers that converted code needs."""
