"""How what `fastops` offers is written in Paddle; named in `[tool.torchferry]`.

Prove it with: torchferry prove --rules tools/torchferry_rules.py
"""

from workbench.rules.own import Match, Outcome, OwnRules, Refusal, Rewrite

rules = OwnRules(
    helpers=["paddle_ops.py"],
    prelude="import fastops\nimport fastops.layers\nimport fastops.ops\n",
)

# `import fastops` makes the operator known to torch; Paddle needs no such thing.
rules.drop_import("fastops")

_SOFT_CLIP = "torch_soft_clip({x}, {limit=1.0})"

rules.row(
    "fastops.ops.soft_clip",
    _SOFT_CLIP,
    signature="(x, limit=1.0) -> Tensor",
    cases=["fastops.ops.soft_clip(x)", "fastops.ops.soft_clip(w * 3, limit=0.5)"],
)


@rules.rule(
    "torch.ops.fastops.soft_clip",
    signature="(x, limit=1.0) -> Tensor",
    cases=["torch.ops.fastops.soft_clip(x, 2.0)"],
)
def soft_clip(match: Match) -> Outcome:
    """A limit that torch does not take is told before anything runs."""
    limit = match.constant("limit", 1.0)
    if isinstance(limit, int | float) and limit <= 0:
        return Refusal("torch raises for a limit that is not above 0", "give a limit above 0")
    return Rewrite(_SOFT_CLIP)


rules.row(
    "fastops.layers.SoftClip",
    "TorchSoftClip({channels}, limit={limit})",
    signature="(channels, limit=1.0)",
    base="torch.nn.Module",
    cases=["fastops.layers.SoftClip(4)(w)", "fastops.layers.SoftClip(4, limit=2.0)(x)"],
)
