"""Replacements of torch functions that a model calls while it is traced."""
