"""Use of values as keys: shapes of other frameworks may be lists, which are not hashable."""

from __future__ import annotations

import ast

from workbench.rules.match import Match

# Methods of sets and dictionaries whose first argument is a key.
_HASHING = frozenset({"add", "discard", "get", "pop", "setdefault"})


def is_key(match: Match) -> bool:
    """Return whether a value is used as a key or compared with the type `tuple`."""
    node = match.use.node
    return any(
        node in _parts(key) for outer in ast.walk(match.use.statement) for key in _keys(outer)
    )


def _parts(key: ast.expr) -> list[ast.expr]:
    """Return a key, and the elements of a key that is a tuple."""
    return (
        [key, *(part for one in key.elts for part in _parts(one))]
        if isinstance(key, ast.Tuple)
        else [key]
    )


def _keys(outer: ast.AST) -> list[ast.expr]:
    """Return the expressions that a node hashes or tests for being a tuple."""
    if isinstance(outer, ast.Dict):
        return [key for key in outer.keys if key is not None]
    if isinstance(outer, ast.Set):
        return outer.elts
    if isinstance(outer, ast.DictComp):
        return [outer.key]
    if isinstance(outer, ast.SetComp):
        return [outer.elt]
    if isinstance(outer, ast.Subscript):
        return [outer.slice]
    if isinstance(outer, ast.Compare) and isinstance(outer.ops[0], ast.In | ast.NotIn):
        return [outer.left]
    if not isinstance(outer, ast.Call):
        return []
    if isinstance(outer.func, ast.Attribute):
        return outer.args[:1] if outer.func.attr in _HASHING else []
    name = getattr(outer.func, "id", "")
    asks = name == "isinstance" and "tuple" in ast.unparse(outer.args[-1])
    return outer.args[:1] if asks or name == "hash" else []
