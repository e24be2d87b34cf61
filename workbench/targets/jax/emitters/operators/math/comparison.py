"""Comparisons, logic and choices."""

from __future__ import annotations

import torch

from workbench.lower.writing.call import Call, atom
from workbench.lower.writing.emitters import Write
from workbench.lower.writing.shared import common_dtype
from workbench.targets.jax.emitters.registry import emits


def _logical(sign: str) -> Write:
    def write(call: Call) -> str:
        a, b = (
            call.tensor(n) if call.meta(n).dtype is torch.bool else f"({call.tensor(n)} != 0)"
            for n in ("self", "other")
        )
        return f"{atom(a)} {sign} {atom(b)}"

    return write


for _torch_name, _sign in (("logical_and", "&"), ("logical_or", "|"), ("logical_xor", "^")):
    emits(_torch_name)(_logical(_sign))


@emits("isclose")
def _isclose(call: Call) -> str:
    dtype = common_dtype(call)
    a, b = call.tensor("self", dtype), call.tensor("other", dtype)
    rest = f"rtol={call.text('rtol')}, atol={call.text('atol')}, equal_nan={call['equal_nan']}"
    return f"jnp.isclose({a}, {b}, {rest})"


@emits("equal")
def _equal(call: Call) -> str:
    call.caveat("a tensor is converted to a Python number: it runs eagerly, and not under jax.jit")
    return f"bool(jnp.array_equal({call.tensor('self')}, {call.tensor('other')}))"


@emits("where.self", "where.ScalarOther", "where.ScalarSelf", "where.Scalar", native=True)
def _where(call: Call) -> str:
    condition = call.tensor("condition", torch.bool)
    a, b = (_choice(call, name) for name in ("self", "other"))
    if not call.is_tensor("self") and not call.is_tensor("other"):
        a = f"jnp.array({a}, {call.dtype_text()})"
    return f"jnp.where({condition}, {a}, {b})"


@emits("masked_fill.Scalar", "masked_fill.Tensor", native=True)
def _masked_fill(call: Call) -> str:
    mask = call.tensor("mask", torch.bool)
    return f"jnp.where({mask}, {_choice(call, 'value')}, {_choice(call, 'self')})"


def _choice(call: Call, name: str) -> str:
    """Return an operand in the dtype of the result; a number unchanged if that keeps the dtype."""
    if call.is_tensor(name):
        return call.tensor(name, call.dtype)
    value = call[name]
    if isinstance(value, (bool, int, float)):
        if call.dtype is torch.bool:
            return repr(bool(value))
        if not call.dtype.is_floating_point and not call.dtype.is_complex:
            return repr(int(value))
    return call.text(name)
