"""Syntax trees: nodes that others have marked, and the names that imports bind."""

from __future__ import annotations

import ast

from workbench import convert
from workbench.source.tree import imported_names, inside


def test_parents_that_others_hang_on_nodes_are_not_followed() -> None:
    tree = ast.parse("def f(x, y=1):\n    return x.sum(y)\n")
    every = list(ast.walk(tree))
    for node in every:
        for child in ast.iter_child_nodes(node):
            child.parent = node  # type: ignore[attr-defined]
    try:
        marks = (ast.expr_context, ast.operator)
        expected = {id(node) for node in every if not isinstance(node, marks)}
        assert {id(node) for node in inside(tree)} == expected
        # ast.Load() and its like are shared by every tree, and keep their mark.
        assert convert("import torch\ny = torch.stack([x])\n").code.endswith("paddle.stack([x])\n")
    finally:
        for node in every:
            vars(node).pop("parent", None)


def test_imports_bind_names_to_full_names() -> None:
    tree = ast.parse(
        "import a.b\nimport a.b as c\nfrom a import d as e, f\n"
        "from . import g\nfrom ..h import i\nimport f\n"
    )
    assert imported_names(tree.body) == {
        "a": "a",
        "c": "a.b",
        "e": "a.d",
        "f": "f",
        "g": ".g",
        "i": "..h.i",
    }
