"""Scaled dot product attention."""

from __future__ import annotations

from workbench.lower.writing.call import Call
from workbench.targets.jax.emitters.registry import emits


@emits("scaled_dot_product_attention")
def _attention(call: Call) -> str:
    query, key, value = (call.tensor(n) for n in ("query", "key", "value"))
    options = ""
    if call.has("attn_mask"):
        options += f", mask={call.tensor('attn_mask')}"
    if call["is_causal"]:
        options += ", causal=True"
    if call.has("scale"):
        options += f", scale={call.text('scale')}"
    if call["enable_gqa"]:
        options += ", grouped=True"
    if call["dropout_p"]:
        call.caveat("dropout in attention draws from JAX's random stream, not torch's")
        options += f", dropout={call.text('dropout_p')}, draw=self.rngs()"
    return f"{call.helper('_attention')}({query}, {key}, {value}{options})"
