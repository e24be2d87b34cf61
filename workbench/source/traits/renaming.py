"""Syntax trees of partly converted text, with torch's names."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from workbench.source.tree import Notes, copied, whole

_Node = TypeVar("_Node", bound=ast.AST)


@dataclass(frozen=True, slots=True)
class Renamed:
    """A statement with other names; `new` is None if it has none of the old ones.

    `place` is where the statement was: the nodes of a statement move with it, those of `new` do
    not.
    """

    names: Mapping[str, str]
    place: tuple[int, int | None]
    new: ast.stmt | None


_known: Notes[Renamed] = Notes("renamed")


def renamed(tree: ast.Module, names: Mapping[str, str]) -> ast.Module:
    """Return a tree with torch's names for a target's, so that partly converted text has equal
    traits.
    """
    new = copied(tree)
    new.body = [renamed_statement(_known, one, names, names) for one in tree.body]
    return new


def renamed_statement(
    known: Notes[Renamed], statement: ast.stmt, names: Mapping[str, str], members: Mapping[str, str]
) -> ast.stmt:
    """Return what `with_names` does, or the statement itself if it has no such name.

    An edit keeps the statements that it does not touch, so the result is kept in notes.
    """
    found = known.get(statement)
    place = statement.lineno, statement.end_lineno
    if found is None or found.place != place or not _equal(found.names, names):
        used = any(_has_name(one, names, members) for one in whole(statement))
        new = with_names(statement, names, members) if used else None
        found = known[statement] = Renamed(names, place, new)
    return found.new or statement


def _equal(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    return one is other or one == other


def _has_name(node: ast.AST, names: Mapping[str, str], members: Mapping[str, str]) -> bool:
    if type(node) is ast.Name:
        return node.id in names
    if type(node) is ast.Attribute:
        return node.attr in members
    return type(node) is ast.alias and node.name in members


def with_names(node: _Node, names: Mapping[str, str], members: Mapping[str, str]) -> _Node:
    """Return a copy of a node with other names of variables and of members."""
    new = copied(node)
    for field, value in ast.iter_fields(node):
        if isinstance(value, ast.AST):
            setattr(new, field, with_names(value, names, members))
        elif isinstance(value, list):
            parts = [
                with_names(one, names, members) if isinstance(one, ast.AST) else one
                for one in value
            ]
            setattr(new, field, parts)
    if isinstance(new, ast.Attribute):
        new.attr = members.get(new.attr, new.attr)
    elif isinstance(new, ast.Name):
        new.id = names.get(new.id, new.id)
    elif isinstance(new, ast.alias):
        new.name = members.get(new.name, new.name)
    return new
