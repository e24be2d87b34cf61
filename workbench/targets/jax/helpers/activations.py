"""Small layers that flax lacks or computes otherwise."""

import jax.numpy as jnp
from flax import nnx


class TorchPReLU(nnx.Module):
    """A rectifier with a trained slope, one or one for each channel."""

    def __init__(self, num_parameters=1, init=0.25):
        self.weight = nnx.Param(jnp.full(num_parameters, init))

    def __call__(self, x):
        weight = self.weight[...]
        if weight.size > 1 and x.ndim > 1:
            weight = weight.reshape(-1, *[1] * (x.ndim - 2))
        return jnp.where(x > 0, x, weight * x)


def torch_softplus(x, beta=1.0, threshold=20.0):
    """log(1 + exp(beta * x)) / beta, which is x itself above the threshold."""
    return jnp.where(x * beta > threshold, x, jnp.logaddexp(x * beta, 0.0) / beta)
