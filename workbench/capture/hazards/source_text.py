"""A source text with its syntax tree and the editor positions in it, as input for rewrites."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.positions import Lines, Range

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.capture.hazards.detection import Hazard


@dataclass
class Passage:
    """A source text with its syntax tree and the editor positions in it."""

    source: str
    tree: ast.Module
    lines: Lines

    def range_of_columns(self, hazard: Hazard) -> Range:
        start = self.lines.offset_of_bytes(hazard.line - 1, hazard.column)
        end = self.lines.offset_of_bytes(hazard.end_line - 1, hazard.end_column)
        return self.lines.range(start, end)

    def range(self, node: ast.AST) -> Range:
        start, end = self._span(node)
        return self.lines.range(start, end)

    def text(self, node: ast.AST) -> str:
        start, end = self._span(node)
        return self.source[start:end]

    def operand(self, node: ast.expr) -> str:
        """Return the text of an expression for use as an argument."""
        text = self.text(node)
        return f"({text})" if isinstance(node, (ast.NamedExpr, ast.Yield)) or "\n" in text else text

    def parents(self) -> Iterator[tuple[ast.AST, ast.AST]]:
        for parent in ast.walk(self.tree):
            for child in ast.iter_child_nodes(parent):
                yield parent, child

    def ancestors(self, node: ast.AST) -> list[ast.AST]:
        """Return the ancestors of a node, innermost first."""
        above = {id(child): parent for parent, child in self.parents()}
        found = []
        while id(node) in above:
            node = above[id(node)]
            found.append(node)
        return found

    def _span(self, node: ast.AST) -> tuple[int, int]:
        place = vars(node)
        return (
            self.lines.offset_of_bytes(place["lineno"] - 1, place["col_offset"]),
            self.lines.offset_of_bytes(place["end_lineno"] - 1, place["end_col_offset"]),
        )
