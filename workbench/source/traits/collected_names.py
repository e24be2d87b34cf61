"""Texts that a program looks up among collected names of classes.

`counts["Conv2d"]` after `counts[type(m).__name__] += 1`, and `"Conv2d" in names` after
`names = [type(m).__name__ for m in model.modules()]`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from workbench.source.traits.class_names import NamedClass, Way, is_class_name, texts_in

# Calls that make an empty collection, or one of what they are given.
_MAKERS: Final = frozenset({"Counter", "OrderedDict", "defaultdict", "dict", "list", "set"})
_ADDED_BY: Final = frozenset({"add", "append", "get", "setdefault"})
_ASKED_BY: Final = frozenset({"count", "get", "index", "pop"})
_DISPLAYS = (ast.Dict, ast.List, ast.Set, ast.Tuple)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp)


def collected_names(tree: ast.Module) -> Iterator[NamedClass]:
    """Yield the texts that are compared with the members of collections of class names."""
    nodes = list(_with_statements(tree))
    collections = {name for node, _ in nodes for name in _collections(node)}
    collections -= {name for node, _ in nodes for name in _others(node)}
    for node, statement in nodes:
        for text in _compared(node, collections):
            yield NamedClass(text, statement, Way.EQUAL, lowered=False)


def _with_statements(tree: ast.AST) -> Iterator[tuple[ast.AST, ast.stmt]]:
    """Yield all nodes, each with the statement that it belongs to."""
    waiting: list[tuple[ast.AST, ast.stmt | None]] = [(tree, None)]
    while waiting:
        node, statement = waiting.pop()
        statement = node if isinstance(node, ast.stmt) else statement
        if statement is not None:
            yield node, statement
        waiting.extend((child, statement) for child in ast.iter_child_nodes(node))


def _collections(node: ast.AST) -> Iterator[str]:
    """Yield the variable to which a node adds names of classes."""
    match node:
        case ast.Subscript(value=holder, slice=key) if is_class_name(key):
            yield _last(holder)
        case ast.Call(func=ast.Attribute(value=holder, attr=attr), args=[key, *_]):
            if attr in _ADDED_BY and is_class_name(key):
                yield _last(holder)
        case ast.Assign(targets=[target], value=value) if _lists_names(value):
            yield _last(target)


def _lists_names(node: ast.expr) -> bool:
    match node:
        case ast.Call(args=[given]) if _last(node.func) in _MAKERS | {"sorted"}:
            return _lists_names(given)
        case ast.DictComp(key=name):
            return is_class_name(name)
    return isinstance(node, _COMPREHENSIONS) and is_class_name(node.elt)


def _others(node: ast.AST) -> Iterator[str]:
    """Yield a variable that holds, or may hold, something else as well."""
    match node:
        case ast.arg(arg=name):
            yield name
        case ast.Assign(targets=targets, value=value):
            makes = isinstance(value, ast.Call) and _last(value.func) in _MAKERS
            if not makes and not isinstance(value, _DISPLAYS) and not _lists_names(value):
                yield from (
                    _last(part) for one in targets for part in ast.walk(one) if _stored(part)
                )
        case ast.Subscript(value=holder, slice=key):
            if not is_class_name(key) and not isinstance(key, ast.Constant | ast.Slice):
                yield _last(holder)


def _stored(node: ast.AST) -> bool:
    return isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store)


def _compared(node: ast.AST, collections: set[str]) -> list[ast.Constant]:
    """Return the texts that a node compares with the members of a collection."""
    match node:
        case ast.Subscript(value=holder, slice=key) if _last(holder) in collections:
            return texts_in(key)
        case ast.Call(func=ast.Attribute(value=holder, attr=attr), args=[key, *_]):
            return texts_in(key) if attr in _ASKED_BY and _last(holder) in collections else []
        case ast.Compare(left=text, ops=[ast.In() | ast.NotIn()], comparators=[holder]):
            return texts_in(text) if _last(holder) in collections else []
        case ast.Compare(left=holder, ops=[ast.Eq() | ast.NotEq()], comparators=[texts]):
            return texts_in(texts) if _last(holder) in collections else []
        case ast.Assign(targets=[target], value=value) if _last(target) in collections:
            return texts_in(value) if isinstance(value, _DISPLAYS) else []
    return []


def _last(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")
