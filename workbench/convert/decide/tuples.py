"""Lists of a target where torch returns tuples: `isinstance(parts, tuple)` tells them apart."""

from __future__ import annotations

import ast
from dataclasses import replace

from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Rewrite, as_rewrite
from workbench.source.tree import container
from workbench.source.uses import Use, UseKind

# Functions of Python that take a list as they take a tuple.
_TAKING = frozenset(
    {"all", "any", "enumerate", "iter", "len", "list", "map", "max", "min", "reversed", "sorted"}
    | {"sum", "tuple", "zip"}
)


def as_tuple(outcome: Keep | Rewrite, match: Match, name: str) -> Keep | Rewrite:
    """Return the outcome of a list, made a tuple if the program tests whether something is one.

    Args:
        outcome: the plain outcome.
        match: the use.
        name: the canonical name of its function.
    """
    if not match.program.compares("tuple") or not _is_kept_whole(match.use):
        return outcome
    if isinstance(outcome, Keep):
        outcome = as_rewrite(outcome, f"{{self}}.{name.rpartition('.')[2]}")
    return outcome if "torch_" in outcome.template else replace(outcome, wrapped="tuple")


def _is_kept_whole(use: Use) -> bool:
    """Return whether the result is kept as it is, and not unpacked, iterated or indexed at once."""
    node, statement = use.node, use.statement
    if use.kind is not UseKind.CALL:
        return False
    if isinstance(statement, ast.Assign) and statement.value is node:
        return not isinstance(statement.targets[0], ast.Tuple | ast.List)
    if isinstance(statement, ast.For) and statement.iter is node:
        return False
    match container(statement, node):
        case ast.Subscript(value=value) if value is node:
            return False
        case ast.Call(func=ast.Name(id=function)) if function in _TAKING:
            return False
        case ast.Starred() | ast.comprehension():
            return False
    return True
