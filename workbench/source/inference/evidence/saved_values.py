"""Values that the methods of a `torch.autograd.Function` exchange through their context."""

from __future__ import annotations

import ast

from workbench.findings import Certainty
from workbench.source.inference.context import Context
from workbench.source.types.lattice import (
    ASSUMED_TENSOR,
    UNKNOWN,
    Items,
    Tensor,
    UserClass,
    Value,
    items_of,
    join,
)

_SAVED = ("saved_tensors", "saved_variables")


def save(context: Context, node: ast.Call, values: list[Value]) -> None:
    """Record the arguments of `ctx.save_for_backward(x, mask)`."""
    if not isinstance(node.func, ast.Attribute) or node.func.attr != "save_for_backward":
        return
    tensors = list(map(_saved, node.args, values))
    if not any(isinstance(one, ast.Starred) for one in node.args):
        for name in _SAVED:
            keep(context, node.func.value, name, items_of("tuple", tensors))


def _saved(node: ast.expr, value: Value) -> Value:
    """Return a saved tensor; `x > 0` is boolean whatever x holds."""
    if isinstance(value, Tensor):
        return value
    return Tensor(Certainty.ASSUMED, "bool" if isinstance(node, ast.Compare) else None)


def keep(context: Context, on: ast.expr, attribute: str, value: Value) -> None:
    """Record `ctx.mask = mask`; a second walk of a method may know more than the first."""
    owner = _owner(context, on)
    if owner is None:
        return
    key = _key(attribute)
    known = owner.attributes.get(key, UNKNOWN)
    owner.attributes[key] = join(known, value) if _is_shown(known) else value


def saved(context: Context, on: ast.expr, attribute: str) -> Value:
    """Return the value that another method of the class stored in an attribute of the context."""
    owner = _owner(context, on)
    found = owner.attribute(_key(attribute)) if owner is not None else None
    if found is None:
        return Items("tuple", ASSUMED_TENSOR) if attribute in _SAVED else UNKNOWN
    return found


def _key(attribute: str) -> str:
    return f"context.{attribute}"


def _is_shown(value: Value) -> bool:
    """Return whether the dtypes of all tensors in a value are known."""
    if isinstance(value, Items):
        return all(map(_is_shown, value.items or (value.item,)))
    return value is not UNKNOWN and not (isinstance(value, Tensor) and value.dtype is None)


def _owner(context: Context, on: ast.expr) -> UserClass | None:
    """Return the autograd function whose context an expression is in this method, or None."""
    function = context.frames[-1].function if context.frames else None
    if function is None or function.owner is None or isinstance(function.node, ast.Lambda):
        return None
    if function.owner.torch_base() != "torch.autograd.Function":
        return None
    first = function.node.args.args[:1]
    return function.owner if first and getattr(on, "id", None) == first[0].arg else None
