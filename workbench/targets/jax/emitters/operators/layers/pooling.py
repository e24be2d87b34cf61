"""Pooling, whose window count in ceil mode follows torch's rule."""

from __future__ import annotations

from workbench.lower.writing.call import Call
from workbench.lower.writing.emitters import Write
from workbench.targets.jax.emitters.operators.layers.convolution import batched, numbers
from workbench.targets.jax.emitters.registry import emits


def _windows(call: Call, rank: int) -> str:
    """Return the source text of the arguments of a pooling call: size, stride and padding."""
    kernel = numbers(call["kernel_size"], rank)
    stride = numbers(call["stride"], rank) if call["stride"] else kernel
    padding = numbers(call["padding"], rank)
    text = f"{kernel}, {stride}"
    if any(padding):
        text += f", padding={padding}"
    if "dilation" in call.arguments and set(numbers(call["dilation"], rank)) != {1}:
        text += f", dilation={numbers(call['dilation'], rank)}"
    return text + (", ceil=True" if call["ceil_mode"] else "")


def _max(rank: int) -> Write:
    def write(call: Call) -> str:
        rest = _windows(call, rank)
        if "dilation" in rest:
            pool, first = call.helper("_max_pool_with_places"), "[0]"
        else:
            pool, first = call.helper("_max_pool"), ""
        return batched(call, rank, call.tensor("self"), lambda x: f"{pool}({x}, {rest}){first}")

    return write


def _max_with_places(rank: int) -> Write:
    def write(call: Call) -> str:
        pool, rest = call.helper("_max_pool_with_places"), _windows(call, rank)
        x = call.tensor("self")
        if call.rank("self") == rank + 2:
            return f"{pool}({x}, {rest})"
        return f"jax.tree.map(lambda y: y[0], {pool}({x}[None], {rest}))"

    return write


def _average(rank: int) -> Write:
    def write(call: Call) -> str:
        if not call.dtype.is_floating_point:
            call.refuse("averages of integers")
        rest = _windows(call, rank)
        if call["count_include_pad"] is False:
            rest += ", count_padding=False"
        if call.has("divisor_override"):
            rest += f", divisor={call['divisor_override']}"
        pool = call.helper("_avg_pool")
        return batched(call, rank, call.tensor("self"), lambda x: f"{pool}({x}, {rest})")

    return write


def _adaptive(kind: str, rank: int) -> Write:
    def write(call: Call) -> str:
        sizes = numbers(call["output_size"], rank)
        helper = call.helper(f"_adaptive_{kind}_pool")
        return f"{helper}({call.tensor('self')}, {sizes})"

    return write


for _rank in (1, 2, 3):
    emits(f"max_pool{_rank}d")(_max(_rank))
    emits(f"max_pool{_rank}d_with_indices")(_max_with_places(_rank))
    emits(f"avg_pool{_rank}d")(_average(_rank))
    emits(f"adaptive_avg_pool{_rank}d")(_adaptive("avg", _rank))
    emits(f"adaptive_max_pool{_rank}d")(_adaptive("max", _rank))
emits("_adaptive_avg_pool2d")(_adaptive("avg", 2))
emits("_adaptive_avg_pool3d")(_adaptive("avg", 3))
