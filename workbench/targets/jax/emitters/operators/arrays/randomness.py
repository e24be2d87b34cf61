"""Draws from JAX's own random stream, which differs from torch's."""

from __future__ import annotations

from workbench.lower.writing.call import Call
from workbench.targets.jax.emitters.registry import emits, writes

_STREAM = "draws from JAX's random stream, not torch's"
_KEY = "self.rngs()"

writes(
    {
        "bernoulli": f"jax.random.bernoulli({_KEY}, {{self}}).astype({{dtype}})",
        "bernoulli.p": f"jax.random.bernoulli({_KEY}, {{p}}, {{new_shape}}).astype({{dtype}})",
        "rand rand_like": f"jax.random.uniform({_KEY}, {{new_shape}}, {{dtype}})",
        "randn randn_like": f"jax.random.normal({_KEY}, {{new_shape}}, {{dtype}})",
        "normal_functional": (
            f"jax.random.normal({_KEY}, {{new_shape}}, {{dtype}}) * {{std}} + {{mean}}"
        ),
        "uniform": f"jax.random.uniform({_KEY}, {{new_shape}}, {{dtype}}, {{from}}, {{to}})",
        "randperm": f"jax.random.permutation({_KEY}, {{n}}).astype({{dtype}})",
        "multinomial": f"{{_multinomial}}({{self}}, {{num_samples}}, {{replacement!s}}, {_KEY})",
    },
    caveat=_STREAM,
)


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


@emits("exponential")
def _exponential(call: Call) -> str:
    call.caveat(_STREAM)
    drawn = f"jax.random.exponential({_KEY}, {call.shape_text()}, {call.dtype_text()})"
    return drawn if call["lambd"] == 1 else f"{drawn} / {call.text('lambd')}"


@emits("randint", "randint.low", "randint_like", "randint_like.low_dtype")
def _randint(call: Call) -> str:
    call.caveat(_STREAM)
    low = call.text("low") if call.has("low") else "0"
    place = f"{call.shape_text()}, {low}, {call.text('high')}"
    if call.dtype.is_floating_point:
        return f"jax.random.randint({_KEY}, {place}).astype({call.dtype_text()})"
    return f"jax.random.randint({_KEY}, {place}, {call.dtype_text()})"
