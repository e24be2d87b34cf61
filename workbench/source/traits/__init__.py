"""Traits of the text of a whole program."""
