"""While one place of a text is typed in, this place alone is walked again."""
