"""The place in a program that the user edits."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from workbench.source.parsing.spans import header_nodes
from workbench.source.tree import Definition, identity, inside

_BINDING = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda),
    *(ast.Import, ast.ImportFrom),
)
_NEAR = 20  # lines around an edit that are watched with it if they define nothing


@dataclass(frozen=True, slots=True)
class Place:
    """The place of an edit: a function, or the statements from `start` to `stop` of a module.

    `way` has the definitions that contain it, the function last.
    """

    way: tuple[Definition, ...]
    start: int
    stop: int

    @property
    def function(self) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """The function, or None for statements of the module."""
        last = self.way[-1] if self.way else None
        return None if isinstance(last, ast.ClassDef) else last

    def statements(self, tree: ast.Module) -> list[ast.stmt]:
        """Return the statements of the module."""
        return tree.body[self.start : self.stop]

    def nodes(self, tree: ast.Module) -> list[ast.stmt]:
        """Return the function, or the statements of the module."""
        return [self.function] if self.function is not None else self.statements(tree)


def place_of(tree: ast.Module, line: int) -> Place | None:
    """Return the place to watch around a line (1-based), or None for statements of a class."""
    body, way = tree.body, list[Definition]()
    while True:
        at = next((i for i, one in enumerate(body) if (one.end_lineno or 0) >= line), len(body))
        one = body[at] if at < len(body) else None
        if not isinstance(one, Definition) or line <= one.lineno:
            break
        way.append(one)
        if not isinstance(one, ast.ClassDef):
            return Place(tuple(way), 0, 0)
        body = one.body
    if way:
        return None
    start = stop = at
    if one is not None and one.lineno <= line:
        stop += 1
    near = range(line - _NEAR, line + _NEAR + 1)
    while start and body[start - 1].lineno in near and is_plain(body[start - 1]):
        start -= 1
    while stop < len(body) and (body[stop].end_lineno or 0) in near and is_plain(body[stop]):
        stop += 1
    return Place((), start, stop)


def is_plain(statement: ast.stmt) -> bool:
    """Return whether a statement defines and imports nothing."""
    return not any(isinstance(node, _BINDING) for node in inside(statement))


def changed_place(old: ast.Module, new: ast.Module) -> Place | None:
    """Return the place in the new tree that contains all differences from the old one, or None."""
    before, after, way = old.body, new.body, list[Definition]()
    while True:
        start, stop, old_stop = _unlike(before, after)
        one = after[start] if stop - start == 1 == old_stop - start else None
        if not isinstance(one, Definition) or identity(one) != identity(before[start]):
            return None if way else Place((), start, stop)
        way.append(one)
        known = before[start]
        if not isinstance(one, ast.ClassDef) or not isinstance(known, ast.ClassDef):
            return Place(tuple(way), 0, 0)
        before, after = known.body, one.body


def _unlike(old: list[ast.stmt], new: list[ast.stmt]) -> tuple[int, int, int]:
    """Return where two bodies begin to differ, and where in the new and old one they end to."""
    start, most = 0, min(len(old), len(new))
    while start < most and old[start] is new[start]:
        start += 1
    same = 0
    while same < most - start and old[-1 - same] is new[-1 - same]:
        same += 1
    return start, len(new) - same, len(old) - same


def around(body: list[ast.stmt], place: Place) -> Iterator[ast.AST]:
    """Yield the rest of a program, in parts."""
    if not place.way:
        yield from (*body[: place.start], *body[place.stop :])
    for definition in place.way:
        yield from (one for one in body if one is not definition)
        yield from header_nodes(definition)
        body = definition.body
