"""The lines of statements: all of a simple one's, the header of a compound one."""

from __future__ import annotations

import ast
from bisect import bisect_left
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_Block: TypeAlias = ast.stmt | ast.excepthandler | ast.match_case
_SUITES = ("body", "handlers", "orelse", "finalbody", "cases")


def statement_lines(tree: ast.Module, lines: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and last line (0-based) of each statement or header that contains some
    `lines`.
    """
    wanted = sorted(lines)
    blocks: list[_Block] = list(tree.body)
    while blocks:
        block = blocks.pop()
        first, last = reach(block)
        if not _touches(wanted, first, last):
            continue
        inner = blocks_inside(block)
        end = header_end(block, first) if inner else last
        if _touches(wanted, first, end):
            yield first, end
        blocks += inner


def _touches(wanted: Sequence[int], first: int, last: int) -> bool:
    index = bisect_left(wanted, first)
    return index < len(wanted) and wanted[index] <= last


def untouched_lines(tree: ast.Module, lines: Iterable[int]) -> set[int]:
    """Return the lines (0-based) of statements without any of `lines`, next to others that have
    some.

    The text parses without them if it does with them.
    """
    found: set[int] = set()
    _note_untouched(tree.body, -1, sorted(lines), found)
    return found


def _note_untouched(
    statements: list[ast.stmt], above: int, wanted: Sequence[int], found: set[int]
) -> None:
    spans = [reach(statement) for statement in statements]
    touched = [_touches(wanted, *span) for span in spans]
    if not any(touched):
        return
    starts = [*(first for first, _ in spans[1:]), spans[-1][1] + 1]
    for statement, (first, last), held, below in zip(
        statements, spans, touched, starts, strict=True
    ):
        if not held and above < first and last < below:
            found.update(range(first, last + 1))
        elif held and (inner := getattr(statement, "body", None)):
            _note_untouched(inner, header_end(statement, first), wanted, found)
        above = last


def blocks_inside(block: _Block) -> list[_Block]:
    """Return the statements and clauses of a compound statement."""
    return [child for name in _SUITES for child in getattr(block, name, ())]


def reach(block: _Block) -> tuple[int, int]:
    """Return the first and last line (0-based) of a statement or clause, with its decorators."""
    if isinstance(block, ast.match_case):
        return block.pattern.lineno - 1, reach(block.body[-1])[1]
    decorators = getattr(block, "decorator_list", ())
    first = min((node.lineno for node in decorators), default=block.lineno)
    return first - 1, (block.end_lineno or block.lineno) - 1


def header_end(block: _Block, first: int) -> int:
    """Return the last line (0-based) of a header: that of its last expression."""
    end = first if isinstance(block, ast.match_case) else block.lineno - 1
    return max([end, *map(last_line, header_nodes(block))])


def header_nodes(block: _Block) -> Iterator[ast.AST]:
    """Yield the parts of a compound statement except its suites."""
    for name, value in ast.iter_fields(block):
        if name in _SUITES:
            continue
        for node in value if isinstance(value, list) else [value]:
            if isinstance(node, ast.AST):
                yield node


def last_line(node: ast.AST) -> int:
    """Return the last line (0-based) of a node."""
    end = getattr(node, "end_lineno", None)
    if end is not None:
        return int(end) - 1
    return max((last_line(child) for child in ast.iter_child_nodes(node)), default=0)
