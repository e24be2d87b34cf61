"""Sums, means, extremes and cumulative results."""

from __future__ import annotations

from typing import Any

import torch

from workbench.lower.writing.call import Call, atom
from workbench.lower.writing.emitters import Write
from workbench.targets.jax.emitters.registry import emits, writes

writes({"histc": "{_histogram}({self}, {bins}, {min}, {max})"})


def _axes(call: Call) -> str:
    """Return `axis` and `keepdims` as keywords; torch's empty list of dimensions means all."""
    dims: Any = call["dim"]
    if isinstance(dims, (list, tuple)):
        dims = tuple(dims) if len(dims) > 1 else (dims[0] if dims else None)
    if call.rank("self") == 0:
        dims = None
    parts = [] if dims is None else [f"axis={dims}"]
    if call["keepdim"]:
        parts.append("keepdims=True")
    return "".join(f", {part}" for part in parts)


def _plain(name: str) -> Write:
    def write(call: Call) -> str:
        return f"jnp.{name}({call.tensor('self', call.dtype)}{_axes(call)})"

    return write


def _totalling(name: str) -> Write:
    """Return an emitter of a reduction for which jnp widens integers differently from torch."""

    def write(call: Call) -> str:
        x = call.tensor("self", call.dtype)
        whole = not call.dtype.is_floating_point and not call.dtype.is_complex
        dtype = f", dtype={call.dtype_text()}" if whole else ""
        return f"jnp.{name}({x}{_axes(call)}{dtype})"

    return write


emits("sum", "sum.dim_IntList")(_totalling("sum"))
emits("nansum")(_totalling("nansum"))
emits("mean", "mean.dim")(_plain("mean"))
emits("nanmean")(_plain("nanmean"))
emits("prod", "prod.dim_int")(_totalling("prod"))
emits("amax", "max")(_plain("max"))
emits("amin", "min")(_plain("min"))


@emits("aminmax")
def _aminmax(call: Call) -> str:
    x, axes = call.tensor("self"), _axes(call)
    return f"(jnp.min({x}{axes}), jnp.max({x}{axes}))"


def _with_places(sign: str) -> Write:
    def write(call: Call) -> str:
        axis = call.axis("dim") if call.rank("self") else 0
        return f"{call.helper(f'_{sign}')}({call.tensor('self')}, {axis}, {call['keepdim']})"

    return write


emits("max.dim")(_with_places("max"))
emits("min.dim")(_with_places("min"))


def _place(name: str) -> Write:
    def write(call: Call) -> str:
        axis = f", axis={call['dim']}" if call.has("dim") and call.rank("self") else ""
        keep = ", keepdims=True" if call["keepdim"] else ""
        return f"jnp.{name}({call.tensor('self')}{axis}{keep})"

    return write


emits("argmax")(_place("argmax"))
emits("argmin")(_place("argmin"))


@emits("any", "any.dim", "any.dims", "_is_any_true", native=True)
def _any(call: Call) -> str:
    return call.cast(f"jnp.any({call.tensor('self')}{_axes(call)})", torch.bool, call.dtype)


@emits("all", "all.dim", "all.dims", "_is_all_true", native=True)
def _all(call: Call) -> str:
    return call.cast(f"jnp.all({call.tensor('self')}{_axes(call)})", torch.bool, call.dtype)


def _variance(call: Call) -> str:
    correction = 1 if call["correction"] is None else call["correction"]
    ddof = "" if correction == 0 else f", correction={correction}"
    return f"jnp.var({call.tensor('self')}{_axes(call)}{ddof})"


def _deviation(call: Call) -> str:
    return f"{call.helper('_root')}({_variance(call)})"


@emits("var.correction")
def _var(call: Call) -> str:
    return _variance(call)


@emits("std.correction")
def _std(call: Call) -> str:
    return _deviation(call)


@emits("var_mean.correction")
def _var_mean(call: Call) -> str:
    return f"({_variance(call)}, jnp.mean({call.tensor('self')}{_axes(call)}))"


@emits("std_mean.correction")
def _std_mean(call: Call) -> str:
    return f"({_deviation(call)}, jnp.mean({call.tensor('self')}{_axes(call)}))"


@emits("logsumexp")
def _logsumexp(call: Call) -> str:
    return f"jax.nn.logsumexp({call.tensor('self', call.dtype)}{_axes(call)})"


def _running(name: str) -> Write:
    def write(call: Call) -> str:
        x = call.tensor("self", call.dtype)
        if call.rank("self") == 0:
            return x
        return f"jnp.{name}({x}, axis={call.text('dim')}, dtype={call.dtype_text()})"

    return write


emits("cumsum")(_running("cumsum"))
emits("cumprod")(_running("cumprod"))


@emits("logcumsumexp")
def _logcumsumexp(call: Call) -> str:
    x = call.tensor("self")
    return f"lax.cumlogsumexp({x}, axis={call.axis('dim')})" if call.rank("self") else x


def _extremes(sign: str) -> Write:
    def write(call: Call) -> str:
        if call.rank("self") == 0:
            return f'({call.tensor("self")}, jnp.zeros([], "int64"))'
        if call.dtype is torch.bool:
            call.refuse("the cumulative maximum or minimum of booleans")
        return f"{call.helper(f'_{sign}')}({call.tensor('self')}, {call.axis('dim')})"

    return write


emits("cummax")(_extremes("cummax"))
emits("cummin")(_extremes("cummin"))


@emits("count_nonzero", "count_nonzero.dim_IntList")
def _count_nonzero(call: Call) -> str:
    return f"jnp.count_nonzero({call.tensor('self')}{_axes(call)})"


@emits("diff")
def _diff(call: Call) -> str:
    ends = "".join(
        f", {name}={call.tensor(name, call.dtype)}"
        for name in ("prepend", "append")
        if call.has(name)
    )
    return f"jnp.diff({call.tensor('self')}, n={call['n']}, axis={call['dim']}{ends})"


@emits("renorm")
def _renorm(call: Call) -> str:
    limits = f"{call.text('p')}, {call.axis('dim')}, {call.text('maxnorm')}"
    return f"{call.helper('_renorm')}({atom(call.tensor('self'))}, {limits})"
