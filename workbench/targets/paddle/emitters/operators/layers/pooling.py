"""Pooling, whose window count in ceil mode follows torch's rule."""

from __future__ import annotations

from typing import Any

from workbench.lower.writing.call import Call
from workbench.lower.writing.emitters import Write
from workbench.targets.paddle.emitters.registry import emits


def _numbers(value: Any, rank: int) -> list[int]:
    numbers = [value] if isinstance(value, int) else list(value)
    return numbers * rank if len(numbers) == 1 else numbers


def _short(numbers: list[int]) -> str:
    return str(numbers[0]) if len(set(numbers)) == 1 else str(numbers)


def _windows(call: Call, rank: int) -> tuple[list[int], list[int], list[int]]:
    kernel = _numbers(call["kernel_size"], rank)
    stride = _numbers(call["stride"], rank) if call["stride"] else kernel
    return kernel, stride, _numbers(call["padding"], rank)


def _ceil_differs(call: Call, rank: int) -> bool:
    """Return whether Paddle would add a window that starts in the padding, which torch omits."""
    kernel, stride, padding = _windows(call, rank)
    sizes = call.meta("self").shape[-rank:]
    if not all(isinstance(size, int) for size in sizes):
        call.refuse("ceil_mode over a dimension that is dynamic")
    for size, k, s, p in zip(sizes, kernel, stride, padding, strict=True):
        windows = -(-(int(size) + 2 * p - k) // s) + 1
        if (windows - 1) * s >= int(size) + p:
            return True
    return False


def _batched(call: Call, rank: int, make: Any) -> str:
    x = call.tensor("self")
    if call.rank("self") == rank + 2:
        return str(make(x))
    return f"{make(f'{x}.unsqueeze(0)')}.squeeze(0)"


def _options(call: Call, rank: int) -> str:
    kernel, stride, padding = _windows(call, rank)
    text = _short(kernel)
    if stride != kernel:
        text += f", stride={_short(stride)}"
    if any(padding):
        text += f", padding={_short(padding)}"
    if call["ceil_mode"]:
        if _ceil_differs(call, rank):
            call.refuse("ceil_mode with a last window that starts in the padding")
        text += ", ceil_mode=True"
    return text


def _max(rank: int) -> Write:
    def write(call: Call) -> str:
        if set(_numbers(call["dilation"], rank)) != {1}:
            call.refuse("Paddle's pooling has no dilation")
        call.caveat("a maximum ignores NaN in Paddle; in torch it is NaN")
        options = _options(call, rank)
        return _batched(call, rank, lambda x: f"F.max_pool{rank}d({x}, {options})")

    return write


def _max_with_places(rank: int) -> Write:
    def write(call: Call) -> str:
        if set(_numbers(call["dilation"], rank)) != {1}:
            call.refuse("Paddle's pooling has no dilation")
        if call.rank("self") != rank + 2:
            call.refuse("indices of pooling without a batch dimension")
        call.caveat("a maximum ignores NaN in Paddle; in torch it is NaN")
        options = f"{_options(call, rank)}, return_mask=True"
        places = f"F.max_pool{rank}d({call.tensor('self')}, {options})"
        return f"{call.helper('_places_as_int64')}({places})"

    return write


def _average(rank: int) -> Write:
    def write(call: Call) -> str:
        options = _options(call, rank)
        _, _, padding = _windows(call, rank)
        if call["ceil_mode"] and call["count_include_pad"] and any(padding):
            call.refuse("ceil_mode averages that count padding")
        if call.has("divisor_override") and (call["ceil_mode"] or any(padding)):
            call.refuse("divisor_override with windows that extend into the padding")
        # Paddle excludes padding from the average by default.
        if any(padding) and call["count_include_pad"]:
            options += ", exclusive=False"
        if call.has("divisor_override"):
            options += f", divisor_override={call['divisor_override']}"
        return _batched(call, rank, lambda x: f"F.avg_pool{rank}d({x}, {options})")

    return write


def _adaptive(kind: str, rank: int) -> Write:
    def write(call: Call) -> str:
        size = call.text("output_size")
        if rank == 1:
            size = call.write(_numbers(call["output_size"], 1)[0])
        name = f"F.adaptive_{kind}_pool{rank}d"
        if kind == "max":
            if call.rank("self") != rank + 2:
                call.refuse("indices of pooling without a batch dimension")
            places = f"{name}({call.tensor('self')}, {size}, return_mask=True)"
            return f"{call.helper('_places_as_int64')}({places})"
        return _batched(call, rank, lambda x: f"{name}({x}, {size})")

    return write


for _rank in (1, 2, 3):
    emits(f"max_pool{_rank}d")(_max(_rank))
    emits(f"max_pool{_rank}d_with_indices")(_max_with_places(_rank))
    emits(f"avg_pool{_rank}d")(_average(_rank))
    emits(f"adaptive_avg_pool{_rank}d")(_adaptive("avg", _rank))
    emits(f"adaptive_max_pool{_rank}d")(_adaptive("max", _rank))
emits("_adaptive_avg_pool2d")(_adaptive("avg", 2))
