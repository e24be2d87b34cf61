"""Syntax trees of partly converted text, with torch's names."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TypeVar

from workbench.source.tree import copied

_Node = TypeVar("_Node", bound=ast.AST)


def renamed(tree: ast.Module, names: Mapping[str, str]) -> ast.Module:
    """Return a tree with torch's names for a target's, so that partly converted text has equal
    traits.
    """
    new = copied(tree)
    new.body = [with_names(statement, names, names) for statement in tree.body]
    return new


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
