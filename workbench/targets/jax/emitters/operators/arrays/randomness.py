"""Draws from JAX's own random stream, which differs from torch's."""

from __future__ import annotations

from workbench.lower.writing.call import Call
from workbench.targets.jax.emitters.operators.arrays.creation import shape_of
from workbench.targets.jax.emitters.registry import emits

_STREAM = "draws from JAX's random stream, not torch's"
_KEY = "self.rngs()"


@emits("native_dropout")
def _native_dropout(call: Call) -> str:
    x = call.tensor("input")
    if call["train"] is False:
        return f'({x}, jnp.ones({x}.shape, "bool"))'
    call.caveat(_STREAM)
    return f"{call.helper('_native_dropout')}({x}, {call.text('p')}, {_KEY})"


@emits("dropout")
def _dropout(call: Call) -> str:
    x = call.tensor("input")
    if not call["train"] or call["p"] == 0:
        return x
    call.caveat(_STREAM)
    return f"{call.helper('_dropout')}({x}, {call.text('p')}, {_KEY})"


@emits("bernoulli")
def _bernoulli(call: Call) -> str:
    call.caveat(_STREAM)
    return f"jax.random.bernoulli({_KEY}, {call.tensor('self')}).astype({call.dtype_text()})"


@emits("bernoulli.p")
def _bernoulli_p(call: Call) -> str:
    call.caveat(_STREAM)
    drawn = f"jax.random.bernoulli({_KEY}, {call.text('p')}, {shape_of(call)})"
    return f"{drawn}.astype({call.dtype_text()})"


@emits("rand", "rand_like")
def _rand(call: Call) -> str:
    call.caveat(_STREAM)
    return f"jax.random.uniform({_KEY}, {shape_of(call)}, {call.dtype_text()})"


@emits("randn", "randn_like")
def _randn(call: Call) -> str:
    call.caveat(_STREAM)
    return f"jax.random.normal({_KEY}, {shape_of(call)}, {call.dtype_text()})"


@emits("normal_functional")
def _normal(call: Call) -> str:
    call.caveat(_STREAM)
    drawn = f"jax.random.normal({_KEY}, {shape_of(call)}, {call.dtype_text()})"
    return f"{drawn} * {call.text('std')} + {call.text('mean')}"


@emits("uniform")
def _uniform(call: Call) -> str:
    call.caveat(_STREAM)
    place = f"{shape_of(call)}, {call.dtype_text()}, {call.text('from')}, {call.text('to')}"
    return f"jax.random.uniform({_KEY}, {place})"


@emits("exponential")
def _exponential(call: Call) -> str:
    call.caveat(_STREAM)
    drawn = f"jax.random.exponential({_KEY}, {shape_of(call)}, {call.dtype_text()})"
    return drawn if call["lambd"] == 1 else f"{drawn} / {call.text('lambd')}"


@emits("randint", "randint.low", "randint_like", "randint_like.low_dtype")
def _randint(call: Call) -> str:
    call.caveat(_STREAM)
    low = call.text("low") if call.has("low") else "0"
    place = f"{shape_of(call)}, {low}, {call.text('high')}"
    if call.dtype.is_floating_point:
        return f"jax.random.randint({_KEY}, {place}).astype({call.dtype_text()})"
    return f"jax.random.randint({_KEY}, {place}, {call.dtype_text()})"


@emits("randperm")
def _randperm(call: Call) -> str:
    call.caveat(_STREAM)
    return f"jax.random.permutation({_KEY}, {call.text('n')}).astype({call.dtype_text()})"


@emits("multinomial")
def _multinomial(call: Call) -> str:
    call.caveat(_STREAM)
    rest = f"{call.text('num_samples')}, {call['replacement']}, {_KEY}"
    return f"{call.helper('_multinomial')}({call.tensor('self')}, {rest})"
