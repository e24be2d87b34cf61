"""Trees whose text gets more lines, or fewer, between two statements.

Their nodes move in place: what is known of them stays theirs, where new nodes would have everything
walked and decided again.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from workbench.source.parsing.spans import blocks_inside, header_end, reach
from workbench.source.tree import inside


def moved(tree: ast.Module, line: int, by: int) -> bool:
    """Move everything from a line (0-based) on by so many lines.

    Above the line, or in the lines that go, is nothing but blank lines. False where it is within
    something that cannot be parted there: then nothing is moved.
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
    """Tell the blocks around a line and those below it apart."""
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
    """The positions of a block and of all that is in it."""
    for node in inside(block):
        place = vars(node)
        if "lineno" in place:
            yield place
