"""Text to a tree, also while the text is half typed."""
