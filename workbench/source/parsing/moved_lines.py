"""Moving of a tree's nodes after lines were added or removed between two statements.

Nodes move in place, which keeps everything known about them. New nodes would have to be walked
again.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from workbench.source.parsing.spans import blocks_inside, header_end, reach
from workbench.source.tree import inside


def moved(tree: ast.Module, line: int, by: int) -> bool:
    """Move everything from a line (0-based) on by a number of lines.

    There must be only blank lines above the line, or in the removed lines. Returns False, without
    moving anything, if the line is within something that cannot be divided.
    """
    around: list[ast.AST] = []
    below: list[ast.AST] = []
    if not _part(tree.body, line, min(line, line + by), around, below):
        return False
    for node in around:
        vars(node)["end_lineno"] += by
    for block in below:
        for place in _places(block):
            place["lineno"] += by
            place["end_lineno"] += by
    return True


def _part(
    blocks: list[ast.stmt] | list[ast.stmt | ast.excepthandler | ast.match_case],
    line: int,
    above: int,
    around: list[ast.AST],
    below: list[ast.AST],
) -> bool:
    """Collect the blocks around and below a line; return False if one cannot be divided."""
    for block in blocks:
        first, last = reach(block)
        if first >= line:
            below.append(block)
        elif last >= above:
            inner = blocks_inside(block)
            if not inner or header_end(block, first) >= above:
                return False
            if not isinstance(block, ast.match_case):
                around.append(block)
            if not _part(inner, line, above, around, below):
                return False
    return True


def _places(block: ast.AST) -> Iterator[dict[str, int]]:
    """Yield the positions of a block and of everything in it."""
    for node in inside(block):
        place = vars(node)
        if "lineno" in place:
            yield place
