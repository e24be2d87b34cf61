"""Elementwise functions of one tensor."""

from __future__ import annotations

import torch

from workbench.lower.writing.call import Call, atom
from workbench.targets.paddle.emitters.registry import emits, writes

writes(
    {
        "exp2": "paddle.pow(paddle.full([], 2.0, {dtype}), {self:out})",
        "square": "paddle.square({self})",
        "frac": "{self!a} - paddle.trunc({self})",
        "isnan": "paddle.isnan({self})",
        "isinf": "paddle.isinf({self})",
        "isfinite": "paddle.isfinite({self})",
        "logical_not": "paddle.logical_not({self})",
        "bitwise_not": "paddle.bitwise_not({self})",
    }
)

# torch's names with Paddle's. Integers become floats if torch's result is one.
_FLOATING = {
    **{n: n for n in ("exp", "expm1", "log", "log2", "log10", "log1p", "sqrt", "rsqrt")},
    **{n: n for n in ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh")},
    **{n: n for n in ("asinh", "acosh", "atanh", "erf", "erfinv", "reciprocal", "digamma")},
    **{n: n for n in ("lgamma", "deg2rad", "rad2deg", "i0", "i0e", "i1", "i1e")},
    "special_i0e": "i0e",
    "special_i1": "i1",
    "special_i1e": "i1e",
}
# Rounding leaves integers unchanged; Paddle has no kernels for them.
_ROUNDING = ("floor", "ceil", "round", "trunc")


writes({name: f"paddle.{function}({{self:out}})" for name, function in _FLOATING.items()})


def _rounding(name: str) -> object:
    def write(call: Call) -> str:
        x = call.tensor("self")
        return f"paddle.{name}({x})" if call.dtype.is_floating_point else x

    return write


for _name in _ROUNDING:
    emits(_name)(_rounding(_name))  # type: ignore[arg-type]


@emits("abs")
def _abs(call: Call) -> str:
    if call.dtype is torch.bool:
        return call.tensor("self")
    return f"paddle.abs({call.tensor('self')})"


@emits("sign", "sgn")
def _sign(call: Call) -> str:
    x = call.tensor("self")
    if call.dtype is torch.bool:
        return x
    if call.dtype.is_complex:
        return f"paddle.sgn({x})"
    return f"paddle.sign({x})"


@emits("nan_to_num")
def _nan_to_num(call: Call) -> str:
    x = call.tensor("self")
    if not call.dtype.is_floating_point:
        return x
    limits = torch.finfo(call.dtype)
    nan = call["nan"] if call.has("nan") else 0.0
    high = call["posinf"] if call.has("posinf") else limits.max
    low = call["neginf"] if call.has("neginf") else limits.min
    return f"paddle.nan_to_num({x}, nan={nan}, posinf={high}, neginf={low})"


@emits("clamp", "clamp.Tensor", "clamp_min", "clamp_max", "clamp_min.Tensor", "clamp_max.Tensor")
def _clamp(call: Call) -> str:
    x = call.tensor("self", call.dtype)
    low, high = call.has("min"), call.has("max")
    if call.is_tensor("min") or call.is_tensor("max"):
        if low:
            x = f"paddle.maximum({x}, {_bound(call, 'min')})"
        return f"paddle.minimum({x}, {_bound(call, 'max')})" if high else x
    # Paddle's default bounds are the largest finite numbers, which would clip infinities.
    if call.dtype.is_floating_point:
        lower = call.text("min") if low else 'float("-inf")'
        upper = call.text("max") if high else 'float("inf")'
    else:
        lower = call.text("min") if low else str(torch.iinfo(call.dtype).min)
        upper = call.text("max") if high else str(torch.iinfo(call.dtype).max)
    return f"paddle.clip({x}, {lower}, {upper})"


def _bound(call: Call, name: str) -> str:
    if call.is_tensor(name):
        return call.tensor(name, call.dtype)
    return f"paddle.full([], {call.text(name)}, {call.dtype_text()})"


@emits("_to_copy", "to.dtype", "type_as", native=True)
def _to_copy(call: Call) -> str:
    x = call.tensor("self", call.dtype)
    same = call.meta("self").dtype == call.dtype
    return f"{atom(x)}.clone()" if same and call.is_held("self") else x


@emits("logit")
def _logit(call: Call) -> str:
    x = call.tensor("self", call.dtype)
    if call.has("eps"):
        x = f"paddle.clip({x}, {call.text('eps')}, 1 - {call.text('eps')})"
    return f"paddle.log({x} / (1 - {x}))"
