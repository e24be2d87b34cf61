"""Draws from Paddle's own random stream, which differs from torch's."""

from __future__ import annotations

from workbench.lower.writing.call import Call
from workbench.targets.paddle.emitters.registry import emits, writes

_STREAM = "draws from Paddle's random stream, not torch's"

writes(
    {
        "bernoulli": "paddle.bernoulli({self})",
        "bernoulli.p": "paddle.bernoulli(paddle.full({new_shape}, {p}, {dtype}))",
        "rand rand_like": "paddle.rand({new_shape}, dtype={dtype})",
        "randn randn_like": "paddle.randn({new_shape}, dtype={dtype})",
        "randperm": "paddle.randperm({n}, dtype={dtype})",
        "multinomial": ("paddle.multinomial({self}, {num_samples}, replacement={replacement!s})"),
    },
    caveat=_STREAM,
)


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


@emits("randint", "randint.low")
def _randint(call: Call) -> str:
    call.caveat(_STREAM)
    low = call.text("low") if call.has("low") else "0"
    place = f"{low}, {call.text('high')}, {call.shape_text()}"
    return f"paddle.randint({place}, dtype={call.dtype_text()})"
