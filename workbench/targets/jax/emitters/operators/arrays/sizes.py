"""Sizes and single values of arrays: dynamic shapes stay dynamic."""

from __future__ import annotations

from workbench.lower.writing.call import Call
from workbench.targets.jax.emitters.registry import emits


@emits("item", "_local_scalar_dense", native=True)
def _item(call: Call) -> str:
    call.caveat("a tensor is converted to a Python number: it runs eagerly, and not under jax.jit")
    return f"{call.tensor('self')}.item()"
