"""Modes of gradients."""

from __future__ import annotations

from workbench.rules.rule import RuleSet

rules = RuleSet()

rules.refuse(
    "torch.no_grad",
    "torch.inference_mode",
    "torch.set_grad_enabled",
    "torch.enable_grad",
    reason="JAX has no mode without gradients",
)
