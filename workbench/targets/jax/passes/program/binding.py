"""Names that statements read and assign, and in which order."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from workbench.source.tree import Notes, children

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


_read: Notes[frozenset[str]] = Notes("read")
_stored: Notes[frozenset[str]] = Notes("stored")


def names(node: ast.AST, context: type[ast.expr_context]) -> set[str]:
    """Return the names that a node reads or assigns in its own scope.

    The variables of comprehensions, lambdas and inner functions are not among them.
    """
    if isinstance(node, ast.Name):
        return {node.id} if isinstance(node.ctx, context) else set()
    if not isinstance(node, ast.stmt):
        return _names(node, context)
    notes = _read if context is ast.Load else _stored
    found = notes.get(node)
    if found is None:
        found = notes[node] = frozenset(_names(node, context))
    return set(found)


def _names(node: ast.AST, context: type[ast.expr_context]) -> set[str]:
    reads = context is ast.Load
    inner = _joined(children(node), context)
    if isinstance(node, _DEFINITIONS):
        outer = names(ast.Module(node.body, []), ast.Store) if reads else set()
        arguments = getattr(node, "args", None)
        return inner - outer - _arguments(arguments) if reads else {node.name}
    if isinstance(node, ast.Lambda):
        return inner - _arguments(node.args) if reads else set()
    if isinstance(node, _COMPREHENSIONS):
        own = _joined((one.target for one in node.generators), ast.Store)
        return inner - own
    if isinstance(node, ast.Import | ast.ImportFrom) and not reads:
        return {(one.asname or one.name).partition(".")[0] for one in node.names}
    return inner


def _joined(nodes: Iterable[ast.AST], context: type[ast.expr_context]) -> set[str]:
    found: set[str] = set()
    for one in nodes:
        found |= names(one, context)
    return found


def _arguments(arguments: ast.arguments | None) -> set[str]:
    return (
        {one.arg for one in ast.walk(arguments) if isinstance(one, ast.arg)} if arguments else set()
    )


@dataclass(slots=True)
class Order:
    """The names that a run of statements reads before it assigns them.

    Attributes:
        early: the names that it reads first, in their order.
        sure: the names that it has assigned in any case.
        perhaps: the names that it has assigned in some cases.
        late: those of `perhaps` that it reads later.
    """

    early: dict[str, None] = field(default_factory=dict)
    sure: set[str] = field(default_factory=set)
    perhaps: set[str] = field(default_factory=set)
    late: set[str] = field(default_factory=set)

    def run(self, statements: Sequence[ast.stmt]) -> Order:
        """Note what statements read and assign; return this order."""
        for one in statements:
            self._take(one)
        return self

    def _read(self, *nodes: ast.AST | None) -> None:
        for node in nodes:
            if node is not None:
                found = names(node, ast.Load) - self.sure
                self.late |= found & self.perhaps
                self.early |= dict.fromkeys(sorted(found - self.perhaps))

    def _assign(self, node: ast.AST) -> None:
        self.sure |= names(node, ast.Store)

    def _take(self, statement: ast.stmt) -> None:
        match statement:
            case ast.AugAssign(target=target, value=value):
                self._read(value, target)
                if isinstance(target, ast.Name):
                    self._read(ast.Name(target.id, ast.Load()))
            case ast.For() | ast.AsyncFor():
                self._read(statement.iter, statement.target)
                self._assign(statement.target)
                self.run(statement.body)
                self.run(statement.orelse)
                return
            case ast.While():
                self._read(statement.test)
                self.run([*statement.body, *statement.orelse])
                return
            case ast.With() | ast.AsyncWith():
                for item in statement.items:
                    self._read(item.context_expr)
                    if item.optional_vars is not None:
                        self._assign(item.optional_vars)
                self.run(statement.body)
                return
            case ast.If():
                self._read(statement.test)
                self._choose([statement.body, statement.orelse])
                return
            case ast.Try():
                self._choose([[*statement.body, *statement.orelse], []])
                self._choose([*(one.body for one in statement.handlers), []])
                self.run(statement.finalbody)
                return
            case _:
                self._read(statement)
        self._assign(statement)

    def _choose(self, branches: Sequence[Sequence[ast.stmt]]) -> None:
        """Run branches of which one is taken."""
        ends = []
        for one in branches:
            inner = Order({}, set(self.sure), set(self.perhaps)).run(one)
            self.early |= inner.early
            self.late |= inner.late
            ends.append(inner)
        self.sure = set.intersection(*(one.sure for one in ends))
        every = set.union(*(one.sure | one.perhaps for one in ends))
        self.perhaps = every - self.sure
