"""Imports of modules that have other names in a port."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from workbench.findings import Edit, apply_edits
from workbench.positions import Lines, Position, Range
from workbench.source.parsing.notebook import cell_text

_FROM = re.compile(r"from\s+(?P<name>\w+)")


def with_renamed_imports(source: str, names: Mapping[str, str], *, is_cell: bool) -> str:
    """Return a text whose imports name other modules; what they bind stays the same.

    Args:
        source: a file, or a cell of a notebook.
        names: the new name of each module.
        is_cell: magics may be in it.
    """
    if not any(name in source for name in names):
        return source
    text = cell_text(source) if is_cell else source
    lines = Lines(text)
    edits = (edit for node in ast.walk(ast.parse(text)) for edit in _edits(node, lines, names))
    return apply_edits(source, edits)


def _edits(node: ast.AST, lines: Lines, names: Mapping[str, str]) -> Iterator[Edit]:
    if isinstance(node, ast.ImportFrom) and not node.level:
        new = names.get((node.module or "").partition(".")[0])
        found = _FROM.match(
            lines.text, lines.offset(_position(lines, node.lineno, node.col_offset))
        )
        if new and found:
            yield Edit(lines.range(*found.span("name")), new)
    if isinstance(node, ast.Import):
        for one in node.names:
            new = names.get(one.name.partition(".")[0])
            if new:
                end = (one.end_lineno or one.lineno, one.end_col_offset or 0)
                start = _position(lines, one.lineno, one.col_offset)
                yield Edit(Range(start, _position(lines, *end)), _renamed(one, new))


def _renamed(alias: ast.alias, new: str) -> str:
    first, dot, rest = alias.name.partition(".")
    if alias.asname:
        return f"{new}{dot}{rest} as {alias.asname}"
    return f"{new}.{rest}, {new} as {first}" if dot else f"{new} as {first}"


def _position(lines: Lines, line: int, offset: int) -> Position:
    """Return a position of the syntax tree, which counts columns in bytes."""
    text = lines.text[lines.start(line - 1) :].partition("\n")[0]
    return Position(line - 1, len(text.encode()[:offset].decode()))
