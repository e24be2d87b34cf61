"""Tables of words, several on a line."""

from __future__ import annotations


def words(text: str) -> tuple[str, ...]:
    """Return the words of a text, such as the names in a table."""
    return tuple(text.split())
