"""Displays, comprehensions, lambdas and other expressions that only contain others."""

from __future__ import annotations

import ast
from typing import Any

from workbench.source.inference.context import Context
from workbench.source.inference.evidence.tested_strings import strings_of_comprehension
from workbench.source.inference.expressions.binding import bind
from workbench.source.inference.expressions.printing import note_printed
from workbench.source.inference.functions import call_function, yields
from workbench.source.types.lattice import (
    UNKNOWN,
    Items,
    Plain,
    Scope,
    Table,
    UserFunction,
    Value,
    items_of,
)


def constant(context: Context, node: ast.Constant) -> Value:
    return Plain(type(node.value).__name__)


def display(context: Context, node: ast.List | ast.Tuple | ast.Set) -> Value:
    kind = type(node).__name__.lower()
    if any(isinstance(item, ast.Starred) for item in node.elts):
        inner = [
            context.members.element(context.eval(item.value))
            if isinstance(item, ast.Starred)
            else context.eval(item)
            for item in node.elts
        ]
        return Items(kind, items_of(kind, inner).item)
    return items_of(kind, [context.eval(item) for item in node.elts])


def mapping(context: Context, node: ast.Dict) -> Value:
    values, named = [], list[tuple[str, Value]]()
    for key, value in zip(node.keys, node.values, strict=True):
        context.eval(key)
        held = context.eval(value)
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            named.append((key.value, held))
        # `{**options}` has the items of the other mapping.
        values.append(held.item if key is None and isinstance(held, Table) else held)
    known = len(named) == len(values)
    return Table(items_of("list", values).item, tuple(named) if known else None)


def starred(context: Context, node: ast.Starred) -> Value:
    return context.eval(node.value)


def joined(context: Context, node: ast.JoinedStr) -> Value:
    for part in node.values:
        context.eval(part)
    return Plain("str")


def formatted(context: Context, node: ast.FormattedValue) -> Value:
    note_printed(context, node.value, context.eval(node.value))
    context.eval(node.format_spec)
    return Plain("str")


def walrus(context: Context, node: ast.NamedExpr) -> Value:
    value = context.eval(node.value)
    context.scope.bind_outside_comprehension(node.target.id, value)
    return value


def lambda_(context: Context, node: ast.Lambda) -> Value:
    for default in (*node.args.defaults, *node.args.kw_defaults):
        context.eval(default)
    function = UserFunction(node, context.scope)
    call_function(context, function, [], {})
    return function


def await_(context: Context, node: ast.Await) -> Value:
    return context.eval(node.value)


def yield_(context: Context, node: ast.Yield | ast.YieldFrom) -> Value:
    value = context.eval(node.value)
    yields(context, context.members.element(value) if isinstance(node, ast.YieldFrom) else value)
    return UNKNOWN


def comprehension(context: Context, node: Any) -> Value:
    outer, choices = context.scope, context.choices
    context.scope = Scope("comprehension", outer)
    context.choices = choices | strings_of_comprehension(node.generators)
    try:
        for generator in node.generators:
            item = context.members.element(context.eval(generator.iter))
            bind(context, generator.target, item)
            for condition in generator.ifs:
                context.eval(condition)
        if isinstance(node, ast.DictComp):
            context.eval(node.key)
            return Table(context.eval(node.value))
        kind = {ast.ListComp: "list", ast.SetComp: "set"}.get(type(node), "generator")
        return Items(kind, context.eval(node.elt))
    finally:
        context.scope, context.choices = outer, choices
