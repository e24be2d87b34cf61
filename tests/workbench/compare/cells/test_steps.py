"""Statements of a cell and of its conversion find each other."""

from __future__ import annotations

import ast

from workbench.compare.cells.steps import bound_names, free_names, pair


def texts(statements: list[ast.stmt]) -> list[str]:
    return [ast.unparse(statement) for statement in statements]


def test_added_lines_go_with_the_statement_that_follows_them() -> None:
    steps = pair("a = 1\nb = f(a)\n", "import t\na = 1\n_x = g(a)\nb = _x\n", [-1, 0, -1, 1, 2])
    assert [texts(step.target) for step in steps] == [
        ["import t", "a = 1"],
        ["_x = g(a)", "b = _x"],
    ]
    assert [texts(step.added) for step in steps] == [["import t"], []]


def test_added_calls_go_with_the_statement_that_they_complete() -> None:
    steps = pair("a = 1\nb = 2\n", "a = 1\nf(a)\ng(a)\nimport t\nb = 2\n", [0, -1, -1, -1, 1])
    assert [texts(step.target) for step in steps] == [
        ["a = 1", "f(a)", "g(a)"],
        ["import t", "b = 2"],
    ]


def test_statements_on_one_line_are_one_step() -> None:
    (step,) = pair("a = 1; b = 2\n", "a = 1; b = 2\n", [0, 1])
    assert texts(step.torch) == ["a = 1", "b = 2"]
    assert texts(step.target) == ["a = 1", "b = 2"]


def test_a_statement_over_several_lines_is_found_by_any_of_them() -> None:
    source = "x = f(\n    1,\n)\ny = x\n"
    steps = pair(source, "x = g(\n    1,\n)\ny = x\n", [-1, 1, 2, 3, 4])
    assert [len(step.target) for step in steps] == [1, 1]


def test_a_removed_import_leaves_a_step_without_target() -> None:
    steps = pair("import torch\nx = 1\n", "x = 1\n", [1, 2])
    assert [len(step.target) for step in steps] == [0, 1]


def test_free_names_reach_into_functions_and_classes() -> None:
    tree = ast.parse(
        "class A(Base):\n    def f(self, x):\n        y = x + width\n        return y\n"
    )
    assert free_names(tree.body) >= {"Base", "width"}
    assert not {"x", "y", "self"} & free_names(tree.body)


def test_free_names_include_those_that_are_bound_as_well() -> None:
    tree = ast.parse(
        "a += 1\ndef f():\n    global b\n    b *= 2\n    own = 1\n    own -= 1\ndel c, d.e\n"
    )
    assert free_names(tree.body) == {"a", "b", "c", "d"}
    assert ast.unparse(tree).startswith("a += 1")  # the cell itself is unchanged


def test_bound_names_include_those_declared_global() -> None:
    tree = ast.parse("def f():\n    global total\n    total = 1\nfor i in []:\n    a, b = i\n")
    assert bound_names(tree.body) == {"f", "total", "i", "a", "b"}
