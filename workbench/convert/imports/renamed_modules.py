"""Imports of modules that have other names in a port."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from workbench.findings import Edit, apply_edits
from workbench.positions import Lines, Range
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
        found = _FROM.match(lines.text, lines.offset_of_bytes(node.lineno - 1, node.col_offset))
        if new and found:
            yield Edit(lines.range(*found.span("name")), new)
    if isinstance(node, ast.Import):
        for one in node.names:
            new = names.get(one.name.partition(".")[0])
            if new:
                last = (one.end_lineno or one.lineno) - 1
                start = lines.position_of_bytes(one.lineno - 1, one.col_offset)
                end = lines.position_of_bytes(last, one.end_col_offset or 0)
                yield Edit(Range(start, end), _renamed(one, new))


def _renamed(alias: ast.alias, new: str) -> str:
    first, dot, rest = alias.name.partition(".")
    if alias.asname:
        return f"{new}{dot}{rest} as {alias.asname}"
    return f"{new}.{rest}, {new} as {first}" if dot else f"{new} as {first}"
