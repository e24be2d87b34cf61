"""Random draws as torch makes them, with the keys of the program."""

from typing import Any

import jax.numpy as jnp
from flax import nnx
from jax import lax


def torch_normal(rngs: nnx.Rngs, mean: Any, std: Any) -> Any:
    """`torch.normal` of a mean and a deviation for each element."""
    shape = jnp.broadcast_shapes(jnp.shape(mean), jnp.shape(std))
    return mean + std * rngs.normal(shape)


def torch_bernoulli(rngs: nnx.Rngs, probabilities: Any) -> Any:
    """`torch.bernoulli`; the result has the dtype of the probabilities."""
    return rngs.bernoulli(probabilities).astype(probabilities.dtype)


def torch_multinomial(rngs: nnx.Rngs, weights: Any, count: int, replacement: bool = False) -> Any:
    """`torch.multinomial`: places along the last dimension, by their weights."""
    scores = jnp.log(weights)
    if replacement:
        drawn = rngs.categorical(scores, shape=(count, *scores.shape[:-1]))
        return jnp.moveaxis(drawn, 0, -1)
    return lax.top_k(scores + rngs.gumbel(scores.shape), count)[1]
