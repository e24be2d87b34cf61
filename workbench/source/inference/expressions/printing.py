"""Printed layers and named results of torch, whose texts are the target's."""

from __future__ import annotations

import ast

from workbench.source.inference.context import Context
from workbench.source.types.lattice import Instance, Items, UserObject, Value
from workbench.source.uses import Printed

PRINTING = frozenset({"builtins.print", "builtins.str", "builtins.repr"})
_LAYERS = ("torch.nn.", "torch.optim.")
_NAMING = frozenset(
    {"sort", "topk", "kthvalue", "mode", "median", "cummax", "cummin", "max", "min"}
)


def note_printed(context: Context, node: ast.expr, value: Value) -> None:
    """Record an expression that is converted to text if it is a layer or a named result."""
    context.found.printed.pop(id(node), None)  # an earlier walk may have known more
    if _is_layer(value) or (isinstance(value, Items) and _is_named(node)):
        context.found.printed[id(node)] = Printed(node)


def _is_layer(value: Value) -> bool:
    if isinstance(value, UserObject):
        base = value.cls.torch_base()
        return base is not None and base.startswith("torch.nn.")
    return isinstance(value, Instance) and value.cls.startswith(_LAYERS)


def _is_named(node: ast.expr) -> bool:
    """Return whether a call returns named values and indices: `x.sort()`."""
    if not isinstance(node, ast.Call):
        return False
    return getattr(node.func, "attr", None) in _NAMING
