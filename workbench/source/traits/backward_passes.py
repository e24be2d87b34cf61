"""Functions of a program that run in a backward pass: hooks, and gradients of its own functions."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from workbench.source.traits.containers import last_name
from workbench.source.tree import inside
from workbench.words import words

# Methods that register a function for the backward pass.
REGISTERING_HOOKS = frozenset(
    words(
        "register_hook register_backward_hook register_full_backward_hook "
        "register_full_backward_pre_hook register_multi_grad_hook "
        "register_post_accumulate_grad_hook"
    )
)
# Functions that take gradients.
TAKING_GRADIENTS = frozenset(
    words("grad grad_and_value vjp jvp hvp vhp jacobian hessian jacrev jacfwd")
)
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def run_in_backward(tree: ast.Module) -> frozenset[str]:
    """Return the names of the functions of a text that may run in a backward pass.

    These are hooks, methods called `backward`, and what they call. "" is among them if one is a
    lambda expression, or contains one, that takes a gradient.
    """
    functions: dict[str, list[_Function]] = {}
    nodes = inside(tree)
    for node in nodes:
        if isinstance(node, _Function):
            functions.setdefault(node.name, []).append(node)
    parts: list[ast.AST] = [*functions.get("backward", ())]
    for node in nodes:
        if isinstance(node, ast.Call) and last_name(node.func) in REGISTERING_HOOKS:
            parts += node.args
    found: set[str] = {"backward"} if parts else set()
    lambdas = False
    while parts:
        part = parts.pop()
        lambdas = lambdas or _has_lambda(part)
        new = set(_mentioned(part, functions)) - found
        found |= new
        parts += [function for name in new for function in functions[name]]
    return frozenset(found | ({""} if lambdas else set()))


def _mentioned(node: ast.AST, functions: Collection[str]) -> Iterator[str]:
    """Yield the functions that a node defines, calls or passes on."""
    for part in inside(node):
        name = part.name if isinstance(part, _Function) else _last_name(part)
        if name in functions:
            yield name


def _last_name(node: ast.AST) -> str:
    return (last_name(node) or "") if isinstance(node, ast.expr) else ""


def _has_lambda(node: ast.AST) -> bool:
    """Return whether a lambda expression in a node takes a gradient."""
    lambdas = [part for part in inside(node) if isinstance(part, ast.Lambda)]
    return any(
        isinstance(one, ast.Call) and last_name(one.func) in TAKING_GRADIENTS
        for part in lambdas
        for one in inside(part)
    )
