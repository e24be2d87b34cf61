"""Comparisons, logic and choices."""

from __future__ import annotations

import torch

from workbench.lower.writing.call import Call
from workbench.lower.writing.emitters import Write
from workbench.lower.writing.shared import common_dtype
from workbench.targets.paddle.emitters.registry import emits, writes

writes({"equal": "bool(paddle.equal_all({self}, {other}))"})


def _logical(name: str) -> Write:
    def write(call: Call) -> str:
        a, b = (
            call.tensor(n) if call.meta(n).dtype is torch.bool else f"({call.tensor(n)} != 0)"
            for n in ("self", "other")
        )
        return f"paddle.{name}({a}, {b})"

    return write


for _torch_name in ("logical_and", "logical_or", "logical_xor"):
    emits(_torch_name)(_logical(_torch_name))


@emits("isclose")
def _isclose(call: Call) -> str:
    dtype = common_dtype(call)
    a, b = call.tensor("self", dtype), call.tensor("other", dtype)
    rest = f"rtol={call.text('rtol')}, atol={call.text('atol')}, equal_nan={call['equal_nan']}"
    return f"paddle.isclose(*paddle.broadcast_tensors([{a}, {b}]), {rest})"


@emits("where.self", "where.ScalarOther", "where.ScalarSelf", "where.Scalar", native=True)
def _where(call: Call) -> str:
    condition = call.tensor("condition", torch.bool)
    a, b = (_choice(call, name) for name in ("self", "other"))
    return _chosen(call, condition, a, b)


@emits("masked_fill.Scalar", "masked_fill.Tensor", native=True)
def _masked_fill(call: Call) -> str:
    mask = call.tensor("mask", torch.bool)
    return _chosen(call, mask, _choice(call, "value"), _choice(call, "self"))


def _choice(call: Call, name: str) -> str:
    # Paddle has no 16-bit kernel for `where` on the CPU; `where` in float32 is exact.
    wide = torch.float32 if call.dtype in (torch.float16, torch.bfloat16) else call.dtype
    if call.is_tensor(name):
        return call.cast(call.tensor(name, call.dtype), call.dtype, wide)
    return f"paddle.full([], {call.text(name)}, {call.dtype_text(wide)})"


def _chosen(call: Call, condition: str, a: str, b: str) -> str:
    wide = torch.float32 if call.dtype in (torch.float16, torch.bfloat16) else call.dtype
    return call.cast(f"paddle.where({condition}, {a}, {b})", wide, call.dtype)
