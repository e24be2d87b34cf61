"""Statements with conditional or repeated blocks, and the values after them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import TypeGuard

from workbench.source.inference.context import Context
from workbench.source.inference.evidence import parameters, tensor_states
from workbench.source.inference.evidence.tested_strings import strings_of_loop, strings_tested
from workbench.source.inference.expressions.binding import bind
from workbench.source.inference.expressions.names import tested
from workbench.source.types.lattice import NONE, UNKNOWN, OneOf, TorchObject, Value, merge
from workbench.source.types.narrowing import narrow
from workbench.source.uses import UseKind
from workbench.upstream.facts import Facts


def if_(context: Context, node: ast.If) -> None:
    context.eval(node.test)
    tested(context, node.test)
    before = context.scope.names
    then_names, else_names = narrow(node.test, before, context.quiet)
    outside = context.choices
    context.choices = outside | strings_tested(node.test)
    after = _branch(context, node.body, then_names)
    context.choices = outside
    otherwise = _branch(context, node.orelse, else_names)
    if _leaves(node.body):
        context.scope.names = otherwise
    elif node.orelse and _leaves(node.orelse):
        context.scope.names = after
    else:
        context.scope.names = merge(after, otherwise)


def _loop(
    context: Context, body: list[ast.stmt], orelse: list[ast.stmt], head: Callable[[], None]
) -> None:
    """Walk a loop; a second time if its body changes values that it reads at its start."""
    before = dict(context.scope.names)
    head()
    context.block(body)
    merged = merge(context.scope.names, before)
    if any(merged.get(name) != value for name, value in before.items()):
        context.scope.names = dict(merged)
        head()
        context.block(body)
        merged = merge(context.scope.names, merged)
    context.scope.names = dict(merged)
    context.block(orelse)


def for_(context: Context, node: ast.For | ast.AsyncFor) -> None:
    def head() -> None:
        context.statement = node
        bind(context, node.target, context.members.element(context.eval(node.iter)))
        # `for p in params: p.grad…` shows the type of p even if `params` is unknown.
        shown = parameters.BodyEvidence(node, context.facts)
        for part in ast.walk(node.target):
            if isinstance(part, ast.Name) and context.scope.names.get(part.id) is UNKNOWN:
                context.scope.bind(part.id, shown.of(part.id))

    outside = context.choices
    context.choices = outside | strings_of_loop(node)
    _loop(context, node.body, node.orelse, head)
    context.choices = outside


def while_(context: Context, node: ast.While) -> None:
    def head() -> None:
        context.statement = node
        context.eval(node.test)

    _loop(context, node.body, node.orelse, head)


def with_(context: Context, node: ast.With | ast.AsyncWith) -> None:
    for item in node.items:
        value = context.eval(item.context_expr)
        if item.optional_vars is not None:
            bind(context, item.optional_vars, value)
    outside = context.inferring
    entered = (context.found.uses.get(id(item.context_expr)) for item in node.items)
    context.inferring = outside or any(map(tensor_states.enters_inference, entered))
    context.block(node.body)
    context.inferring = outside


def try_(context: Context, node: ast.Try) -> None:
    before = dict(context.scope.names)
    context.block(node.body)
    after = context.scope.names
    merged = merge(after, before)
    for handler in node.handlers:
        context.statement = node
        context.eval(handler.type)
        _note_absence(context, handler, after)
        merged = merge(_branch(context, handler.body, merge(after, before)), merged)
    context.scope.names = dict(after)
    context.block(node.orelse)
    if node.handlers:
        context.scope.names = merge(context.scope.names, merged)
        _choose_imported(context, node, after)
    context.block(node.finalbody)


def _choose_imported(context: Context, node: ast.Try, after: dict[str, Value]) -> None:
    """For a name with several possible imports, choose the one that torch has."""
    for name in _imported(node.body):
        found = context.scope.names.get(name)
        if isinstance(found, OneOf):
            tried = after.get(name)
            for value in (tried, *sorted(found.options - {tried}, key=repr)):
                if value in found.options and _is_imported(value, context.facts):
                    context.scope.names[name] = value
                    break


def _note_absence(context: Context, handler: ast.ExceptHandler, names: dict[str, Value]) -> None:
    """Record `torch = None` in the handler of a failed import of torch."""
    for statement in handler.body:
        if not isinstance(statement, ast.Assign) or context.eval(statement.value) != NONE:
            continue
        context.statement = statement
        for target in statement.targets:
            value = names.get(target.id) if isinstance(target, ast.Name) else None
            if _is_imported(value, context.facts) and context.facts.is_module(value.name):
                context.note(value.name, UseKind.PRESENCE, target, value.certainty)


def _is_imported(value: Value | None, facts: Facts) -> TypeGuard[TorchObject]:
    """Return whether a value was imported from torch, under a name that torch has."""
    if not isinstance(value, TorchObject) or value.indirect:
        return False
    return facts.is_module(value.name) or facts.get(value.name) is not None


def match(context: Context, node: ast.Match) -> None:
    context.eval(node.subject)
    before = dict(context.scope.names)
    merged = before
    for case in node.cases:
        context.scope.names = dict(before)
        context.statement = node
        for part in ast.walk(case.pattern):
            if isinstance(part, ast.MatchValue | ast.MatchClass):
                context.eval(part.value if isinstance(part, ast.MatchValue) else part.cls)
            elif isinstance(part, ast.MatchAs | ast.MatchStar) and part.name:
                context.scope.bind(part.name, UNKNOWN)
        context.eval(case.guard)
        context.block(case.body)
        merged = merge(context.scope.names, merged)
    context.scope.names = merged


def _branch(
    context: Context, body: Iterable[ast.stmt], names: dict[str, Value]
) -> dict[str, Value]:
    """Return the names after a branch that starts with `names`."""
    context.scope.names = dict(names)
    context.block(body)
    return context.scope.names


def _imported(body: Iterable[ast.stmt]) -> Iterator[str]:
    """Yield the names that the import statements of a block bind."""
    for statement in body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            for alias in statement.names:
                yield alias.asname or alias.name.partition(".")[0]


def _leaves(body: list[ast.stmt]) -> bool:
    """Return whether control never passes from a block to the code after it."""
    return bool(body) and isinstance(body[-1], ast.Return | ast.Raise | ast.Continue | ast.Break)
