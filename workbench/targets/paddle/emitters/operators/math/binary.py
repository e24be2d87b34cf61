"""Arithmetic of two operands. Paddle does not mix dtypes, so every operand is cast."""

from __future__ import annotations

import torch

from workbench.lower.writing.call import Call, atom
from workbench.lower.writing.shared import div, pair
from workbench.targets.paddle.emitters.registry import emits, writes

writes({"heaviside": "paddle.heaviside({self:out}, {values:out})"})


def _scaled(call: Call, name: str = "other") -> str:
    """Return the other operand times `alpha`."""
    operand = atom(call.operand(name, call.dtype))
    alpha = call["alpha"]
    return operand if alpha in (None, 1) else f"{operand} * {call.text('alpha')}"


@emits("add.Tensor", "add.Scalar")
def _add(call: Call) -> str:
    if call.dtype is torch.bool:
        a, b = pair(call)
        if not call.is_tensor("other"):
            b = f"paddle.full([], {bool(call['other'])}, 'bool')"
        return f"paddle.logical_or({a}, {b})"
    return f"{atom(call.operand('self', call.dtype))} + {_scaled(call)}"


@emits("sub.Tensor", "sub.Scalar")
def _sub(call: Call) -> str:
    return f"{atom(call.operand('self', call.dtype))} - {_scaled(call)}"


@emits("rsub.Tensor", "rsub.Scalar")
def _rsub(call: Call) -> str:
    a, b = pair(call)
    a = a if call["alpha"] in (None, 1) else f"{a} * {call.text('alpha')}"
    return f"{b} - {a}"


@emits("mul.Tensor", "mul.Scalar")
def _mul(call: Call) -> str:
    a, b = pair(call)
    if call.dtype is torch.bool:
        if not call.is_tensor("other"):
            b = f"paddle.full([], {bool(call['other'])}, 'bool')"
        return f"paddle.logical_and({a}, {b})"
    return f"{a} * {b}"


@emits("div.Tensor_mode", "div.Scalar_mode")
def _div_mode(call: Call) -> str:
    mode = call["rounding_mode"]
    if mode is None:
        return div(call)
    if mode == "floor":
        return _floor_divide(call)
    a, b = pair(call)
    if call.dtype.is_floating_point:
        return f"paddle.trunc({a} / {b})"
    return f"{call.helper('_truncating_divide')}({a}, {b})"


@emits("floor_divide", "floor_divide.Scalar")
def _floor_divide(call: Call) -> str:
    a, b = pair(call)
    if call.dtype.is_floating_point:
        return f"{call.helper('_floor_divide')}({a}, {b})"
    return f"{call.helper('_integer_floor_divide')}({a}, {b})"


@emits("remainder.Tensor", "remainder.Scalar", "remainder.Scalar_Tensor")
def _remainder(call: Call) -> str:
    a, b = pair(call)
    if call.dtype.is_floating_point:
        return f"paddle.remainder({_full(call, 'self', a)}, {_full(call, 'other', b)})"
    return f"{call.helper('_integer_remainder')}({_full(call, 'self', a)}, {b})"


@emits("fmod.Tensor", "fmod.Scalar")
def _fmod(call: Call) -> str:
    a, b = pair(call)
    if call.dtype.is_floating_point:
        return f"{call.helper('_fmod')}({a}, {_full(call, 'other', b)})"
    return f"{a} - {b} * {call.helper('_truncating_divide')}({a}, {b})"


def _full(call: Call, name: str, text: str) -> str:
    """Return a number as a tensor, for functions that accept only tensors."""
    return text if call.is_tensor(name) else f"paddle.full([], {text}, {call.dtype_text()})"


@emits("pow.Tensor_Scalar", "pow.Tensor_Tensor", "pow.Scalar")
def _pow(call: Call) -> str:
    base, power = (
        atom(call.operand("self", call.dtype)),
        atom(call.operand("exponent", call.dtype)),
    )
    if not call.dtype.is_floating_point and call.is_tensor("exponent"):
        return f"{call.helper('_integer_power')}({_full(call, 'self', base)}, {power})"
    if not call.is_tensor("self"):
        base = f"paddle.full([], {base}, {call.dtype_text()})"
    elif call["exponent"] == 2:
        return f"paddle.square({base})"
    elif call["exponent"] == 0.5:
        return f"paddle.sqrt({base})"
    return f"paddle.pow({base}, {power})"


def _named(paddle_name: str) -> object:
    def write(call: Call) -> str:
        a, b = pair(call)
        return f"paddle.{paddle_name}({_full(call, 'self', a)}, {_full(call, 'other', b)})"

    return write


_NAMED = {
    "maximum": "maximum",
    "minimum": "minimum",
    "fmax": "fmax",
    "fmin": "fmin",
    "atan2": "atan2",
    "hypot": "hypot",
    "copysign.Tensor": "copysign",
    "nextafter": "nextafter",
}
for _torch_name, _paddle_name in _NAMED.items():
    emits(_torch_name)(_named(_paddle_name))  # type: ignore[arg-type]


@emits("logaddexp")
def _logaddexp(call: Call) -> str:
    a, b = pair(call)
    return f"{call.helper('_logaddexp')}({a}, {b})"


_BITS = {
    "bitwise_and": "bitwise_and",
    "bitwise_or": "bitwise_or",
    "bitwise_xor": "bitwise_xor",
    "__and__": "bitwise_and",
    "__or__": "bitwise_or",
    "__xor__": "bitwise_xor",
    "bitwise_left_shift": "bitwise_left_shift",
    "bitwise_right_shift": "bitwise_right_shift",
    "__lshift__": "bitwise_left_shift",
    "__rshift__": "bitwise_right_shift",
}
for _torch_name, _paddle_name in _BITS.items():
    for _overload in ("Tensor", "Scalar"):
        if _overload == "Scalar" and "shift" in _torch_name and "bitwise" in _torch_name:
            _overload = "Tensor_Scalar"
        emits(f"{_torch_name}.{_overload}")(_named(_paddle_name))  # type: ignore[arg-type]
