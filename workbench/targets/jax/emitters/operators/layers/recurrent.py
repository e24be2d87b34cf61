"""Recurrent layers, each layer as a scan over time."""

from __future__ import annotations

from workbench.lower.writing.call import Call
from workbench.lower.writing.recurrent import RECURRENT, recurrent
from workbench.targets.jax.emitters.registry import emits


@emits(*RECURRENT)
def _recurrent(call: Call) -> str:
    return recurrent(call, lambda kind: call.helper(f"_{kind}_step"))
