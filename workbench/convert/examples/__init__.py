"""Code that stands in documents: fenced blocks of Markdown, and examples in docstrings."""
