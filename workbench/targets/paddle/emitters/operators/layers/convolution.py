"""Convolutions and their transposes."""

from __future__ import annotations

from typing import Any

from workbench.lower.writing.call import Call
from workbench.lower.writing.emitters import Write
from workbench.targets.paddle.emitters.registry import emits


def _numbers(value: Any, rank: int) -> list[int]:
    numbers = [value] if isinstance(value, int) else list(value)
    return numbers * rank if len(numbers) == 1 else numbers


def _short(numbers: list[int]) -> str:
    """Return one number if all are equal, as a person would write it."""
    return str(numbers[0]) if len(set(numbers)) == 1 else str(numbers)


def _batched(call: Call, rank: int, make: Any) -> str:
    """Return the call on a batch of one if the input has no batch dimension."""
    x = call.tensor("input")
    if call.rank("input") == rank + 2:
        return str(make(x))
    return f"{make(f'{x}.unsqueeze(0)')}.squeeze(0)"


def _options(call: Call, rank: int, padding: str) -> str:
    parts = []
    stride, dilation = (_numbers(call[n], rank) for n in ("stride", "dilation"))
    if set(stride) != {1}:
        parts.append(f"stride={_short(stride)}")
    if padding != "0":
        parts.append(f"padding={padding}")
    if set(dilation) != {1}:
        parts.append(f"dilation={_short(dilation)}")
    if call["groups"] != 1:
        parts.append(f"groups={call['groups']}")
    return "".join(f", {part}" for part in parts)


def _padding(call: Call, rank: int) -> str:
    padding = call["padding"]
    if padding == "valid":
        return "0"
    if padding != "same":
        return _short(_numbers(padding, rank))
    # Paddle's own "SAME" ignores the dilation; torch adds an odd padding at the end.
    kernel = call.meta("weight").shape[2:]
    dilation = _numbers(call["dilation"], rank)
    totals = [d * (int(k) - 1) for k, d in zip(kernel, dilation, strict=True)]
    pairs = [(t // 2, t - t // 2) for t in totals]
    if all(a == b for a, b in pairs):
        return _short([a for a, _ in pairs])
    return str([n for pair in pairs for n in pair])


def _convolution(rank: int) -> Write:
    def write(call: Call) -> str:
        weight = call.tensor("weight")
        bias = f", {call.tensor('bias')}" if call.has("bias") else ""
        options = _options(call, rank, _padding(call, rank))
        return _batched(call, rank, lambda x: f"F.conv{rank}d({x}, {weight}{bias}{options})")

    return write


def _transposed(rank: int) -> Write:
    def write(call: Call) -> str:
        weight = call.tensor("weight")
        bias = f", {call.tensor('bias')}" if call.has("bias") else ""
        options = _options(call, rank, _short(_numbers(call["padding"], rank)))
        extra = _numbers(call["output_padding"], rank)
        if rank == 3 and any(extra):
            call.refuse("Paddle's transposed 3-D convolution rejects output padding")
        if any(extra):
            options += f", output_padding={_short(extra)}"
        name = f"F.conv{rank}d_transpose"
        return _batched(call, rank, lambda x: f"{name}({x}, {weight}{bias}{options})")

    return write


for _rank in (1, 2, 3):
    emits(f"conv{_rank}d", f"conv{_rank}d.padding")(_convolution(_rank))
    emits(f"conv_transpose{_rank}d" + (".input" if _rank > 1 else ""))(_transposed(_rank))


@emits("convolution")
def _general(call: Call) -> str:
    rank = call.rank("weight") - 2
    return (_transposed if call["transposed"] else _convolution)(rank)(call)
