"""Sums, means, extremes and cumulative results."""

from __future__ import annotations

from typing import Any

import torch

from workbench.lower.writing.call import Call
from workbench.lower.writing.emitters import Write
from workbench.targets.paddle.emitters.registry import emits, writes

writes(
    {
        "logcumsumexp": "paddle.logcumsumexp({self}, axis={dim})",
        "histc": "{_histogram}({self}, {bins}, {min}, {max})",
    }
)


def _axes(call: Call) -> str:
    """Return `axis` and `keepdim` as keywords; torch's empty list of dimensions means all."""
    dims: Any = call["dim"]
    if isinstance(dims, (list, tuple)) and not dims:
        dims = None
    if call.rank("self") == 0:
        dims = None
    parts = [] if dims is None else [f"axis={call.write(dims)}"]
    if call["keepdim"]:
        parts.append("keepdim=True")
    return "".join(f", {part}" for part in parts)


@emits("sum", "sum.dim_IntList")
def _sum(call: Call) -> str:
    return f"paddle.sum({call.tensor('self', call.dtype)}{_axes(call)})"


@emits("nansum")
def _nansum(call: Call) -> str:
    return f"paddle.nansum({call.tensor('self', call.dtype)}{_axes(call)})"


@emits("mean", "mean.dim")
def _mean(call: Call) -> str:
    return f"paddle.mean({call.tensor('self', call.dtype)}{_axes(call)})"


@emits("prod", "prod.dim_int")
def _prod(call: Call) -> str:
    return f"paddle.prod({call.tensor('self', call.dtype)}{_axes(call)})"


def _extreme(name: str) -> Write:
    def write(call: Call) -> str:
        x = call.tensor("self")
        if call.dtype is torch.bool:
            either = "any" if name == "amax" else "all"
            return f"paddle.{either}({x}{_axes(call)})"
        return f"paddle.{name}({x}{_axes(call)})"

    return write


emits("amax", "max")(_extreme("amax"))
emits("amin", "min")(_extreme("amin"))


def _with_places(sign: str) -> Write:
    def write(call: Call) -> str:
        helper = call.helper(f"_{sign}_with_indices")
        axis = call.axis("dim") if call.rank("self") else 0
        return f"{helper}({call.tensor('self')}, {axis}, {call['keepdim']})"

    return write


emits("max.dim")(_with_places("max"))
emits("min.dim")(_with_places("min"))


def _place(sign: str) -> Write:
    def write(call: Call) -> str:
        x = call.tensor("self")
        if call.has("dim"):
            helper = call.helper(f"_{sign}_with_indices")
            axis = call.axis("dim") if call.rank("self") else 0
            return f"{helper}({x}, {axis}, {call['keepdim']})[1]"
        helper = call.helper(f"_{sign}_with_indices")
        flat = f"{helper}(paddle.flatten({x}), 0, False)[1]"
        shape = [1] * call.rank("self")
        return f"paddle.reshape({flat}, {shape})" if call["keepdim"] else flat

    return write


emits("argmax")(_place("max"))
emits("argmin")(_place("min"))


@emits("any", "any.dim", "any.dims", "_is_any_true", native=True)
def _any(call: Call) -> str:
    return f"paddle.any({call.tensor('self', torch.bool)}{_axes(call)})"


@emits("all", "all.dim", "all.dims", "_is_all_true", native=True)
def _all(call: Call) -> str:
    return f"paddle.all({call.tensor('self', torch.bool)}{_axes(call)})"


def _correction(call: Call) -> float:
    correction = call["correction"]
    return 1 if correction is None else correction


def _variance(call: Call) -> str:
    correction = _correction(call)
    x = call.tensor("self")
    if correction in (0, 1):
        return f"paddle.var({x}{_axes(call)}, unbiased={correction == 1})"
    axes = _axes(call)
    return f"{call.helper('_variance')}({x}, {correction}{axes})"


@emits("var.correction")
def _var(call: Call) -> str:
    return _variance(call)


@emits("std.correction")
def _std(call: Call) -> str:
    return f"paddle.sqrt({_variance(call)})"


@emits("var_mean.correction")
def _var_mean(call: Call) -> str:
    return f"({_variance(call)}, paddle.mean({call.tensor('self')}{_axes(call)}))"


@emits("std_mean.correction")
def _std_mean(call: Call) -> str:
    mean = f"paddle.mean({call.tensor('self')}{_axes(call)})"
    return f"(paddle.sqrt({_variance(call)}), {mean})"


@emits("logsumexp")
def _logsumexp(call: Call) -> str:
    # Paddle's own supports at most four dimensions.
    function = "paddle.logsumexp" if call.rank("self") <= 4 else call.helper("_logsumexp")
    return f"{function}({call.tensor('self', call.dtype)}{_axes(call)})"


@emits("cumsum")
def _cumsum(call: Call) -> str:
    x = call.tensor("self", call.dtype)
    if call.rank("self") == 0:
        return x
    return f"paddle.cumsum({x}, axis={call.text('dim')})"


@emits("cumprod")
def _cumprod(call: Call) -> str:
    x = call.tensor("self", call.dtype)
    if call.rank("self") == 0:
        return x
    return f"paddle.cumprod({x}, dim={call.text('dim')})"


@emits("count_nonzero", "count_nonzero.dim_IntList")
def _count_nonzero(call: Call) -> str:
    return f"paddle.count_nonzero({call.tensor('self')}{_axes(call)})"


@emits("diff")
def _diff(call: Call) -> str:
    ends = "".join(
        f", {name}={call.tensor(name, call.dtype)}"
        for name in ("prepend", "append")
        if call.has(name)
    )
    x = call.tensor("self")
    if call.dtype is torch.bool:
        call.refuse("differences of booleans")
    if call["n"] == 0:
        return x
    return f"paddle.diff({x}, n={call['n']}, axis={call['dim']}{ends})"
