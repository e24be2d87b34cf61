"""New weights: how a layer is told to draw them as torch does, and what differs then."""

from __future__ import annotations

import ast

from workbench.rules.difference import Difference
from workbench.rules.match import Match
from workbench.source.traits.containers import unmoved
from workbench.targets.paddle.plain._writing import flag

# torch's distribution of new weights, `init` once per file: uniform within 1/sqrt(fan in).
_TORCH_WEIGHTS = "weight_attr=torch_init"


def fresh_weights(match: Match, name: str) -> tuple[list[str], tuple[Difference, ...]]:
    """The argument that draws a layer's weights as torch does, and what to tell of new ones.

    Args:
        match: that makes a layer with a weight and, unless it is told otherwise, a bias.
        name: the last name of its class.

    Returns:
        No argument where the program sets the weights; nothing to tell where it sets all.
    """
    if not set_anew(match, name):
        return [_TORCH_WEIGHTS], (Difference.FRESH_WEIGHTS,)
    whole = flag(match, "bias") is False or set_anew(match, name, "bias")
    return [], () if whole else (Difference.FRESH_WEIGHTS,)


def set_anew(match: Match, name: str, parameter: str = "weight") -> bool:
    """Whether the program sets this parameter of every layer of a class, or of this very one."""
    program, statement = match.program, match.use.statement
    if program.initialises(name, parameter):
        return True
    if not isinstance(statement, ast.Assign) or unmoved(statement.value) is not match.use.node:
        return False
    member = statement.targets[0]
    return isinstance(member, ast.Attribute) and program.initialises_member(member.attr, parameter)
