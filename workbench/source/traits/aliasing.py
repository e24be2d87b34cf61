"""Calls whose tensor argument is used elsewhere too.

An in-place activation may be replaced by one that is not in place if its argument is never used
again.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from workbench.source.tree import DEFINITIONS, Notes, calls, inside, within

_Place = tuple[int, int]
# Reads of each variable per statement. An edit keeps the statements that it does not touch.
_known: Notes[dict[str, list[ast.Name]]] = Notes("reading")


def names_given_shared(part: ast.FunctionDef | ast.Module) -> set[str]:
    """Return the last names of functions that are called with a tensor that is used elsewhere too.

    An argument that is computed in the call is not used elsewhere. Neither is a variable that a
    previous statement created, if the result replaces it or if nothing reads it again.
    """
    statements = list(_statements(part))
    bound = [_bound(statement) for statement in statements]
    anywhere = set().union(*bound)
    reads: dict[str, list[_Place]] = {}
    for one in part.body:
        for variable, nodes in _names_read(one).items():
            if variable in anywhere:
                places = reads.setdefault(variable, [])
                places += [(node.lineno, node.col_offset) for node in nodes]
    shared: set[str] = set()
    for index, statement in enumerate(statements):
        for call in calls(statement):
            name = _last(call.func)
            if name is None or name in shared or not call.args:
                continue
            argument = call.args[0]
            if _is_new(argument):
                continue
            if isinstance(argument, ast.Name) and argument.id in anywhere:
                places = reads[argument.id]
                new = _is_new_and_unread(argument, statements, bound, index, places)
                replaced = argument.id in bound[index] or isinstance(statement, ast.Return)
                if new and (replaced or not _read_after(argument, places)):
                    continue
            shared.add(name)
    return shared


def _names_read(statement: ast.stmt) -> dict[str, list[ast.Name]]:
    found = _known.get(statement)
    if found is None:
        found = _known[statement] = {}
        for node in within(statement):
            if type(node) is ast.Name and type(node.ctx) is ast.Load:
                found.setdefault(node.id, []).append(node)
    return found


def _statements(part: ast.FunctionDef | ast.Module) -> Iterator[ast.stmt]:
    """Yield the statements in the order of the text, compound ones before their parts."""
    for node in part.body:
        yield from _with_parts(node)


def _with_parts(statement: ast.stmt) -> Iterator[ast.stmt]:
    yield statement
    if isinstance(statement, DEFINITIONS):
        return
    for field in ("body", "orelse", "finalbody"):
        for part in getattr(statement, field, ()):
            yield from _with_parts(part)


def _is_new(node: ast.expr) -> bool:
    """Return whether an expression computes a tensor, with a call or arithmetic."""
    return isinstance(node, ast.Call | ast.BinOp)


def _is_new_and_unread(
    argument: ast.Name,
    statements: list[ast.stmt],
    bound: list[set[str]],
    index: int,
    reads: list[_Place],
) -> bool:
    """Return whether a variable was last bound to a new tensor and has not been read since."""
    for place in range(index - 1, -1, -1):
        if argument.id in bound[place]:
            statement = statements[place]
            value = getattr(statement, "value", None)
            made = isinstance(statement, ast.AugAssign) or (value is not None and _is_new(value))
            start = (statement.end_lineno or 0, statement.end_col_offset or 0)
            here = (argument.lineno, argument.col_offset)
            return made and not any(start < one < here for one in reads)
    return False


def _bound(statement: ast.stmt) -> set[str]:
    """Return the variables that an assignment binds."""
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AugAssign | ast.AnnAssign):
        targets = [statement.target]
    else:
        return set()
    return {one.id for target in targets for one in inside(target) if isinstance(one, ast.Name)}


def _read_after(argument: ast.Name, reads: list[_Place]) -> bool:
    here = (argument.lineno, argument.col_offset)
    return any(one != here and one[0] >= argument.lineno for one in reads)


def _last(node: ast.expr) -> str | None:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else None
