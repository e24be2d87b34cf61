"""Checks whether an in-place change by a layer can be observed."""

from __future__ import annotations

import ast

from workbench.rules.match import Match
from workbench.targets.paddle.common.writing import flag

_STRAIGHT_THROUGH = frozenset(
    {"Identity", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "Flatten", "Unflatten"}
)
# How the names of layers begin that return something other than their input.
_COMPUTING = (
    "adaptive",
    "avgpool",
    "batchnorm",
    "conv",
    "groupnorm",
    "instancenorm",
    "layernorm",
    "linear",
    "maxpool",
    "upsample",
)


def unseen(match: Match) -> bool:
    """Return whether a layer's `inplace` may be dropped.

    It may if it is false, if the layer follows another one in a sequence, which created its input,
    or if the input of the member that holds the layer is never used again.
    """
    return flag(match, "inplace", False) is False or takes_new_input(match)


def takes_new_input(match: Match) -> bool:
    """Return whether a layer's input was computed for it, as far as the text shows."""
    statement, node = match.use.statement, match.use.node
    for part in ast.walk(statement):
        items = _items(part)
        if node in items:
            place = items.index(node)  # type: ignore[arg-type]
            if any(_returns_new(one) for one in items[:place]):
                return True
    if isinstance(statement, ast.Expr) and _is_appended(match, statement):
        return True
    if isinstance(statement, ast.Assign) and statement.value is node:
        [target, *more] = statement.targets
        name = getattr(target, "attr", getattr(target, "id", None))
        return not more and name is not None and name not in match.program.traits.shared
    return False


def _is_appended(match: Match, statement: ast.Expr) -> bool:
    """Return whether a statement appends a layer after one that computes, wherever it stands.

    After an activation, the list may be a choice of activations instead of a sequence.
    """
    text = ast.unparse(statement)
    before = [one.before.lower() for one in match.program.traits.appended if one.text == text]
    return bool(before) and all(one.startswith(_COMPUTING) for one in before)


def _items(node: ast.AST) -> list[ast.expr]:
    """Return the arguments or elements of a node; the layers of an `OrderedDict`."""
    match node:
        case ast.Call(args=[ast.List(elts=pairs) | ast.Tuple(elts=pairs)]) if _is_ordered(node):
            return [one.elts[-1] for one in pairs if isinstance(one, ast.Tuple | ast.List)]
        case ast.Call(args=items) | ast.List(elts=items) | ast.Tuple(elts=items):
            return items
    return []


def _is_ordered(node: ast.Call) -> bool:
    return getattr(node.func, "attr", getattr(node.func, "id", None)) == "OrderedDict"


def _returns_new(node: ast.expr) -> bool:
    """Return whether a layer of a sequence returns something other than its input."""
    if not isinstance(node, ast.Call):
        return False
    name = getattr(node.func, "attr", getattr(node.func, "id", None))
    return name not in _STRAIGHT_THROUGH
