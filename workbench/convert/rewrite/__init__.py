"""Plans applied to the text: expressions, statements, fixes."""
