"""Code that chooses parameters by their names, independently of their layout.

`[p for n, p in net.named_parameters() if "weight" in n]`
"""

from __future__ import annotations

import ast

from workbench.words import words

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
CHOOSING = frozenset({ast.Call, ast.For, *_COMPREHENSIONS})
_KINDS = frozenset({"weight", "bias"})
# Members of a parameter that show its layout.
_LAID_OUT = frozenset(
    words("T chunk matmul mm narrow permute reshape shape size split t transpose view")
)


def chooses_parameters(node: ast.AST) -> bool:
    """Return whether a loop, comprehension or call only chooses named parameters."""
    if isinstance(node, ast.Call):
        sources = node.args
    elif isinstance(node, ast.For):
        sources = [node.iter]
    elif isinstance(node, _COMPREHENSIONS):
        sources = [one.iter for one in node.generators]
    else:
        return False
    if not any(map(_names_parameters, sources)):
        return False
    parts = list(ast.walk(node))
    return not any(isinstance(one, ast.Attribute) and one.attr in _LAID_OUT for one in parts)


def _names_parameters(node: ast.expr) -> bool:
    called = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    return called and node.func.attr == "named_parameters"  # type: ignore[attr-defined]


def asks_for_a_kind(node: ast.Compare) -> bool:
    """Return whether a test is `"weight" in name` or similar."""
    if not isinstance(node.left, ast.Constant) or node.left.value not in _KINDS:
        return False
    return all(isinstance(one, ast.In | ast.NotIn) for one in node.ops)
