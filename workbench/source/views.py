"""Tensors that share the values of others: `x[0]`, `x.view(-1)`, `x.t()`."""

from __future__ import annotations

import ast
from typing import Final

from workbench.source.values import Items, Tensor, Value

_VIEWS: Final = frozenset(
    {"view", "view_as", "reshape", "reshape_as", "t", "transpose", "swapaxes", "swapdims",
     "permute", "movedim", "moveaxis", "select", "narrow", "unsqueeze", "squeeze", "flatten",
     "unflatten", "ravel", "diagonal", "expand", "expand_as"}
)  # fmt: skip


def is_view(name: str) -> bool:
    """Whether a method of tensors, by its torch name, gives a view of its receiver."""
    owner, _, short = name.rpartition(".")
    return owner == "torch.Tensor" and short in _VIEWS


def gathers(at: Value) -> bool:
    """Whether an index picks single values, which copies them."""
    parts = at.items or (at.item,) if isinstance(at, Items) else (at,)
    listed = isinstance(at, Items) and at.kind == "list"
    return listed or any(
        isinstance(part, Tensor | Items) and not (isinstance(part, Tensor) and part.scalar)
        for part in parts
    )


def viewed(node: ast.expr) -> str | None:
    """The name of the tensor that an expression is a view of; None where there is none."""
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Attribute) and node.attr == "data":
            return None
        if isinstance(node, ast.Subscript | ast.Attribute):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr not in _VIEWS:
                return None
            node = node.func.value
        else:
            return None
    return node.id
