"""Open documents, their projects, and the files around them."""
