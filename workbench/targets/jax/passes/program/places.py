"""Where each part of a tree is: its function, its statement and what contains it."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, overload

from workbench.source.tree import Notes, children

Function = ast.FunctionDef | ast.AsyncFunctionDef
_Node = TypeVar("_Node", bound=ast.AST)
_Other = TypeVar("_Other", bound=ast.AST)


@dataclass(slots=True)
class Places:
    """What a tree alone shows.

    Attributes:
        nodes: its nodes except contexts and operators, each before what it contains.
        kinds: the nodes by their type.
        parents: the node around each node, by identity; without the module itself.
        owner: the function around each node, by identity.
        statement: the innermost statement that holds each other node, by identity.
        answers: answers to questions about the tree, by the question.
    """

    nodes: list[ast.AST] = field(default_factory=list)
    kinds: dict[type[ast.AST], list[Any]] = field(default_factory=dict)
    parents: dict[int, ast.AST] = field(default_factory=dict)
    owner: dict[int, Function | None] = field(default_factory=dict)
    statement: dict[int, ast.stmt] = field(default_factory=dict)
    answers: dict[tuple[str, ...], Any] = field(default_factory=dict)

    @overload
    def of(self, kind: type[_Node], /) -> list[_Node]: ...

    @overload
    def of(self, kind: type[_Node], other: type[_Other], /) -> list[_Node | _Other]: ...

    @overload
    def of(self, *kinds: type[_Node]) -> list[_Node]: ...

    def of(self, *kinds: type[ast.AST]) -> list[Any]:
        """Return the nodes of some types, those of one type after those of another."""
        [first, *others] = (self.kinds.get(kind, []) for kind in kinds)
        return [*first, *(node for one in others for node in one)] if others else first


_PLACES: Notes[Places] = Notes("places")


def places_of(tree: ast.Module) -> Places:
    """Return what a tree shows, read once for all passes."""
    found = _PLACES.get(tree)
    if found is None:
        found = _PLACES[tree] = _read(tree)
    return found


def _read(tree: ast.Module) -> Places:
    found = Places()
    nodes, parents, owner, statement = found.nodes, found.parents, found.owner, found.statement
    kinds: dict[type[ast.AST], list[ast.AST]] = defaultdict(list)
    nodes += children(tree)
    owner.update(dict.fromkeys(map(id, nodes)))
    for node in nodes:
        kinds[type(node)].append(node)
        parts = children(node)
        if not parts:
            continue
        nodes += parts
        place = id(node)
        function = node if isinstance(node, Function) else owner[place]
        around = node if isinstance(node, ast.stmt) else statement[place]
        for part in map(id, parts):
            parents[part] = node
            owner[part] = function
            statement[part] = around
    found.kinds = dict(kinds)
    return found


def method_of(cls: ast.ClassDef, name: str, classes: Mapping[str, ast.ClassDef]) -> Function | None:
    """Return the method of a class or of its bases among some classes, or None."""
    for node in cls.body:
        if isinstance(node, Function) and node.name == name:
            return node
    for base in cls.bases:
        above = classes.get(base.id) if isinstance(base, ast.Name) else None
        if above is not None and above is not cls and (found := method_of(above, name, classes)):
            return found
    return None
