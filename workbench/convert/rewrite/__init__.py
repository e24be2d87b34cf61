"""Plans written into the text: expressions, statements, fixes."""
