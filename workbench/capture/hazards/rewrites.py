"""Hazards as findings for an editor, with edits if the rewrite is certain.

A rewrite is only offered: its title says what changes. If the source does not determine how to
write it (such as a growing list), the finding has only text.
"""

from __future__ import annotations

import ast
from functools import partial
from typing import TYPE_CHECKING

from workbench.capture.hazards import choices, value_rewrites
from workbench.capture.hazards.detection import Hazard, find_hazards
from workbench.capture.hazards.source_text import Passage
from workbench.findings import Finding, Fix, Severity
from workbench.positions import Lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def hazard_findings(source: str, functions: Iterable[str] = ()) -> list[Finding]:
    """Return the hazards of a file or cell as findings, most with a fix.

    Args:
        source: the text; see `find_hazards` for which code is checked.
        functions: names of plain functions that are captured as well.

    Returns:
        Warnings for what capture refuses, and for what it fixes silently, in text order.
    """
    hazards = find_hazards(source, functions)
    return as_findings(source, ast.parse(source), hazards) if hazards else []


def as_findings(source: str, tree: ast.Module, hazards: Iterable[Hazard]) -> list[Finding]:
    """Return hazards as findings; `tree` is the source's syntax tree."""
    text = Passage(source, tree, Lines(source))
    return [
        Finding(
            code=hazard.code,
            severity=Severity.WARNING,
            message=_sentence(hazard),
            range=text.range_of_columns(hazard),
            make_fix=partial(_fix, text, hazard),
        )
        for hazard in hazards
    ]


def _sentence(hazard: Hazard) -> str:
    silently = "capture succeeds, but the graph is wrong: " if hazard.silent else ""
    return f"{silently}this {hazard.message}. Instead: {hazard.rewrite}"


def _fix(text: Passage, hazard: Hazard) -> Fix | None:
    make = _FIXES.get(hazard.code)
    # An expression statement has the same location as its call; the inner node is meant.
    nodes = [n for n in ast.walk(text.tree) if _is_at(n, hazard)]
    return make(text, nodes[-1]) if make and nodes else None


def _is_at(node: ast.AST, hazard: Hazard) -> bool:
    return isinstance(node, (ast.expr, ast.stmt)) and (
        node.lineno,
        node.col_offset,
        node.end_lineno,
        node.end_col_offset,
    ) == (hazard.line, hazard.column, hazard.end_line, hazard.end_column)


_FIXES: dict[str, Callable[[Passage, ast.AST], Fix | None]] = {
    "TF401": choices.chosen,
    "TF402": choices.repeated,
    "TF403": value_rewrites.rounded,
    "TF404": value_rewrites.left,
    "TF405": value_rewrites.moved,
    "TF407": value_rewrites.printed,
    "TF408": value_rewrites.drawn,
    "TF409": value_rewrites.counted,
    "TF410": choices.tried,
    "TF411": value_rewrites.record,
    "TF414": value_rewrites.number,
}
