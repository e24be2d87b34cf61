"""`ast.parse` for texts of every kind."""

from __future__ import annotations

import ast
import re
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# What `ast.parse` raises for a text that is no Python: for its grammar, for null characters and
# lone surrogates, and for nesting beyond what its stack or Python's holds.
FAILURES = (SyntaxError, ValueError, RecursionError, MemoryError)

_MARK = "\ufeff"
# Characters that no Python source may hold.
STRANGE = re.compile("[\0\ud800-\udfff]")


def readable(text: str) -> str:
    """The text without what `ast.parse` refuses on sight, every place in it where it was.

    A byte order mark becomes three form feeds, which take the mark's three bytes of UTF-8 and count
    as no indentation; a null character becomes a space, a lone surrogate another three-byte one.
    """
    if text.startswith(_MARK):
        text = "\f\f\f" + text[1:]
    if text.isascii() and "\0" not in text:
        return text
    return STRANGE.sub(lambda match: " " if match[0] == "\0" else "\ufffd", text)


def read(source: str) -> ast.Module:
    """`ast.parse`, without its warnings about the user's code."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(source)


def parses(lines: Sequence[str]) -> bool:
    """True where these lines are a program."""
    try:
        read("\n".join(lines))
    except FAILURES:
        return False
    return True
