"""Convolutions and their transposes, in torch's layouts."""

from __future__ import annotations

from typing import Any

from workbench.lower.writing.call import Call
from workbench.lower.writing.emitters import Write
from workbench.targets.jax.emitters.registry import emits


def numbers(value: Any, rank: int) -> list[int]:
    """Return one number for each dimension."""
    given = [value] if isinstance(value, int) else list(value)
    return given * rank if len(given) == 1 else given


def batched(call: Call, rank: int, x: str, write: Any) -> str:
    """Return the call on a batch of one if the input has no batch dimension."""
    name = "input" if "input" in call.arguments else "self"
    if call.rank(name) == rank + 2:
        return str(write(x))
    return f"{write(f'{x}[None]')}[0]"


def _options(call: Call, rank: int, pairs: list[tuple[int, int]]) -> str:
    parts = []
    stride, dilation = (numbers(call[n], rank) for n in ("stride", "dilation"))
    if set(stride) != {1}:
        parts.append(f"stride={stride}")
    if any(a or b for a, b in pairs):
        parts.append(f"padding={pairs}")
    if set(dilation) != {1}:
        parts.append(f"dilation={dilation}")
    if call["groups"] != 1:
        parts.append(f"groups={call.text('groups')}")
    return "".join(f", {part}" for part in parts)


def _padding(call: Call, rank: int) -> list[tuple[int, int]]:
    padding = call["padding"]
    if padding == "valid":
        return [(0, 0)] * rank
    if padding != "same":
        return [(p, p) for p in numbers(padding, rank)]
    # torch adds an odd padding at the end.
    kernel = call.meta("weight").shape[2:]
    dilation = numbers(call["dilation"], rank)
    totals = [d * (int(k) - 1) for k, d in zip(kernel, dilation, strict=True)]
    return [(t // 2, t - t // 2) for t in totals]


def _convolution(rank: int) -> Write:
    def write(call: Call) -> str:
        weight = call.tensor("weight")
        bias = f", {call.tensor('bias')}" if call.has("bias") else ""
        rest = f"{weight}{bias}{_options(call, rank, _padding(call, rank))}"
        conv = call.helper("_conv")
        return batched(call, rank, call.tensor("input"), lambda x: f"{conv}({x}, {rest})")

    return write


def _transposed(rank: int) -> Write:
    def write(call: Call) -> str:
        weight = call.tensor("weight")
        bias = f", {call.tensor('bias')}" if call.has("bias") else ""
        # The forward convolution's padding is removed, and the output padding is added at the end.
        sizes = [int(size) for size in call.meta("weight").shape[2:]]
        given = (numbers(call[n], rank) for n in ("dilation", "padding", "output_padding"))
        pairs = [
            (d * (k - 1) - p, d * (k - 1) - p + extra)
            for k, d, p, extra in zip(sizes, *given, strict=True)
        ]
        rest = f"{weight}{bias}{_options(call, rank, pairs)}"
        conv = call.helper("_conv_transpose")
        return batched(call, rank, call.tensor("input"), lambda x: f"{conv}({x}, {rest})")

    return write


for _rank in (1, 2, 3):
    emits(f"conv{_rank}d", f"conv{_rank}d.padding")(_convolution(_rank))
    emits(f"conv_transpose{_rank}d" + (".input" if _rank > 1 else ""))(_transposed(_rank))


@emits("convolution")
def _general(call: Call) -> str:
    rank = call.rank("weight") - 2
    return (_transposed if call["transposed"] else _convolution)(rank)(call)
