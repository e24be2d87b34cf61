"""Incremental walks: while one place of a text is edited, only that place is walked again."""
