"""Elementwise functions of one array."""

from __future__ import annotations

import torch

from workbench.lower.writing.call import Call, atom
from workbench.lower.writing.emitters import Write
from workbench.targets.jax.emitters.registry import emits, writes

writes(
    {
        "round.decimals": "jnp.round({self}, {decimals})",
        "positive": "{self}",
        "square": "jnp.square({self:out})",
        "frac": "{self!a} - jnp.trunc({self})",
        "special_log_ndtr": "jax.scipy.special.log_ndtr({self:out})",
        "mvlgamma": "jax.scipy.special.multigammaln({self:out}, {p!s})",
    }
)

# torch's names with JAX's. Integers become floats if torch's result is one.
_FLOATING = {
    **{n: f"jnp.{n}" for n in ("exp", "expm1", "exp2", "log", "log2", "log10", "log1p", "sqrt")},
    **{n: f"jnp.{n}" for n in ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh")},
    **{n: f"jnp.{n}" for n in ("tanh", "asinh", "acosh", "atanh", "deg2rad", "rad2deg", "sinc")},
    **{n: f"jnp.{n}" for n in ("i0", "reciprocal")},
    "rsqrt": "lax.rsqrt",
    "erf": "lax.erf",
    "erfc": "lax.erfc",
    "erfinv": "lax.erf_inv",
    "special_i0e": "jax.scipy.special.i0e",
    "special_i1": "jax.scipy.special.i1",
    "special_i1e": "jax.scipy.special.i1e",
    "special_ndtri": "jax.scipy.special.ndtri",
    "special_entr": "jax.scipy.special.entr",
}


writes({name: f"{function}({{self:out}})" for name, function in _FLOATING.items()})


@emits("lgamma")
def _lgamma(call: Call) -> str:
    if call.meta("self").is_floating_point():
        return f"lax.lgamma({call.tensor('self')})"
    # XLA's single-precision result is inaccurate at 1 and 2, torch's is 0.
    return f"lax.lgamma({call.tensor('self', torch.float64)}).astype({call.dtype_text()})"


def _rounding(name: str) -> Write:
    def write(call: Call) -> str:
        x = call.tensor("self")
        return f"jnp.{name}({x})" if call.dtype.is_floating_point else x

    return write


for _name in ("floor", "ceil", "round", "trunc"):
    emits(_name)(_rounding(_name))


@emits("abs")
def _abs(call: Call) -> str:
    x = call.tensor("self")
    if call.meta("self").is_complex():
        return f"jnp.abs({x})"
    if call.dtype.is_floating_point:
        return f"{call.helper('_abs')}({x})"
    return x if call.dtype is torch.bool else f"jnp.abs({x})"


@emits("sign", "sgn")
def _sign(call: Call) -> str:
    x = call.tensor("self")
    if call.dtype is torch.bool:
        return x
    if call.dtype.is_complex:
        return f"jnp.sign({x})"
    if call.dtype.is_floating_point:
        return f"{call.helper('_sign')}({x})"
    return f"jnp.sign({x})"


_ASKING = ("isnan", "isinf", "isfinite", "isposinf", "isneginf", "signbit", "logical_not")
writes({name: f"jnp.{name}({{self}})" for name in (*_ASKING, "bitwise_not")})


@emits("nan_to_num")
def _nan_to_num(call: Call) -> str:
    x = call.tensor("self")
    if not call.dtype.is_floating_point:
        return x
    limits = torch.finfo(call.dtype)
    nan = call["nan"] if call.has("nan") else 0.0
    high = call["posinf"] if call.has("posinf") else limits.max
    low = call["neginf"] if call.has("neginf") else limits.min
    return f"jnp.nan_to_num({x}, nan={nan}, posinf={high}, neginf={low})"


@emits("clamp", "clamp.Tensor", "clamp_min", "clamp_max", "clamp_min.Tensor", "clamp_max.Tensor")
def _clamp(call: Call) -> str:
    bounds = [
        f"{name}={call.operand(full, call.dtype)}"
        for name, full in (("low", "min"), ("high", "max"))
        if call.has(full)
    ]
    x = call.tensor("self", call.dtype)
    return f"{call.helper('_clip')}({', '.join([x, *bounds])})" if bounds else x


@emits("_to_copy", "to.dtype", "type_as", native=True)
def _to_copy(call: Call) -> str:
    held = call.meta("self").dtype
    if held.is_complex and not call.dtype.is_complex:
        return call.cast(f"{atom(call.tensor('self'))}.real", held, call.dtype)
    if held.is_floating_point and not call.dtype.is_floating_point and not call.dtype.is_complex:
        call.caveat(
            "a float outside the range of the integer dtype becomes the nearest integer in JAX,"
            " an arbitrary one in torch"
        )
    return call.tensor("self", call.dtype)


@emits("logit")
def _logit(call: Call) -> str:
    x = call.tensor("self", call.dtype)
    if call.has("eps"):
        eps = call.text("eps")
        x = f"{call.helper('_clip')}({x}, low={eps}, high=1 - {eps})"
    return f"jax.scipy.special.logit({x})"
