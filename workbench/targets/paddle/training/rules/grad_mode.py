"""Gradient recording: context managers, decorators, switches."""

from __future__ import annotations

from workbench.rules.rule import RuleSet

rules = RuleSet()
rules.row("torch.no_grad", "paddle.no_grad()", value="torch_no_grad")
rules.row("torch.enable_grad", "paddle.enable_grad()", value="torch_enable_grad")
rules.row(
    "torch.inference_mode",
    "paddle.no_grad()",
    "torch_inference_mode({mode})",
    value="torch_no_grad",
    note="Paddle has no inference mode: this only disables gradients",
)
rules.row("torch.set_grad_enabled", "paddle.set_grad_enabled({mode})")
rules.row("torch.is_grad_enabled", "paddle.is_grad_enabled()")
rules.row(
    "torch.is_inference_mode_enabled",
    "not paddle.is_grad_enabled()",
    note="Paddle has no inference mode: this returns whether gradients are disabled",
)
