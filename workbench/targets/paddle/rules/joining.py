"""Joining and splitting tensors."""

from __future__ import annotations

from workbench.rules.rule import RuleSet

rules = RuleSet()

rules.row(
    "torch.cat",
    "paddle.concat({tensors}, axis={dim})",
    cases=["torch.cat([x, y])", "torch.cat((x, y), dim=-1)"],
)
rules.row("torch.stack", "paddle.stack({tensors}, axis={dim})", cases=["torch.stack([x, y], 1)"])
