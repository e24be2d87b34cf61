"""Targets of assignments: names, attributes, items and patterns of them."""

from __future__ import annotations

import ast
from dataclasses import replace

from workbench.source.inference.context import Context
from workbench.source.inference.evidence.saved_values import keep
from workbench.source.inference.expressions.indexing import note_index, note_layers, note_placing
from workbench.source.inference.expressions.numbers import note_place
from workbench.source.inference.expressions.set_by_name import items_of_named_tuple
from workbench.source.inference.functions import with_evidence
from workbench.source.types.lattice import (
    UNKNOWN,
    Items,
    Table,
    Tensor,
    TorchObject,
    UserObject,
    Value,
)
from workbench.source.uses import UseKind


def bind(context: Context, target: ast.expr, value: Value) -> None:
    if isinstance(value, TorchObject):
        value = replace(value, indirect=True)
    if isinstance(target, ast.Name):
        context.scope.bind(target.id, with_evidence(context, target.id, value))
    elif isinstance(target, ast.Tuple | ast.List):
        _unpack(context, target, value)
    elif isinstance(target, ast.Starred):
        bind(context, target.value, Items("list", context.members.element(value)))
    elif isinstance(target, ast.Attribute):
        _store(context, target, value)
    elif isinstance(target, ast.Subscript):
        at = context.eval(target.slice)
        base = context.eval(target.value)
        note_place(context, target, base, at)
        note_index(context, target, base, at)
        note_placing(context, target, base, at, value)
        note_layers(context, target, base, at)
        if isinstance(base, Table) and isinstance(target.value, ast.Name):
            key = target.slice.value if isinstance(target.slice, ast.Constant) else None
            context.scope.bind(target.value.id, base.including(key, value))


def _unpack(context: Context, target: ast.Tuple | ast.List, value: Value) -> None:
    starred = any(isinstance(item, ast.Starred) for item in target.elts)
    items = value.items if isinstance(value, Items) else items_of_named_tuple(value)
    if items is not None and not starred and len(items) == len(target.elts):
        for item, part in zip(target.elts, items, strict=True):
            bind(context, item, part)
        return
    part = context.members.element(value)
    for item in target.elts:
        bind(context, item, value if isinstance(item, ast.Starred) else part)


def _store(context: Context, target: ast.Attribute, value: Value) -> None:
    base = context.eval(target.value)
    if isinstance(base, UserObject):
        base.cls.note(target.attr, value)
        if isinstance(value, Tensor) and _is_made(context):
            context.found.kept_tensors[id(target)] = base.cls, target
        if base.cls.torch_base() is None or not _is_data_member(context, base, target.attr):
            return
    if base is UNKNOWN:
        keep(context, target.value, target.attr, value)
    owner, certainty = context.members.owner(base, target.attr)
    member = context.facts.member(owner, target.attr) if owner else None
    if member is not None and _is_data_member(context, base, target.attr):
        use = context.use(member, UseKind.STORE, target, certainty, target.value, base)
        use.owner = owner
        context.keep(use)


def _is_made(context: Context) -> bool:
    """Return whether an assignment visibly creates a tensor that is not a parameter."""
    value = context.statement.value if isinstance(context.statement, ast.Assign) else None
    called = value.func if isinstance(value, ast.Call) else None
    name = getattr(called, "attr", getattr(called, "id", ""))
    return isinstance(value, ast.Call | ast.BinOp) and not name.endswith("Parameter")


def _is_data_member(context: Context, base: Value, attribute: str) -> bool:
    owner = base.cls.torch_base() if isinstance(base, UserObject) else None
    if owner is None:
        owner, _ = context.members.owner(base, attribute)
    member = context.facts.member(owner, attribute) if owner else None
    entry = context.facts.get(member) if member else None
    return entry is not None and entry.kind in {"property", "attribute"}
