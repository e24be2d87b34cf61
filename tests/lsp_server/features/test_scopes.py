"""The parts of a program around a place."""

from __future__ import annotations

import ast

import pytest

from lsp_server.features.scopes import definitions, enclosing
from workbench.positions import Position, Range

TEXT = """\
import torch
@decorated
class Net:
    size = 3

    @property
    def run(self):
        if self.size:
            return (
                1
            )
x = 1
"""
TREE = ast.parse(TEXT)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (0, ["this statement"]),
        (1, ["class Net"]),
        (3, ["this statement", "class Net"]),
        (4, ["class Net"]),
        (5, ["function run", "class Net"]),
        (7, ["function run", "class Net"]),
        (9, ["this statement", "function run", "class Net"]),
        (11, ["this statement"]),
        (12, []),
    ],
)
def test_smallest_first(line: int, expected: list[str]) -> None:
    at = Position(line, 0)
    assert [scope.title for scope in enclosing(TREE, Range(at, at))] == expected


def test_a_selection_across_statements_has_only_what_holds_all_of_it() -> None:
    where = Range(Position(3, 4), Position(9, 0))
    assert [scope.title for scope in enclosing(TREE, where)] == ["class Net"]
    assert enclosing(TREE, Range(Position(0, 0), Position(11, 1))) == []


def test_definitions() -> None:
    [(scope, statement)] = definitions(TREE)
    assert scope.title == "class Net" and isinstance(statement, ast.ClassDef)
    assert scope.range == Range(Position(1, 0), Position(11, 0))
