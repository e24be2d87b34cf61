"""Torchferry's own lines in a notebook, which its port omits."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from workbench.source.parsing.notebook import cell_text

PACKAGE = "jupyter_ext"
_LINE = re.compile(
    rf"[ \t]*%(?:(?:re|un)?load_ext[ \t]+{PACKAGE}|torchferry|convert_notebook|verify)(?=\s|$)"
)
_CELL = re.compile(r"%%convert(?=\s|$)")


def own_names(sources: list[str]) -> set[str]:
    """Return the names that a notebook's cells bind to this package and to what is in it."""
    return {
        (alias.asname or alias.name).partition(".")[0]
        for source in sources
        for node in _statements(source)
        for alias in _imported(node)
    }


def without_own_lines(source: str, names: set[str]) -> str:
    """Return a cell without Torchferry's magics, imports, and statements that use what these bind.

    Args:
        source: the cell.
        names: what the notebook's cells import from this package.
    """
    dropped = {
        line
        for node in _statements(source)
        if any(_imported(node)) or names & _read(node)
        for line in range(node.lineno - 1, node.end_lineno or node.lineno)
    }
    lines = source.splitlines(keepends=True)
    begun = False
    for number, line in enumerate(lines):
        if _LINE.match(line) or (not begun and _CELL.match(line)):
            dropped.add(number)
        begun = begun or bool(line.strip() and not line.startswith("%%"))
    if not dropped:
        return source
    kept = "".join(line for number, line in enumerate(lines) if number not in dropped)
    return kept.removesuffix("\n") if not source.endswith("\n") else kept


def _statements(source: str) -> list[ast.stmt]:
    try:
        return ast.parse(cell_text(source)).body
    except (SyntaxError, ValueError, RecursionError):
        return []


def _imported(node: ast.stmt) -> Iterator[ast.alias]:
    """Yield the imports of this package in a statement."""
    if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == PACKAGE:
        yield from node.names
    if isinstance(node, ast.Import):
        yield from (one for one in node.names if one.name.partition(".")[0] == PACKAGE)


def _read(node: ast.stmt) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
