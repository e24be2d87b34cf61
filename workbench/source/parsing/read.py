"""`ast.parse` for texts of every kind."""

from __future__ import annotations

import ast
import re
import warnings
from symtable import symtable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# Exceptions of `ast.parse` for text that is not Python: for its grammar, for null characters and
# lone surrogates, and for nesting beyond the limits of its stack or Python's.
FAILURES = (SyntaxError, ValueError, RecursionError, MemoryError)

MARK = "\ufeff"
# As many UTF-8 bytes as the mark, and no indentation.
MARK_STAND_IN = "\f\f\f"
# Characters that Python source must not contain.
STRANGE = re.compile("[\0\ud800-\udfff]")


def readable(text: str) -> str:
    r"""Return the text without what `ast.parse` always refuses, with unchanged positions.

    A byte order mark becomes form feeds, a null character a space, and a lone surrogate another
    character of three bytes. A last backslash before `\r\n` becomes a space, since it would join an
    empty line that Python adds only to such a text.
    """
    if text.endswith("\\\r\n"):
        text = text[:-3] + " \r\n"
    if text.startswith(MARK):
        text = MARK_STAND_IN + text[1:]
    if text.isascii() and "\0" not in text:
        return text
    return STRANGE.sub(lambda match: " " if match[0] == "\0" else "\ufffd", text)


def read(source: str) -> ast.Module:
    """Return `ast.parse` of the source, without its warnings about the user's code."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(source)


def check_syntax(source: str) -> None:
    """Raise what `read` raises, but take half the time if that is nothing: no tree is made.

    The compiler refuses more than the grammar does; if it does, the grammar decides.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            symtable(source, "<unknown>", "exec")
        except FAILURES:
            read(source)


def parses(lines: Sequence[str]) -> bool:
    """Return whether these lines are a valid program."""
    try:
        read("\n".join(lines))
    except FAILURES:
        return False
    return True
