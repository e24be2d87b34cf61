"""Tensors that share the values of others: `x[0]`, `x.view(-1)`, `x.t()`."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from workbench.source.tree import is_negated
from workbench.source.types.lattice import Items, Plain, Tensor, Value
from workbench.words import words

if TYPE_CHECKING:
    from workbench.source.types.lattice import Scope

VIEWS: Final = frozenset(
    words(
        "view view_as reshape reshape_as t transpose swapaxes swapdims permute movedim "
        "moveaxis select narrow unsqueeze squeeze flatten unflatten ravel diagonal expand "
        "expand_as"
    )
)
_SPREAD: Final = frozenset(
    words(
        "t transpose swapaxes swapdims permute movedim moveaxis select narrow diagonal T mT H "
        "mH real imag unbind chunk split tensor_split"
    )
)


def is_view(name: str) -> bool:
    """Return whether a tensor method, by its torch name, returns a view of its receiver."""
    owner, _, short = name.rpartition(".")
    return owner == "torch.Tensor" and short in VIEWS


def gathers(at: Value) -> bool:
    """Return whether an index selects single values, which copies them."""
    parts = at.items or (at.item,) if isinstance(at, Items) else (at,)
    listed = isinstance(at, Items) and at.kind == "list"
    return listed or any(
        isinstance(part, Tensor | Items) and not (isinstance(part, Tensor) and part.scalar)
        for part in parts
    )


def numbered(index: ast.expr, at: Value) -> bool:
    """Return whether an index consists only of integers, slices, `None` and `...`."""
    nodes = index.elts if isinstance(index, ast.Tuple) else [index]
    values = at.items or () if isinstance(at, Items) else (at,)
    return len(nodes) == len(values) and all(
        isinstance(node, ast.Constant | ast.Slice) or value == Plain("int")
        for node, value in zip(nodes, values, strict=True)
    )


def picks(index: ast.expr, at: Value) -> bool:
    """Return whether an index selects single items, and adds no dimension: `x[0]`, `x[:, i]`."""
    nodes = index.elts if isinstance(index, ast.Tuple) else [index]
    values = at.items or () if isinstance(at, Items) else (at,)
    adds = any(isinstance(one, ast.Constant) and one.value is None for one in nodes)
    return not adds and Plain("int") in values


def takes_all(index: ast.expr) -> bool:
    """Return whether an index selects a whole tensor, whatever its dimensions: `...`, `()`."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return all(isinstance(one, ast.Constant) and one.value is Ellipsis for one in parts)


def viewed(node: ast.expr) -> str | None:
    """Return the name of the tensor of which an expression is a view, or None."""
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Attribute) and node.attr == "data":
            return None
        if isinstance(node, ast.Subscript | ast.Attribute):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr not in VIEWS:
                return None
            node = node.func.value
        else:
            return None
    return node.id


def owner_of(node: ast.expr) -> ast.Name | ast.Attribute | None:
    """Return the variable or member whose part, or whose method's result, an expression is.

    `x` for `x[0].view(-1)`, `self.weight` for `self.weight.data`; None if there is none.
    """
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Attribute) and node.attr not in {"data", "T", "mT"}:
            return node
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            node = node.func.value
        elif isinstance(node, ast.Subscript | ast.Attribute | ast.Starred):
            node = node.value
        else:
            return None
    return node


def root(node: ast.expr) -> str | None:
    """Return the last name of the owner of an expression that is a part or a method's result.

    `x` for `x[0].view(-1)`, `weight` for `self.weight.data`; None if it does not start with a name.
    """
    owner = owner_of(node)
    return owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", None)


def has_gaps(node: ast.expr, scope: Scope) -> bool:
    """Return whether an expression is a view that may have gaps: `x[:, 1:]`, `x.t()`."""
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Subscript):
            if _leaves_gaps(node.slice):
                return True
            node = node.value
        elif isinstance(node, ast.Attribute):
            if node.attr in _SPREAD:
                return True
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in _SPREAD:
                return True
            if node.func.attr not in VIEWS:
                return False
            node = node.func.value
        else:
            return False
    value = scope.lookup(node.id)
    return isinstance(value, Tensor) and value.spread


def _leaves_gaps(at: ast.expr) -> bool:
    """Return whether an index leaves gaps: an index after a slice, or a stride."""
    parts = at.elts if isinstance(at, ast.Tuple) else [at]
    sliced = False
    for part in parts:
        if isinstance(part, ast.Slice):
            whole = part.lower is None and part.upper is None
            if part.step is not None or (sliced and not whole):
                return True
            sliced = True
        elif isinstance(part, ast.Constant) and part.value is Ellipsis:
            sliced = True
        elif sliced and not (isinstance(part, ast.Constant) and part.value is None):
            return True
    return False


def with_gaps(value: Value) -> Value:
    """Return the value as a view, or views, with gaps."""
    if isinstance(value, Tensor):
        return replace(value, spread=True)
    if isinstance(value, Items) and isinstance(value.item, Tensor):
        items = tuple(map(with_gaps, value.items)) if value.items else value.items
        return Items(value.kind, with_gaps(value.item), items)
    return value


def is_empty_list(index: ast.expr) -> bool:
    """Return whether a part of an index is written as a list or tuple of no positions."""
    return isinstance(index, ast.List | ast.Tuple) and not index.elts


def has_no_positions(index: ast.expr) -> bool:
    """Return whether an index is, or has, a list of no positions: `x[[]]`, `x[:, ()]`."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return any(map(is_empty_list, parts))


def may_be_empty(index: ast.expr, at: Value) -> bool:
    """Return whether an index may select by a list or tensor of no positions.

    A mask selects none, too, but is not a list of positions; `[0, 2]` has positions.
    """
    if isinstance(index, ast.List | ast.Tuple):
        return not index.elts
    if isinstance(at, Tensor):
        return not at.scalar and at.dtype != "bool"
    return isinstance(at, Items)


def may_gather(index: ast.expr, at: Value) -> bool:
    """Return whether a part of an index selects by positions or a mask, or may do so."""
    if isinstance(index, ast.Constant | ast.Slice):
        return False
    return not (isinstance(at, Plain) or (isinstance(at, Tensor) and at.scalar))


def adds_in_front(index: ast.expr, at: Value) -> bool:
    """Return whether a `None` precedes a part that may gather: `x[None, i]`, `x[i, None, j]`."""
    values = at.items if isinstance(at, Items) and at.items else ()
    added = False
    for part, value in zip(getattr(index, "elts", ()), values, strict=False):
        if isinstance(part, ast.Constant) and part.value is None:
            added = True
        elif added and may_gather(part, value):
            return True
    return False


def steps_back(index: ast.expr) -> bool:
    """Return whether an index has a slice with a negative step: `x[::-1]`, `x[:, ::-2]`."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return any(isinstance(one, ast.Slice) and is_negated(one.step) for one in parts)
