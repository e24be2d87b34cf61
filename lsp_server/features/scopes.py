"""The statement, the function and the class around a position in a program."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from workbench.positions import Position, Range

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Scope:
    """A part of a program that a user would name."""

    kind: str  # "statement", "function" or "class"
    name: str
    range: Range  # whole lines

    @property
    def title(self) -> str:
        return f"this {self.kind}" if self.kind == "statement" else f"{self.kind} {self.name}"


def enclosing(tree: ast.Module, where: Range) -> list[Scope]:
    """Return the statement, function and class around a range, innermost and smallest first."""
    found: dict[str, Scope] = {}
    body: list[ast.stmt] = tree.body
    while inside := next((s for s in body if _encloses(s, where)), None):
        kind = "statement"
        if isinstance(inside, _FUNCTIONS):
            kind = "function"
        elif isinstance(inside, ast.ClassDef):
            kind = "class"
        name = inside.name if isinstance(inside, (*_FUNCTIONS, ast.ClassDef)) else ""
        if kind != "statement" or not _bodies(inside):
            found[kind] = Scope(kind, name, lines_of(inside))
        body = _bodies(inside)
    return sorted(found.values(), key=lambda scope: _length(scope.range))


def definitions(tree: ast.Module) -> Iterator[tuple[Scope, ast.stmt]]:
    """Yield the classes and functions that are outside of others, in the order of the text."""
    for statement in tree.body:
        if isinstance(statement, ast.ClassDef):
            yield Scope("class", statement.name, lines_of(statement)), statement
        elif isinstance(statement, _FUNCTIONS):
            yield Scope("function", statement.name, lines_of(statement)), statement


def lines_of(statement: ast.stmt) -> Range:
    """Return the lines of a statement, its decorators included."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    first = min([statement.lineno, *(decorator.lineno for decorator in decorators)]) - 1
    return Range(Position(first, 0), Position(statement.end_lineno or statement.lineno, 0))


def _encloses(statement: ast.stmt, where: Range) -> bool:
    """Return whether a range begins and ends on a statement's lines, without the line after it."""
    lines = lines_of(statement)
    return where in lines and where.start < lines.end


def _bodies(statement: ast.stmt) -> list[ast.stmt]:
    """Return the statements inside a compound statement."""
    found: list[ast.stmt] = []
    for field in ("body", "orelse", "finalbody"):
        found += getattr(statement, field, [])
    for handler in getattr(statement, "handlers", []):
        found += handler.body
    for case in getattr(statement, "cases", []):
        found += case.body
    return found


def _length(where: Range) -> int:
    return where.end.line - where.start.line
