"""Parsing of text into a tree, also while the text is incomplete."""
