"""Rules by torch namespace; each module holds its rules in `rules`."""
