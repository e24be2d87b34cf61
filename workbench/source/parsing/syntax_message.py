"""Messages that explain to a person who is typing why a text does not parse."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.positions import Position
from workbench.source.parsing.read import MARK, MARK_STAND_IN

if TYPE_CHECKING:
    from workbench.positions import Lines


@dataclass(frozen=True, slots=True)
class SyntaxProblem:
    """The first syntax error in a text, and its position."""

    message: str
    position: Position


_CONSTRUCT = re.compile(
    r"\s*(async\s+(?:def|for|with)|def|class|if|elif|else|for|while|with|try|except|finally|match|case"
    r"|return|import|from|raise|assert|del|global|nonlocal|lambda|print|exec)\b(?!\s*(?:=[^=]|[.,)]))"
)
_WORD = re.compile(r"\w+|\S")
_DETECTED = re.compile(r" \(detected at line \d+\)")
# Syntax of newer Python versions: the version that introduced it, and how to recognise it.
_NEWER = (
    ((3, 12), re.compile(r"\s*type\s+[^\W\d]\w*\s*(?:\[.*\]\s*)?="), "a `type` statement"),
    ((3, 12), re.compile(r"\s*(?:async\s+)?def\s+\w+\s*\["), "a function's type parameters"),
    ((3, 12), re.compile(r"\s*class\s+\w+\s*\["), "a class's type parameters"),
    ((3, 14), re.compile(r".*\b[tT][rR]?[\"']"), "a template string"),
    ((3, 12), re.compile(r".*\b(?:[fF][rR]?|[rR][fF])[\"']"), "this f-string's quotes or comments"),
)


def describe(failure: BaseException, lines: Lines, near: int = 0) -> SyntaxProblem:
    """Return the problem that an exception from `ast.parse` describes, with a position in `lines`.

    `near` is the line to name if the exception names none.
    """
    if not isinstance(failure, SyntaxError) or failure.lineno is None:
        message = "this code is nested too deeply for Python to parse"
        return SyntaxProblem(message, Position(near, 0))
    number = min(max(failure.lineno - 1, 0), len(lines) - 1)
    line = lines.line(number)
    column = max((failure.offset or 1) - 1, 0)
    shown = failure.text or ""
    if "\n" in shown[:-1]:
        # After a string of several lines, CPython counts the column along the first line of the
        # string.
        head = line.encode(errors="replace")[: len(shown[:column].encode(errors="replace"))]
        column = len(head.decode(errors="ignore"))
    if number == 0 and lines.text.startswith(MARK):
        column -= len(MARK_STAND_IN) - 1
    column = min(max(column, 0), len(line))
    return SyntaxProblem(_message(failure.msg, line, column), Position(number, column))


def describe_character(character: str, position: Position) -> SyntaxProblem:
    """Return the problem with a character that Python source must not contain."""
    kind = "a null character" if character == "\0" else f"half a character (U+{ord(character):04X})"
    return SyntaxProblem(f"{kind} has no place in Python code", position)


def _message(reason: str, line: str, column: int) -> str:
    reason = _DETECTED.sub("", reason)
    if reason in ("invalid syntax", "expected '('") or reason.startswith("f-string"):
        for version, pattern, what in _NEWER:
            if sys.version_info < version and pattern.match(line):
                here = ".".join(map(str, sys.version_info[:2]))
                return (
                    f"{reason}: {what} needs Python {'.'.join(map(str, version))}, this is {here}"
                )
    if reason == "invalid syntax":
        construct = _CONSTRUCT.match(line)
        found = _WORD.match(line, column)
        word = " ".join(construct[1].split()) if construct else ""
        where = f" in this `{word}`" if word and (not found or found[0] != word) else ""
        what = f" at `{found[0]}`" if found else ""
        return f"invalid syntax{where}{what}"
    if reason == "unexpected EOF while parsing":
        return "the text ends in the middle of a statement"
    return reason
