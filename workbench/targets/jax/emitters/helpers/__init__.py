"""Helpers of generated modules, by what they do; each module gets the text of those it calls."""
