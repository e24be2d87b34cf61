"""Completions inside a comment for Torchferry."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lsprotocol import types

from workbench.codes import CODES
from workbench.source.parsing.logical_lines import Reading, logical_lines

if TYPE_CHECKING:
    from lsp_server.session import Session
    from lsp_server.workspace.documents import Document, Program
    from workbench.positions import Lines

_START = re.compile(r"#\s*(?P<word>\w*)$")
_ORDER = re.compile(r"#\s*torchferry:\s*(?P<word>[\w-]*)$")
_CODES = re.compile(r"#\s*torchferry:\s*ignore(?P<file>-file)?\[(?P<codes>(?:[^\],]*,)*)\s*\w*$")
_ORDERS = {
    "ignore": "ignore this statement",
    "ignore-file": "ignore this whole file",
}


def completions(
    session: Session, program: Program, document: Document, at: types.Position
) -> list[types.CompletionItem]:
    """Return orders and codes inside a comment for Torchferry, and nothing elsewhere."""
    place = session.encoding.decode(document.lines, at.line, at.character)
    before = document.lines.line(place.line)[: place.column]
    if "#" not in before or not _is_comment(document.lines, place.line, len(before)):
        return []
    if found := _CODES.search(before):
        line = None if found["file"] else program.position(document, place).line
        return _codes(session, program, line, found["codes"])
    if _ORDER.search(before):
        return [_item(order, meaning) for order, meaning in _ORDERS.items()]
    if (found := _START.search(before)) and "torchferry".startswith(found["word"]):
        if not any(each.name or each.code for each in session.findings(program)):
            return []  # nothing here is of torch, so comments are for other tools
        return [_item("torchferry: ignore", _ORDERS["ignore"])]
    return []


def _is_comment(lines: Lines, line: int, column: int) -> bool:
    """Return whether a place is in a comment and not in a string that holds a "#"."""
    reading = Reading([])
    first = line
    texts = [lines.line(number) for number in range(line + 1)]
    for logical in logical_lines(texts):
        if logical.start <= line < logical.stop:
            first = logical.start
    for number in range(first, line):
        reading.read(texts[number])
    reading.read(texts[line][:column])
    return not reading.quote and "#" in texts[line][len(reading.code) : column]


def _codes(
    session: Session, program: Program, line: int | None, given: str
) -> list[types.CompletionItem]:
    """Return the codes found there first, then all others."""
    taken = {each.strip() for each in given.split(",")}
    every = [*session.findings(program), *session.hazards(program)]
    here = {each.code for each in every if line is None or each.range.start.line == line}
    return [
        _item(code, known.meaning, first=code in here)
        for code, known in sorted(CODES.items())
        if code not in taken
    ]


def _item(label: str, detail: str, *, first: bool = False) -> types.CompletionItem:
    return types.CompletionItem(
        label=label,
        kind=types.CompletionItemKind.Keyword,
        detail=detail,
        sort_text=f"{0 if first else 1}{label}",
        preselect=first or None,
    )
