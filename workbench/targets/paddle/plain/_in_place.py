"""Whether anybody sees that a layer works in place."""

from __future__ import annotations

import ast

from workbench.rules.match import Match
from workbench.targets.paddle.plain._writing import flag

_STRAIGHT_THROUGH = frozenset(
    {"Identity", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "Flatten", "Unflatten"}
)


def unseen(match: Match) -> bool:
    """Whether a layer may be written without its `inplace`.

    It may where it has none; where it follows another layer in a sequence, which made what it is
    given; and where the member that holds it is called with nothing that is looked at again.
    """
    return flag(match, "inplace", False) is False or given_what_is_new(match)


def given_what_is_new(match: Match) -> bool:
    """Whether what a layer is given was computed for it, as far as the program's text shows."""
    statement, node = match.use.statement, match.use.node
    for part in ast.walk(statement):
        if isinstance(part, ast.Call | ast.List | ast.Tuple):
            items = part.args if isinstance(part, ast.Call) else part.elts
            if node in items:
                place = items.index(node)  # type: ignore[arg-type]
                return any(_makes_anew(one) for one in items[:place])
    if isinstance(statement, ast.Assign) and statement.value is node:
        [target, *more] = statement.targets
        name = getattr(target, "attr", getattr(target, "id", None))
        return not more and name is not None and name not in match.program.traits.shared
    return False


def _makes_anew(node: ast.expr) -> bool:
    """Whether a layer of a sequence gives something else than what it is given."""
    if not isinstance(node, ast.Call):
        return False
    name = getattr(node.func, "attr", getattr(node.func, "id", None))
    return name not in _STRAIGHT_THROUGH
