"""Losses that a graph does not decompose."""

from __future__ import annotations

from workbench.lower.writing.call import Call
from workbench.targets.jax.emitters.registry import emits


@emits("nll_loss_forward", "nll_loss2d_forward")
def _nll_loss(call: Call) -> str:
    call.caveat("a class out of range counts as the nearest one in JAX; torch raises an error")
    weight = f", weight={call.tensor('weight')}" if call.has("weight") else ""
    rest = f"{call['reduction']}, {call['ignore_index']}{weight}"
    return f"{call.helper('_nll_loss')}({call.tensor('self')}, {call.tensor('target')}, {rest})"
