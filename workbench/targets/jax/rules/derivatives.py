"""Derivatives of functions, as `torch.autograd.functional` and `torch.func` compute them."""

from __future__ import annotations

import ast

from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite
from workbench.rules.rule import RuleSet

rules = RuleSet()
_F = "torch.autograd.functional."


def _whole(name: str, written: str) -> None:
    @rules.rule(_F + name)
    def decide(match: Match) -> Outcome:
        """Write the transform of a function of one tensor."""
        if match.given("strict"):
            return Refusal("its argument `strict` has no equivalent")
        if isinstance(match.arguments["inputs"].node, ast.Tuple | ast.List):
            return Refusal("only functions of one tensor are converted", f"jax.{written}(f)(x)")
        return Rewrite(f"jax.{written}({{func}})({{inputs}})", consumed=_speed(match))


def _speed(match: Match) -> frozenset[str]:
    """Return the arguments that have an effect on memory and speed only."""
    return frozenset(match.arguments) - {"func", "inputs"}


for _name, _written in {"jacobian": "jacobian", "hessian": "hessian"}.items():
    _whole(_name, _written)
