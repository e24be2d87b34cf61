"""What keeps a model from being captured, read from its source, and its rewrites."""
