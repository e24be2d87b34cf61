"""Removed statements: a comment gives the reason, and `pass` completes their block."""

from __future__ import annotations

import ast
from collections.abc import Collection

from workbench.source.analysis import Analysis


def left_behind(
    analysis: Analysis, statement: ast.stmt, comment: str, gone: Collection[int]
) -> str:
    """Return the text that replaces a removed statement.

    Args:
        analysis: the program.
        statement: the statement to remove.
        comment: the reason.
        gone: identities of all removed statements.
    """
    start, end = analysis.span(statement)
    before = analysis.text[analysis.lines.start(statement.lineno - 1) : start].strip()
    behind = analysis.text[end : analysis.lines.start(statement.end_lineno or 0)].strip()
    if behind.startswith(";"):
        return "pass"
    alone = not before and not _is_needed(analysis.tree, statement, gone)
    return comment if alone else f"pass  {comment}"


def _is_needed(tree: ast.Module, statement: ast.stmt, gone: Collection[int]) -> bool:
    """Return whether a block would have no statement left."""
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and statement in block:
                return node is not tree and all(id(one) in gone for one in block)
    return True
