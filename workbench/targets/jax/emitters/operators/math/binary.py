"""Arithmetic of two operands, each cast to torch's dtype of the result."""

from __future__ import annotations

import torch

from workbench.lower.writing.call import Call, atom
from workbench.lower.writing.emitters import Write
from workbench.lower.writing.shared import div, pair
from workbench.targets.jax.emitters.registry import emits, writes

writes({"heaviside": "jnp.where({self:out} == 0, {values:out}, {self:out} > 0).astype({dtype})"})


def _full(call: Call, name: str, text: str) -> str:
    """Return a number as an array, for operators of two numbers."""
    return text if call.is_tensor(name) else f"jnp.array({text}, {call.dtype_text()})"


@emits("add.Tensor", "add.Scalar")
def _add(call: Call) -> str:
    a, b = pair(call)
    if call.dtype is torch.bool:
        return f"{a} | {b}"
    scale = "" if call["alpha"] in (None, 1) else f" * {call.text('alpha')}"
    return f"{a} + {b}{scale}"


@emits("sub.Tensor", "sub.Scalar")
def _sub(call: Call) -> str:
    a, b = pair(call)
    scale = "" if call["alpha"] in (None, 1) else f" * {call.text('alpha')}"
    return f"{a} - {b}{scale}"


@emits("rsub.Tensor", "rsub.Scalar")
def _rsub(call: Call) -> str:
    a, b = pair(call)
    scale = "" if call["alpha"] in (None, 1) else f" * {call.text('alpha')}"
    return f"{b} - {a}{scale}"


@emits("mul.Tensor", "mul.Scalar")
def _mul(call: Call) -> str:
    a, b = pair(call)
    return f"{a} & {b}" if call.dtype is torch.bool else f"{a} * {b}"


@emits("div.Tensor_mode", "div.Scalar_mode")
def _div_mode(call: Call) -> str:
    mode = call["rounding_mode"]
    if mode is None:
        return div(call)
    if mode == "floor":
        return _floor_divide(call)
    a, b = pair(call)
    if call.dtype.is_floating_point:
        return f"jnp.trunc({a} / {b})"
    call.caveat(
        "an integer divided by zero gives an arbitrary number in JAX; torch raises an error"
    )
    return f"lax.div(*jnp.broadcast_arrays({a}, {_full(call, 'other', b)}))"


@emits("floor_divide", "floor_divide.Scalar")
def _floor_divide(call: Call) -> str:
    a, b = pair(call)
    if call.dtype.is_floating_point:
        return f"{call.helper('_floor_divide')}({a}, {b})"
    call.caveat(
        "an integer divided by zero gives an arbitrary number in JAX; torch raises an error"
    )
    return f"{a} // {b}"


@emits("remainder.Tensor", "remainder.Scalar", "remainder.Scalar_Tensor")
def _remainder(call: Call) -> str:
    a, b = pair(call)
    if not call.dtype.is_floating_point:
        call.caveat(
            "an integer divided by zero gives an arbitrary number in JAX; torch raises an error"
        )
    return f"{_full(call, 'self', a)} % {b}"


@emits("fmod.Tensor", "fmod.Scalar")
def _fmod(call: Call) -> str:
    a, b = pair(call)
    if not call.dtype.is_floating_point:
        call.caveat(
            "an integer divided by zero gives an arbitrary number in JAX; torch raises an error"
        )
    return f"jnp.fmod({a}, {b})"


@emits("pow.Tensor_Scalar", "pow.Tensor_Tensor", "pow.Scalar")
def _pow(call: Call) -> str:
    base = atom(call.operand("self", call.dtype))
    power = atom(call.operand("exponent", call.dtype))
    if not call.is_tensor("exponent"):
        exponent = call["exponent"]
        if call.dtype.is_floating_point and exponent == 0.5:
            return f"jnp.sqrt({base})"
        if isinstance(exponent, float) and exponent.is_integer():
            power = str(int(exponent))
        return f"{base} ** {atom(power)}"
    if not call.dtype.is_floating_point and not call.dtype.is_complex:
        return f"{call.helper('_integer_power')}({_full(call, 'self', base)}, {power})"
    return f"{_full(call, 'self', base)} ** {power}"


@emits("float_power.Tensor_Scalar", "float_power.Tensor_Tensor", "float_power.Scalar")
def _float_power(call: Call) -> str:
    return _pow(call)


def _named(name: str) -> Write:
    def write(call: Call) -> str:
        a, b = pair(call)
        return f"{name}({_full(call, 'self', a)}, {_full(call, 'other', b)})"

    return write


_NAMED = {
    "maximum": "jnp.maximum",
    "minimum": "jnp.minimum",
    "fmax": "jnp.fmax",
    "fmin": "jnp.fmin",
    "atan2": "jnp.atan2",
    "hypot": "jnp.hypot",
    "copysign.Tensor": "jnp.copysign",
    "copysign.Scalar": "jnp.copysign",
    "nextafter": "jnp.nextafter",
    "logaddexp": "jnp.logaddexp",
    "logaddexp2": "jnp.logaddexp2",
    "gcd": "jnp.gcd",
    "lcm": "jnp.lcm",
    "igamma": "jax.scipy.special.gammainc",
    "igammac": "jax.scipy.special.gammaincc",
}
for _torch_name, _name in _NAMED.items():
    emits(_torch_name)(_named(_name))


@emits("ldexp.Tensor")
def _ldexp(call: Call) -> str:
    a, b = pair(call)
    return f"{a} * 2.0 ** {b}"


@emits("xlogy.Tensor", "xlogy.Scalar_Other", "xlogy.Scalar_Self")
def _xlogy(call: Call) -> str:
    a, b = pair(call)
    return f"{call.helper('_xlogy')}({a}, {b})"


_BITS = {
    "bitwise_and": "&",
    "bitwise_or": "|",
    "bitwise_xor": "^",
    "__and__": "&",
    "__or__": "|",
    "__xor__": "^",
    "bitwise_left_shift": "<<",
    "bitwise_right_shift": ">>",
    "__lshift__": "<<",
    "__rshift__": ">>",
}


def _bits(sign: str) -> Write:
    def write(call: Call) -> str:
        a, b = pair(call)
        return f"{_full(call, 'self', a)} {sign} {b}"

    return write


for _torch_name, _sign in _BITS.items():
    for _overload in ("Tensor", "Scalar"):
        if _overload == "Scalar" and "shift" in _torch_name and "bitwise" in _torch_name:
            _overload = "Tensor_Scalar"
        emits(f"{_torch_name}.{_overload}")(_bits(_sign))
