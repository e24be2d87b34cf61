"""Small layers that flax lacks or computes otherwise."""

import jax.numpy as jnp
from flax import nnx

from workbench.targets.jax.helpers.functional import torch_layer_norm


class TorchPReLU(nnx.Module):
    """A rectifier with a trained slope, one or one for each channel."""

    def __init__(self, num_parameters=1, init=0.25):
        self.weight = nnx.Param(jnp.full(num_parameters, init))

    def __call__(self, x):
        weight = self.weight[...]
        if weight.size > 1 and x.ndim > 1:
            weight = weight.reshape(-1, *[1] * (x.ndim - 2))
        return jnp.where(x > 0, x, weight * x)


class TorchLayerNorm(nnx.LayerNorm):
    """A norm over several dimensions, with the names of flax's norm over one."""

    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        self.normalized_shape, self.eps = tuple(normalized_shape), eps
        self.scale = nnx.Param(jnp.ones(self.normalized_shape)) if elementwise_affine else None
        has_bias = elementwise_affine and bias
        self.bias = nnx.Param(jnp.zeros(self.normalized_shape)) if has_bias else None

    def __call__(self, x):
        scale = None if self.scale is None else self.scale[...]
        bias = None if self.bias is None else self.bias[...]
        return torch_layer_norm(x, self.normalized_shape, scale, bias, self.eps)


def torch_softplus(x, beta=1.0, threshold=20.0):
    """log(1 + exp(beta * x)) / beta, which is x itself above the threshold."""
    return jnp.where(x * beta > threshold, x, jnp.logaddexp(x * beta, 0.0) / beta)


def torch_with_mode(model, training=True):
    """The model itself, in training or in evaluation."""
    if training:
        model.train()
    else:
        model.eval()
    return model
