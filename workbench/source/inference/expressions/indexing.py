"""Items of tensors and containers: the results of reads, and the reads and writes that are uses."""

from __future__ import annotations

import ast
from dataclasses import replace

from workbench.findings import Certainty
from workbench.source.inference.context import Context
from workbench.source.inference.evidence.tensor_states import FOUND
from workbench.source.inference.expressions.numbers import note_place
from workbench.source.tree import is_negated
from workbench.source.types import dtypes
from workbench.source.types.lattice import (
    MIXED,
    NUMBERED,
    PICKED,
    RECORDED,
    RETURNED,
    UNKNOWN,
    UNSURE,
    ForeignInstance,
    Instance,
    Items,
    OneOf,
    Plain,
    Table,
    Tensor,
    Value,
    items_of,
)
from workbench.source.types.views import (
    gathers,
    has_gaps,
    has_no_positions,
    may_gather,
    numbered,
    picks,
    steps_back,
    takes_all,
    viewed,
)
from workbench.source.uses import Use, UseKind


def subscript(context: Context, node: ast.Subscript) -> Value:
    value = _item(context, node)
    if isinstance(value, Tensor) and value.dtype is None and names_mask(node):
        return replace(value, whole=True)
    return value


def names_mask(node: ast.expr) -> bool:
    """Return whether a name or a key suggests a mask: `mask`, `batch["attention_mask"]`."""
    if isinstance(node, ast.Subscript):
        return str(getattr(node.slice, "value", "")).endswith("mask")
    return str(getattr(node, "attr", getattr(node, "id", ""))).endswith("mask")


def _item(context: Context, node: ast.Subscript) -> Value:
    base = context.eval(node.value)
    at = context.eval(node.slice)
    note_place(context, node, base, at)
    return _item_of(context, node, base, at)


def _item_of(context: Context, node: ast.Subscript, base: Value, at: Value) -> Value:
    index = node.slice
    if isinstance(base, OneOf) and all(isinstance(one, _HOLDING) for one in base.options):
        items = [_item_of(context, node, one, at) for one in base.options]
        return items_of("list", items).item
    if isinstance(base, Items):
        if isinstance(index, ast.Slice):
            return Items(base.kind, base.item)
        position = _constant_index(index)
        if base.items is not None and position is not None:
            try:
                return base.items[position]
            except IndexError:
                return UNKNOWN
        return base.item
    if isinstance(base, Table):
        return base.at(index.value if isinstance(index, ast.Constant) else None)
    if isinstance(base, Tensor):
        note_index(context, node, base, at)
        part = None if gathers(at) else base.part or viewed(node)
        states = base.states & {FOUND, MIXED, RECORDED, RETURNED, UNSURE} | (
            {RECORDED} if base.grad else set()
        )
        states |= {NUMBERED} if part and numbered(index, at) else frozenset()
        if base.certainty is Certainty.PROVED and picks(index, at):
            states |= {PICKED}
        return Tensor(base.certainty, base.dtype, part=part, states=states)
    if isinstance(base, Instance):
        note_layers(context, node, base, at)
        return context.members.item(base, at)
    if isinstance(base, Plain) and base.kind in {"str", "bytes"}:
        return base
    if isinstance(base, ForeignInstance):
        return base
    if base is UNKNOWN:
        note_index(context, node, base, at)
    return UNKNOWN


_PARAMETERS = "torch.nn.ParameterList"
# Containers of which one of several may be indexed.
_HOLDING = (Items, Table, Instance)


def slice_(context: Context, node: ast.Slice) -> Value:
    for part in (node.lower, node.upper, node.step):
        context.eval(part)
    return Plain("slice")


def note_layers(context: Context, node: ast.Subscript, base: Value, at: Value) -> None:
    """Record slicing, replacement or removal of layers of a sequence by index.

    A slice keeps the names of its layers, and an index may be negative.
    """
    if isinstance(base, Instance) and base.cls == _PARAMETERS:
        if isinstance(node.ctx, ast.Load) and not _counts_from_start(node.slice):
            _keep_item(context, node, base, at, "__getitem__")
        return
    if not isinstance(base, Instance) or base.cls != "torch.nn.Sequential":
        return
    known = isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, int)
    if isinstance(node.ctx, ast.Load):
        method, noted = "__getitem__", at == Plain("slice")
    elif isinstance(node.ctx, ast.Store):
        method, noted = "__setitem__", not known
    else:
        method, noted = "__delitem__", True
    if noted:
        _keep_item(context, node, base, at, method)


def _keep_item(
    context: Context, node: ast.Subscript, base: Instance, at: Value, method: str
) -> None:
    use = context.use(
        f"{base.cls}.{method}", UseKind.OPERATOR, node, base.certainty, node.value, base
    )
    use.owner, use.values = base.cls, [at]
    context.keep(use)


def _counts_from_start(index: ast.expr) -> bool:
    """Return whether an index is a non-negative number, or a variable, as in loops."""
    if isinstance(index, ast.BinOp):
        return isinstance(index.op, ast.Add | ast.Mult | ast.Mod | ast.FloorDiv)
    return isinstance(index, ast.Name | ast.Constant)


