"""Statements without blocks that bind nothing, or only delete or declare names."""

from __future__ import annotations

import ast
from dataclasses import replace

from workbench.source.inference.context import Context
from workbench.source.inference.evidence import tensor_states
from workbench.source.inference.functions import returned
from workbench.source.inference.statements.assignments import makers_of, note_asking
from workbench.source.ownership import changed_by
from workbench.source.types.lattice import UNKNOWN, Plain, Tensor
from workbench.source.types.narrowing import narrow


def expression(context: Context, node: ast.Expr) -> None:
    context.eval(node.value)
    changed, use = changed_by(node), context.found.uses.get(id(node.value))
    if changed is not None and use is not None:
        use.makers = makers_of(context, node, changed.id)
    note_asking(context, node)
    name = tensor_states.retaining(node.value)
    value = context.scope.lookup(name) if name is not None else UNKNOWN
    if name is not None and isinstance(value, Tensor) and not value.grad:
        context.scope.bind(name, replace(value, states=value.states | {tensor_states.RETAINING}))


def delete(context: Context, node: ast.Delete) -> None:
    for target in node.targets:
        if isinstance(target, ast.Name):
            context.scope.names.pop(target.id, None)
        else:
            context.eval(target)


def return_(context: Context, node: ast.Return) -> None:
    value = context.eval(node.value) if node.value else Plain("NoneType")
    returned(context, value)


def assert_(context: Context, node: ast.Assert) -> None:
    context.eval(node.test)
    context.eval(node.msg)
    context.scope.names, _ = narrow(node.test, context.scope.names, context.quiet)


def raise_(context: Context, node: ast.Raise) -> None:
    context.eval(node.exc)
    context.eval(node.cause)


def global_(context: Context, node: ast.Global) -> None:
    context.scope.globals.update(node.names)


def nonlocal_(context: Context, node: ast.Nonlocal) -> None:
    context.scope.nonlocals.update(node.names)
