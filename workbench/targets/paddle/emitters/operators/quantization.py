"""Quantize and dequantize operators in graphs of torch's PT2E flow."""

from __future__ import annotations

import torch

from workbench.lower.writing.call import Call, atom
from workbench.lower.writing.shared import number
from workbench.targets.paddle.emitters.registry import emits

_HOME = "quantized_decomposed"


@emits(
    f"{_HOME}::quantize_per_tensor",
    f"{_HOME}::quantize_per_tensor.tensor",
    f"{_HOME}::quantize_per_tensor.tensor2",
)
def _quantize(call: Call) -> str:
    scale = number(call, "scale")
    return _rounded(call, call.tensor("input"), scale, number(call, "zero_point"))


@emits(f"{_HOME}::quantize_per_channel")
def _quantize_channels(call: Call) -> str:
    scale, zero = _channels(call, "scales"), _channels(call, "zero_points")
    return _rounded(call, call.tensor("input"), scale, zero)


@emits(f"{_HOME}::dequantize_per_channel")
def _dequantize_channels(call: Call) -> str:
    x = atom(call.tensor("input", torch.float32))
    scale = _channels(call, "scales")
    if not call.has("zero_points"):
        return f"{x} * {scale}"
    return f"({x} - {_channels(call, 'zero_points')}) * {scale}"


@emits(f"{_HOME}::choose_qparams.tensor")
def _choose(call: Call) -> str:
    limits = ", ".join(call.text(name) for name in ("quant_min", "quant_max", "eps"))
    return f"{call.helper('_quantization_range')}({call.tensor('input')}, {limits})"


@emits(f"{_HOME}::choose_qparams_symmetric.tensor")
def _choose_symmetric(call: Call) -> str:
    limits = ", ".join(call.text(name) for name in ("quant_min", "quant_max", "eps"))
    zero = 128 if call["dtype"] is torch.uint8 else 0
    return f"{call.helper('_quantization_range')}({call.tensor('input')}, {limits}, {zero})"


def _rounded(call: Call, x: str, scale: str, zero: str) -> str:
    # torch multiplies by the inverse of the scale, which rounds differently from a division.
    steps = f"paddle.round({atom(x)} * (1.0 / {scale}))"
    low, high = call.text("quant_min"), call.text("quant_max")
    return f"paddle.clip({steps} + {zero}, {low}, {high}).astype({call.dtype_text()})"


def _channels(call: Call, name: str) -> str:
    rank = call.rank("input")
    axis = call["axis"] % rank
    shape = [-1 if i == axis else 1 for i in range(rank)]
    return f"paddle.reshape({call.tensor(name, torch.float32)}, {shape})"