def note_index(context: Context, node: ast.Subscript, base: Value, at: Value) -> None:
    """Record an index with `None` or a slice before a tensor, as its result differs.

    Also records a list of lists, which torch takes for a tuple of them.
    """
    nested = _is_nested(node.slice) or _lists_places(at)
    if isinstance(base, Tensor) and isinstance(node.ctx, ast.Load) and nested:
        _keep_index(context, node, base, at)
    _note_places(context, node, base, at, nested)
    if isinstance(base, Tensor) and steps_back(node.slice):
        _keep_index(context, node, base, at)
        return
    if not isinstance(node.slice, ast.Tuple):
        return
    values = at.items if isinstance(at, Items) and at.items else ()
    if base is UNKNOWN and any(isinstance(value, Tensor) for value in values):
        base = Tensor(Certainty.ASSUMED)
    if not isinstance(base, Tensor):
        return
    new = added = False
    for part, value in zip(node.slice.elts, values, strict=False):
        added = added or (isinstance(part, ast.Constant) and part.value is None)
        new = new or added
        sliced = isinstance(part, ast.Slice) or getattr(part, "value", None) is Ellipsis
        new = new or (sliced and isinstance(node.ctx, ast.Load))
        picks = (isinstance(value, Tensor) and not value.scalar) or isinstance(value, Items)
        if value is UNKNOWN and isinstance(node.ctx, ast.Load):
            # It may be an index tensor, so that gaps matter, and a `None` before it.
            picks = may_gather(part, value) and (added or has_gaps(node.value, context.scope))
        if new and (picks or isinstance(part, ast.List | ast.Tuple)):
            _keep_index(context, node, base, at)
            return


def _note_places(
    context: Context, node: ast.Subscript, base: Value, at: Value, nested: bool
) -> None:
    """Note apart a read by a list of places, which some frameworks do not take."""
    context.found.writes.pop(id(node), None)  # an earlier walk may have known less
    if nested or not isinstance(base, Tensor) or not isinstance(node.ctx, ast.Load):
        return
    if _is_list(at) or at == ForeignInstance("random.sample"):
        context.found.writes[id(node)] = _index_use(context, node, base, at)


def _is_list(at: Value) -> bool:
    """Return whether an index is a list or a range."""
    return isinstance(at, Items) and at.kind in {"list", "range"}


def _lists_places(at: Value) -> bool:
    """Return whether an index is a list of lists, tensors or slices, one for each dimension."""
    parts = (at.items or (at.item,)) if isinstance(at, Items) and at.kind == "list" else ()
    nested = [one for one in parts if isinstance(one, Items | Tensor) or one == Plain("slice")]
    return len(nested) == len(parts) > 0 and not any(getattr(one, "scalar", 0) for one in parts)


def _keep_index(context: Context, node: ast.Subscript, base: Tensor, at: Value) -> None:
    context.keep(_index_use(context, node, base, at))


def _index_use(context: Context, node: ast.Subscript, base: Tensor, at: Value) -> Use:
    use = context.use(
        "torch.Tensor.__getitem__", UseKind.OPERATOR, node, base.certainty, node.value, base
    )
    use.owner, use.values = "torch.Tensor", [at]
    return use


def _may_be_mask(at: Value) -> bool:
    """Return whether an index may be a mask and nothing else."""
    return isinstance(at, Tensor) and dtypes.kind(at.dtype) != 1


def note_placing(
    context: Context, node: ast.Subscript, base: Value, at: Value, value: Value
) -> None:
    """Record a write to indexed elements of a tensor, or of a view that may not be contiguous.

    Also records a write to any elements of a view with another name, or with none, and one of a
    tensor to all of another, which may have no dimensions. Other writes are noted apart.
    """
    context.found.writes.pop(id(node), None)  # an earlier walk may have known less
    if not isinstance(base, Tensor):
        return
    number = isinstance(value, Plain)
    if isinstance(value, Tensor) and value.scalar:  # for others the gradient may be lost
        whole = dtypes.kind(value.dtype) in {0, 1}
        number = whole or (value.dtype == "float32" and not _may_be_mask(at))
    shared = base.part is not None and base.part != getattr(node.value, "id", None)
    shared = shared and dtypes.kind(base.dtype) not in {0, 1}
    apart = has_gaps(node.value, context.scope)
    placed = gathers(at) and (not number or apart or _is_found(at))
    use = context.use(
        "torch.Tensor.__setitem__", UseKind.OPERATOR, node, base.certainty, node.value, base
    )
    # Other writes are recorded as writes to a slice.
    use.owner, use.values = "torch.Tensor", [at if placed or _is_list(at) else Plain("slice")]
    if (
        shared
        or placed
        or has_no_positions(node.slice)
        or (takes_all(node.slice) and not isinstance(value, Plain))
    ):
        context.keep(use)
    else:
        context.found.writes[id(node)] = use


def _constant_index(node: ast.expr) -> int | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if is_negated(node) and isinstance(node.operand, ast.Constant):
        number = node.operand.value
        return -number if isinstance(number, int) else None
    return None


def _is_nested(index: ast.expr) -> bool:
    """Return whether an index is a list of lists."""
    return isinstance(index, ast.List) and any(
        isinstance(part, ast.List | ast.Tuple) for part in index.elts
    )


def _is_found(at: Value) -> bool:
    """Return whether an index holds search results: some frameworks raise if it is empty."""
    parts = at.items or (at.item,) if isinstance(at, Items) else (at,)
    return any(isinstance(part, Tensor) and FOUND in part.states for part in parts)
