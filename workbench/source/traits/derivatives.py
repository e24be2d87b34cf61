"""Gradients that keep their graph, and what is differentiated."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from workbench.source.traits.containers import last_name

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
# The name of a result in both sets of names, for a function that differentiates a parameter of its
# own: it can be called with its own result.
_OWN_RESULT = "()"


def derivatives(statement: ast.stmt) -> tuple[set[str], set[str]]:
    """Return the last names of gradients that keep their graph, and of what they differentiate."""
    kept = {
        name
        for node in ast.walk(statement)
        if isinstance(node, ast.Assign) and any(_keeping(node.value))
        for target in node.targets
        for name in _last_names(target)
    }
    differentiated = {name for call in _keeping(statement) for name in _outputs(call)}
    own = {_OWN_RESULT} if _differentiates_a_parameter(statement) else set()
    return kept | own, differentiated | own


def _differentiates_a_parameter(statement: ast.stmt) -> bool:
    return any(
        _outputs(call) & {one.arg for one in ast.walk(node.args) if isinstance(one, ast.arg)}
        for node in ast.walk(statement)
        if isinstance(node, _FUNCTIONS)
        for call in _keeping(node)
    )


def _keeping(node: ast.AST) -> Iterator[ast.Call]:
    """Yield the calls of `grad` that keep the graph."""
    for part in ast.walk(node):
        if isinstance(part, ast.Call) and last_name(part.func) == "grad":
            kept = (one.value for one in part.keywords if one.arg == "create_graph")
            if any(not (isinstance(one, ast.Constant) and one.value is False) for one in kept):
                yield part


def _outputs(call: ast.Call) -> set[str]:
    """Return the last names in what a call of `grad` differentiates."""
    outputs = call.args[:1] or [one.value for one in call.keywords if one.arg == "outputs"]
    return {name for one in outputs for name in _last_names(one)}


def _last_names(node: ast.expr) -> Iterator[str]:
    parts = (part for part in ast.walk(node) if isinstance(part, ast.expr))
    return (name for part in parts if (name := last_name(part)))
