"""Names that parts of a program use from outside."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from workbench.source.tree import children

_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_FUNCTIONS = frozenset({ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda})
# Other nodes with names that are not expressions.
_NAMING = frozenset(
    {ast.keyword, ast.Global, ast.Nonlocal, ast.alias, ast.ClassDef, ast.ExceptHandler}
    | {ast.MatchAs, ast.MatchStar, ast.MatchMapping}
)
_COMPREHENSIONS = frozenset({ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp})


@dataclass(slots=True)
class Mentioned:
    """Names of non-local variables, and all possible names of attributes.

    `*` is among them if a star import may bind any name.
    """

    names: set[str] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)


def mentioned(part: ast.AST) -> Mentioned:
    """Return the names that a part of a program mentions."""
    found = Mentioned()
    level = _Level(found.attributes)
    level.read(part)
    found.names = level.every_name()
    return found


class _Level:
    """The names in a function or at the top level, without those in nested functions."""

    def __init__(self, attributes: set[str]) -> None:
        self.names: set[str] = set()
        self.bound: set[str] = set()
        self.declared: set[str] = set()
        self.attributes = attributes
        self.functions: list[_Function] = []

    def read(self, *parts: ast.AST, binds: bool = True) -> None:
        """Collect the names in some parts; comprehensions have their own variables."""
        stack = list(parts)
        apart: list[ast.AST] = []
        while stack:
            node: Any = stack.pop()
            kind = type(node)
            if kind is ast.Name:
                self.names.add(node.id)
                if binds and type(node.ctx) is not ast.Load:
                    self.bound.add(node.id)
            elif kind is ast.Attribute:
                self.attributes.add(node.attr)
                stack.append(node.value)
            elif kind is ast.Constant:
                if type(node.value) is str:
                    self.attributes.add(node.value)
            elif kind in _FUNCTIONS:
                self.functions.append(node)
                self._note_names(node)
                stack += _header(node)
            elif kind in _COMPREHENSIONS and binds:
                apart.append(node)
            else:
                if kind in _NAMING:
                    self._note_names(node)
                stack += children(node)
        if apart:
            self.read(*apart, binds=False)

    def _note_names(self, node: ast.AST) -> None:
        """Collect names that are not expressions."""
        match node:
            case ast.keyword(arg=str(name)):
                self.attributes.add(name)
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                self.declared.update(names)
            case ast.alias(name=name, asname=bound):
                self.names.add(bound or name.partition(".")[0])
            case (
                ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
                | ast.ExceptHandler(name=str(name))
                | ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
                | ast.MatchMapping(rest=str(name))
            ):
                self.names.add(name)

    def every_name(self) -> set[str]:
        """Return the names that come from outside, including those of nested functions."""
        found = self.names | self.declared
        for function in self.functions:
            inner = _Level(self.attributes)
            inner.read(*(function.body if isinstance(function.body, list) else [function.body]))
            own = (inner.bound | _parameters(function.args)) - inner.declared
            found |= inner.every_name() - own
        return found


def _header(function: _Function) -> Iterable[ast.AST]:
    """Yield the parts of a function that are evaluated at its definition."""
    yield function.args
    if not isinstance(function, ast.Lambda):
        yield from function.decorator_list
        if function.returns is not None:
            yield function.returns


def _parameters(arguments: ast.arguments) -> set[str]:
    given = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    return {one.arg for one in (*given, arguments.vararg, arguments.kwarg) if one is not None}
