"""Rules by torch namespace; each module has its rules in `rules`."""
