"""Reductions of einops, whose largest and smallest values have wrong gradients in Paddle."""

from __future__ import annotations

from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Rewrite
from workbench.rules.rule import RuleSet

rules = RuleSet()

_EXACT = frozenset({"mean", "sum", "prod", "any", "all"})
_PATTERN = "b (h p) (w q) c d -> b h w c d"


def _reduction(match: Match, call: str) -> Outcome:
    if match.constant("reduction") in _EXACT:
        return Keep()
    return Rewrite(call, note="with torch's gradients of largest and smallest values")


@rules.rule(
    "einops.reduce",
    value="einops.reduce",
    cases=[
        "from einops import reduce\n"
        "t = torch.randn(2, 4, 4, 2, 3, requires_grad=True)\n"
        f"r = reduce(t, '{_PATTERN}', how, p=2, q=2)\n"
        "r.square().sum().backward()\ng = t.grad".replace("how", how)
        for how in ("'max'", "reduction='min'", "'mean'", "torch.amax")
    ],
)
def reduce(match: Match) -> Outcome:
    return _reduction(
        match,
        "einops.reduce({tensor}, {pattern}, torch_einops_reduction({reduction}), *{axes_lengths})",
    )


@rules.rule(
    "einops.layers.torch.Reduce",
    value="einops.layers.paddle.Reduce",
    cases=[
        "from einops.layers.torch import Reduce\n"
        "t = torch.randn(2, 4, 4, 2, 3, requires_grad=True)\n"
        f"r = Reduce('{_PATTERN}', how, p=2, q=2)(t)\n"
        "r.square().sum().backward()\ng = t.grad".replace("how", how)
        for how in ("'max'", "reduction='min'", "'sum'")
    ],
)
def reduce_layer(match: Match) -> Outcome:
    return _reduction(
        match,
        "einops.layers.paddle.Reduce({pattern}, torch_einops_reduction({reduction}), "
        "*{axes_lengths})",
    )
