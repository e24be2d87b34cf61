"""Comments that suppress findings, written for the user."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from workbench.findings import Edit
from workbench.positions import Position, Range
from workbench.source.parsing.logical_lines import logical_lines

if TYPE_CHECKING:
    from workbench.positions import Lines

_COMMENT = re.compile(r"#\s*torchferry:\s*ignore(?P<file>-file)?\[(?P<codes>[^\]]*)\]")
_HEAD = re.compile(r"#!|#.*coding[:=]|%%")


def ignore_here(lines: Lines, line: int, code: str) -> Edit | None:
    """Return the edit that suppresses a code on the statement of a line.

    The comment goes to the statement's last line, where no string or backslash can be in its way.
    The result is None if the statement cannot be determined.
    """
    texts = [lines.line(number) for number in range(len(lines))]
    found = next((one for one in logical_lines(texts) if one.start <= line < one.stop), None)
    if found is None or found.open_quote:
        return None
    for number in range(found.start, found.stop):
        known = _COMMENT.search(texts[number])
        if known and not known["file"]:
            return _added(number, known, code)
    last = found.stop - 1
    end = len(texts[last].rstrip())
    where = Range(Position(last, end), Position(last, end))
    return Edit(where, f"  # torchferry: ignore[{code}]")


def ignore_in_file(lines: Lines, code: str) -> Edit:
    """Return the edit that suppresses a code in a whole file."""
    top = 0
    for number in range(len(lines)):
        text = lines.line(number)
        known = _COMMENT.match(text)
        if known and known["file"]:
            return _added(number, known, code)
        if number == top and _HEAD.match(text):
            top += 1
    where = Range(Position(top, 0), Position(top, 0))
    return Edit(where, f"# torchferry: ignore-file[{code}]{lines.newline}")


def _added(line: int, known: re.Match[str], code: str) -> Edit:
    """Return the edit that adds a code between the brackets of an existing comment."""
    start, end = known.span("codes")
    codes = [each.strip() for each in known["codes"].split(",") if each.strip()]
    text = ", ".join(sorted({*codes, code}))
    return Edit(Range(Position(line, start), Position(line, end)), text)
