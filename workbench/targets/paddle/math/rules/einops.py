"""Reductions of einops, whose largest and smallest values have wrong gradients in Paddle."""

from __future__ import annotations

from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Rewrite
from workbench.rules.rule import RuleSet

rules = RuleSet()

_EXACT = frozenset({"mean", "sum", "prod", "any", "all"})


def _reduction(match: Match, call: str) -> Outcome:
    if match.constant("reduction") in _EXACT:
        return Keep()
    return Rewrite(
        call, note="the gradient of a maximum or minimum is divided among equal values as in torch"
    )


@rules.rule("einops.reduce", value="einops.reduce")
def reduce(match: Match) -> Outcome:
    return _reduction(
        match,
        "einops.reduce({tensor}, {pattern}, torch_einops_reduction({reduction}), *{axes_lengths})",
    )


@rules.rule("einops.layers.torch.Reduce", value="einops.layers.paddle.Reduce")
def reduce_layer(match: Match) -> Outcome:
    return _reduction(
        match,
        "einops.layers.paddle.Reduce({pattern}, torch_einops_reduction({reduction}), "
        "*{axes_lengths})",
    )
