"""`ast.parse` for texts of every kind."""

from __future__ import annotations

import ast
import re
import warnings
from symtable import symtable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# What `ast.parse` raises for a text that is no Python: for its grammar, for null characters and
# lone surrogates, and for nesting beyond what its stack or Python's holds.
FAILURES = (SyntaxError, ValueError, RecursionError, MemoryError)

MARK = "\ufeff"
# As many bytes of UTF-8 as the mark, and no indentation.
MARK_STAND_IN = "\f\f\f"
# Characters that no Python source may hold.
STRANGE = re.compile("[\0\ud800-\udfff]")


def readable(text: str) -> str:
    r"""The text without what `ast.parse` refuses on sight, every place in it where it was.

    A byte order mark becomes form feeds, a null character a space, and a lone surrogate another
    character of three bytes. A last backslash before `\r\n` joins an empty line, which Python adds
    to such a text alone: it becomes a space.
    """
    if text.endswith("\\\r\n"):
        text = text[:-3] + " \r\n"
    if text.startswith(MARK):
        text = MARK_STAND_IN + text[1:]
    if text.isascii() and "\0" not in text:
        return text
    return STRANGE.sub(lambda match: " " if match[0] == "\0" else "\ufffd", text)


def read(source: str) -> ast.Module:
    """`ast.parse`, without its warnings about the user's code."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(source)


def look_over(source: str) -> None:
    """Raise what `read` raises, in half the time where that is nothing: no tree is made.

    The compiler refuses more than the grammar does; where it does, the grammar decides.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            symtable(source, "<unknown>", "exec")
        except FAILURES:
            read(source)


def parses(lines: Sequence[str]) -> bool:
    """True where these lines are a program."""
    try:
        read("\n".join(lines))
    except FAILURES:
        return False
    return True
