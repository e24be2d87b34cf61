"""Statements with blocks of which some run, or some more than once: what is known after them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import TypeGuard

from workbench.source.inference import evidence, tensor_states
from workbench.source.inference.computed_names import strings_tested
from workbench.source.inference.functions import Functions
from workbench.source.types.lattice import NONE, UNKNOWN, OneOf, TorchObject, Value
from workbench.source.types.narrowing import narrow
from workbench.source.types.scopes import merge
from workbench.source.uses import UseKind


class Branches(Functions):
    """The part of the walk that joins what the branches of a program tell."""

    def _if(self, node: ast.If) -> None:
        self.eval(node.test)
        self.tested(node.test)
        before = self.scope.names
        then_names, else_names = narrow(node.test, before, self._quiet)
        outside = self.choices
        self.choices = outside | strings_tested(node.test)
        after = self._branch(node.body, then_names)
        self.choices = outside
        otherwise = self._branch(node.orelse, else_names)
        if _leaves(node.body):
            self.scope.names = otherwise
        elif node.orelse and _leaves(node.orelse):
            self.scope.names = after
        else:
            self.scope.names = merge(after, otherwise)

    def _loop(self, body: list[ast.stmt], orelse: list[ast.stmt], head: Callable[[], None]) -> None:
        """Walk a loop; a second time where its body changes what its start has seen."""
        before = dict(self.scope.names)
        head()
        self.block(body)
        merged = merge(self.scope.names, before)
        if any(merged.get(name) != value for name, value in before.items()):
            self.scope.names = dict(merged)
            head()
            self.block(body)
            merged = merge(self.scope.names, merged)
        self.scope.names = dict(merged)
        self.block(orelse)

    def _for(self, node: ast.For | ast.AsyncFor) -> None:
        def head() -> None:
            self.statement = node
            self.assign(node.target, self.iterate(self.eval(node.iter)))
            # `for p in params: p.grad…` tells of p what the unknown `params` does not.
            shown = evidence.BodyEvidence(node, self.facts)
            for part in ast.walk(node.target):
                if isinstance(part, ast.Name) and self.scope.names.get(part.id) is UNKNOWN:
                    self.scope.bind(part.id, shown.of(part.id))

        self._loop(node.body, node.orelse, head)

    def _while(self, node: ast.While) -> None:
        def head() -> None:
            self.statement = node
            self.eval(node.test)

        self._loop(node.body, node.orelse, head)

    def _with(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            value = self.eval(item.context_expr)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, value)
        outside = self.inferring
        entered = (self.uses.get(id(item.context_expr)) for item in node.items)
        self.inferring = outside or any(map(tensor_states.enters_inference, entered))
        self.block(node.body)
        self.inferring = outside

    def _try(self, node: ast.Try) -> None:
        before = dict(self.scope.names)
        self.block(node.body)
        after = self.scope.names
        merged = merge(after, before)
        for handler in node.handlers:
            self.statement = node
            self.eval(handler.type)
            self._note_absence(handler, after)
            merged = merge(self._branch(handler.body, merge(after, before)), merged)
        self.scope.names = dict(after)
        self.block(node.orelse)
        if node.handlers:
            self.scope.names = merge(self.scope.names, merged)
            self._choose_imported(node, after)
        self.block(node.finalbody)

    def _choose_imported(self, node: ast.Try, after: dict[str, Value]) -> None:
        """Of what a name may be imported from, take what torch has: nothing takes its place."""
        for name in _imported(node.body):
            found = self.scope.names.get(name)
            if isinstance(found, OneOf):
                tried = after.get(name)
                for value in (tried, *sorted(found.options - {tried}, key=repr)):
                    if value in found.options and self._is_imported(value):
                        self.scope.names[name] = value
                        break

    def _note_absence(self, handler: ast.ExceptHandler, names: dict[str, Value]) -> None:
        """Note `torch = None` where torch could not be imported."""
        for statement in handler.body:
            if not isinstance(statement, ast.Assign) or self.eval(statement.value) != NONE:
                continue
            self.statement = statement
            for target in statement.targets:
                value = names.get(target.id) if isinstance(target, ast.Name) else None
                if self._is_imported(value) and self.facts.is_module(value.name):
                    self._note(value.name, UseKind.PRESENCE, target, value.certainty)

    def _is_imported(self, value: Value | None) -> TypeGuard[TorchObject]:
        """True for what an import from torch gave, by a name that torch has."""
        if not isinstance(value, TorchObject) or value.indirect:
            return False
        return self.facts.is_module(value.name) or self.facts.get(value.name) is not None

    def _match(self, node: ast.Match) -> None:
        self.eval(node.subject)
        before = dict(self.scope.names)
        merged = before
        for case in node.cases:
            self.scope.names = dict(before)
            for part in ast.walk(case.pattern):
                if isinstance(part, ast.MatchValue | ast.MatchClass):
                    self.eval(part.value if isinstance(part, ast.MatchValue) else part.cls)
                elif isinstance(part, ast.MatchAs | ast.MatchStar) and part.name:
                    self.scope.bind(part.name, UNKNOWN)
            self.eval(case.guard)
            self.block(case.body)
            merged = merge(self.scope.names, merged)
        self.scope.names = merged

    def _branch(self, body: Iterable[ast.stmt], names: dict[str, Value]) -> dict[str, Value]:
        """The names after a branch that starts with `names`."""
        self.scope.names = dict(names)
        self.block(body)
        return self.scope.names


def _imported(body: Iterable[ast.stmt]) -> Iterator[str]:
    """The names that the import statements of a block bind."""
    for statement in body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            for alias in statement.names:
                yield alias.asname or alias.name.partition(".")[0]


def _leaves(body: list[ast.stmt]) -> bool:
    """True where a block never runs on to what follows it."""
    return bool(body) and isinstance(body[-1], ast.Return | ast.Raise | ast.Continue | ast.Break)
