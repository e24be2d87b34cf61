"""Printed layers, named results and lists of dtypes of torch, whose texts are the target's."""

from __future__ import annotations

import ast

from workbench.source.inference.context import Context
from workbench.source.types.dtypes import of_value
from workbench.source.types.lattice import (
    UNKNOWN,
    Instance,
    Items,
    Plain,
    Table,
    TorchObject,
    UserObject,
    Value,
)
from workbench.source.uses import Printed

PRINTING = frozenset({"builtins.print", "builtins.str", "builtins.repr"})
_LAYERS = ("torch.nn.", "torch.optim.")
_NAMING = frozenset(
    {"sort", "topk", "kthvalue", "mode", "median", "cummax", "cummin", "max", "min"}
)


def note_printed(context: Context, node: ast.expr, value: Value) -> None:
    """Record an expression that is converted to text, if its text is the target's.

    A dtype alone has a text of the same form; in a container it has another.
    """
    context.found.printed.pop(id(node), None)  # an earlier walk may have known more
    named = isinstance(value, Items) and _is_named(node)
    dtypes = any(map(_has_dtypes, _held(value))) or any(map(_is_dtype, _elements(node, value)))
    if _holds_layer(value) or named or dtypes:
        context.found.printed[id(node)] = Printed(node)


def note_inserted(context: Context, node: ast.BinOp, left: Value, right: Value) -> None:
    """Record the expressions that `"%s" % layer` converts to text."""
    if not isinstance(node.op, ast.Mod) or left != Plain("str"):
        return
    items = right.items if isinstance(right, Items) else None
    if isinstance(node.right, ast.Tuple) and items is not None:
        for one, value in zip(node.right.elts, items, strict=False):
            note_printed(context, one, value)
    else:
        note_printed(context, node.right, right)


def _holds_layer(value: Value) -> bool:
    """Return whether a value is a layer, or a container whose text has those of its layers."""
    if isinstance(value, Items) and value.kind == "generator":
        return False
    return _is_layer(value) or any(map(_holds_layer, _held(value)))


def _is_layer(value: Value) -> bool:
    if isinstance(value, UserObject):
        base = value.cls.torch_base()
        return base is not None and base.startswith("torch.nn.")
    return isinstance(value, Instance) and value.cls.startswith(_LAYERS)


def _has_dtypes(value: Value) -> bool:
    """Return whether a value is a dtype, or contains one."""
    if isinstance(value, Instance):
        return value.cls == "torch.dtype"
    if isinstance(value, TorchObject):
        return of_value(value) is not None
    return any(map(_has_dtypes, _held(value)))


def _held(value: Value) -> tuple[Value, ...]:
    """Return what is known of the values in a container; nothing for another value."""
    if isinstance(value, Items):
        return (value.item, *(value.items or ()))
    if isinstance(value, Table):
        return (value.item, *(one for _, one in value.named or ()))
    return ()


def _elements(node: ast.expr, value: Value) -> list[ast.expr]:
    """Return the expressions of a container's elements whose values are not known."""
    match node:
        case ast.List(elts) | ast.Tuple(elts) | ast.Set(elts) | ast.Dict(values=elts):
            pass
        case ast.ListComp(elt) | ast.SetComp(elt) | ast.DictComp(value=elt):
            elts = [elt]
        case _:
            return []
    items = value.items if isinstance(value, Items) and value.items else _held(value)[:1]
    known = items if len(items) == len(elts) else [UNKNOWN] * len(elts)
    nested = (one for part, each in zip(elts, known, strict=True) for one in _elements(part, each))
    return [*(part for part, one in zip(elts, known, strict=True) if one is UNKNOWN), *nested]


def _is_dtype(node: ast.expr) -> bool:
    """Return whether an expression without a known value reads a dtype: `batch[0].dtype`."""
    match node:
        case ast.Attribute(attr="dtype"):
            return True
        case ast.Call(ast.Name("getattr"), [_, ast.Constant("dtype"), *_]):
            return True
        case _:
            return False


def _is_named(node: ast.expr) -> bool:
    """Return whether a call returns named values and indices: `x.sort()`."""
    if not isinstance(node, ast.Call):
        return False
    return getattr(node.func, "attr", None) in _NAMING
