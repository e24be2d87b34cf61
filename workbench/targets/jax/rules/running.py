"""Modes of gradients and settings of the machine."""

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
_THREADS = "JAX chooses its threads; set XLA_FLAGS in the environment to limit them"
for _name in ("set_num_threads", "set_num_interop_threads"):
    rules.row(f"torch.{_name}", "None", ignored={"int": _THREADS}, note=_THREADS)
