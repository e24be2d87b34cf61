"""Code in documents: fenced blocks of Markdown, and examples in docstrings."""
