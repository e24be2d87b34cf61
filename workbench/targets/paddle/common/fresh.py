"""New weights: the arguments with which a layer draws them as in torch, and the differences."""

from __future__ import annotations

import ast

from workbench.rules.difference import Difference
from workbench.rules.match import Match
from workbench.source.traits.containers import unmoved
from workbench.targets.paddle.common.writing import flag

# torch's distribution of new weights, uniform within 1/sqrt(fan in); `init` is defined once per
# file.
_TORCH_WEIGHTS = "weight_attr=torch_init"


def fresh_weights(match: Match, name: str) -> tuple[list[str], tuple[Difference, ...]]:
    """Return the argument for torch's distribution of a layer's weights, and the differences.

    Args:
        match: a use that creates a layer with a weight and, by default, a bias.
        name: the last name of its class.

    Returns:
        No argument if the program sets the weights, and no difference if it sets the bias too.
    """
    if not program_sets(match, name):
        return [_TORCH_WEIGHTS], (Difference.FRESH_WEIGHTS,)
    whole = flag(match, "bias") is False or program_sets(match, name, "bias")
    return [], () if whole else (Difference.FRESH_WEIGHTS,)


def program_sets(match: Match, name: str, parameter: str = "weight") -> bool:
    """Return whether the program sets this parameter of all layers of a class, or of this layer."""
    program, statement = match.program, match.use.statement
    if program.initialises(name, parameter):
        return True
    if not isinstance(statement, ast.Assign) or unmoved(statement.value) is not match.use.node:
        return False
    member = statement.targets[0]
    if not isinstance(member, ast.Attribute):
        return False
    of_self = isinstance(member.value, ast.Name) and member.value.id == "self"
    return program.initialises_member(member.attr, parameter, of_self=of_self)
