"""Quantize and dequantize operators in graphs of torch's PT2E flow."""

from __future__ import annotations

import torch

from workbench.lower.writing.call import Call, atom
from workbench.lower.writing.shared import number
from workbench.targets.jax.emitters.registry import emits

_HOME = "quantized_decomposed"


@emits(
    f"{_HOME}::quantize_per_tensor",
    f"{_HOME}::quantize_per_tensor.tensor",
    f"{_HOME}::quantize_per_tensor.tensor2",
)
def _quantize(call: Call) -> str:
    return _rounded(call, number(call, "scale"), number(call, "zero_point"))


@emits(f"{_HOME}::quantize_per_channel")
def _quantize_channels(call: Call) -> str:
    return _rounded(call, _channels(call, "scales"), _channels(call, "zero_points"))


@emits(f"{_HOME}::dequantize_per_channel")
def _dequantize_channels(call: Call) -> str:
    x, scale = atom(call.tensor("input", torch.float32)), _channels(call, "scales")
    if not call.has("zero_points"):
        return f"{x} * {scale}"
    return f"({x} - {_channels(call, 'zero_points')}) * {scale}"


def _rounded(call: Call, scale: str, zero: str) -> str:
    # torch multiplies by the inverse of the scale, which rounds differently from a division.
    steps = f"jnp.round({atom(call.tensor('input'))} * (1.0 / {scale}))"
    low, high = call.text("quant_min"), call.text("quant_max")
    return f"jnp.clip({steps} + {zero}, {low}, {high}).astype({call.dtype_text()})"


def _channels(call: Call, name: str) -> str:
    rank = call.rank("input")
    axis = call["axis"] % rank
    shape = ", ".join("-1" if i == axis else "1" for i in range(rank))
    return f"{call.tensor(name, torch.float32)}.reshape({shape})"
