"""Draws from Paddle's own random stream, which differs from torch's."""

from __future__ import annotations

from workbench.lower.writing.call import Call
from workbench.targets.paddle.emitters.operators.arrays.creation import _shape
from workbench.targets.paddle.emitters.registry import emits

_STREAM = "draws from Paddle's random stream, not torch's"


@emits("native_dropout")
def _native_dropout(call: Call) -> str:
    x = call.tensor("input")
    if call["train"] is False:
        return f"({x}, paddle.ones({x}.shape, 'bool'))"
    call.caveat(_STREAM)
    return f"{call.helper('_dropout')}({x}, {call.text('p')})"


@emits("dropout")
def _dropout(call: Call) -> str:
    x = call.tensor("input")
    if not call["train"] or call["p"] == 0:
        return x
    call.caveat(_STREAM)
    return f"F.dropout({x}, {call.text('p')}, training=True)"


@emits("bernoulli")
def _bernoulli(call: Call) -> str:
    call.caveat(_STREAM)
    return f"paddle.bernoulli({call.tensor('self')})"


@emits("bernoulli.p")
def _bernoulli_p(call: Call) -> str:
    call.caveat(_STREAM)
    odds = f"paddle.full({_shape(call)}, {call.text('p')}, {call.dtype_text()})"
    return f"paddle.bernoulli({odds})"


@emits("rand", "rand_like")
def _rand(call: Call) -> str:
    call.caveat(_STREAM)
    return f"paddle.rand({_shape(call)}, dtype={call.dtype_text()})"


@emits("randn", "randn_like")
def _randn(call: Call) -> str:
    call.caveat(_STREAM)
    return f"paddle.randn({_shape(call)}, dtype={call.dtype_text()})"


@emits("randint", "randint.low")
def _randint(call: Call) -> str:
    call.caveat(_STREAM)
    low = call.text("low") if call.has("low") else "0"
    place = f"{low}, {call.text('high')}, {_shape(call)}"
    return f"paddle.randint({place}, dtype={call.dtype_text()})"


@emits("randperm")
def _randperm(call: Call) -> str:
    call.caveat(_STREAM)
    return f"paddle.randperm({call.text('n')}, dtype={call.dtype_text()})"


@emits("multinomial")
def _multinomial(call: Call) -> str:
    call.caveat(_STREAM)
    rest = f"{call.text('num_samples')}, replacement={call['replacement']}"
    return f"paddle.multinomial({call.tensor('self')}, {rest})"
