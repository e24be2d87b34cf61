"""Recurrent cells and bags of embeddings, with torch's weights."""

import math

import jax
import jax.numpy as jnp
from flax import nnx

from workbench.targets.jax.helpers.layers import torch_uniform


class TorchCell(nnx.Module):
    """One step of a recurrent layer."""

    def __init__(self, kind, input_size, hidden_size, bias=True, nonlinearity="tanh", *, rngs):
        self.kind, self.hidden_size, self.nonlinearity = kind, hidden_size, nonlinearity
        rows = {"RNN": 1, "GRU": 3, "LSTM": 4}[kind] * hidden_size
        self.weight_ih = torch_uniform(rngs, (rows, input_size), hidden_size)
        self.weight_hh = torch_uniform(rngs, (rows, hidden_size), hidden_size)
        self.bias_ih = torch_uniform(rngs, (rows,), hidden_size) if bias else None
        self.bias_hh = torch_uniform(rngs, (rows,), hidden_size) if bias else None

    def __call__(self, x, state=None):
        if state is None:
            state = jnp.zeros((*x.shape[:-1], self.hidden_size), x.dtype)
            state = (state, state) if self.kind == "LSTM" else state
        h = state[0] if self.kind == "LSTM" else state
        given, kept = x @ self.weight_ih[...].T, h @ self.weight_hh[...].T
        if self.bias_ih is not None:
            given, kept = given + self.bias_ih[...], kept + self.bias_hh[...]
        if self.kind == "RNN":
            return (jax.nn.relu if self.nonlinearity == "relu" else jnp.tanh)(given + kept)
        if self.kind == "GRU":
            (r, z, n), (kr, kz, kn) = jnp.split(given, 3, -1), jnp.split(kept, 3, -1)
            r, z = jax.nn.sigmoid(r + kr), jax.nn.sigmoid(z + kz)
            n = jnp.tanh(n + r * kn)
            return (1 - z) * n + z * h
        i, f, g, o = jnp.split(given + kept, 4, -1)
        c = jax.nn.sigmoid(f) * state[1] + jax.nn.sigmoid(i) * jnp.tanh(g)
        return jax.nn.sigmoid(o) * jnp.tanh(c), c


def torch_embedding_bag(
    input, weight, offsets=None, mode="mean", per_sample_weights=None, include_last_offset=False
):
    """Sums, means or maxima of the rows of each bag."""
    if input.ndim == 2:
        rows = weight[input]
        if per_sample_weights is not None:
            rows = rows * per_sample_weights[..., None]
        return {"sum": jnp.sum, "mean": jnp.mean, "max": jnp.max}[mode](rows, axis=1)
    starts = offsets[:-1] if include_last_offset else offsets
    bags = starts.shape[0]
    places = jnp.searchsorted(starts, jnp.arange(input.shape[0]), side="right") - 1
    rows = weight[input]
    if per_sample_weights is not None:
        rows = rows * per_sample_weights[:, None]
    if mode == "max":
        return jax.ops.segment_max(rows, places, bags)
    total = jax.ops.segment_sum(rows, places, bags)
    if mode == "sum":
        return total
    count = jax.ops.segment_sum(jnp.ones(places.shape, rows.dtype), places, bags)
    return total / jnp.maximum(count, 1)[:, None]


class TorchEmbeddingBag(nnx.Module):
    """Rows of a table, reduced in bags."""

    def __init__(
        self, num_embeddings, embedding_dim, mode="mean", include_last_offset=False, *, rngs
    ):
        self.weight = nnx.Param(rngs.params.normal((num_embeddings, embedding_dim)))
        self.mode, self.include_last_offset = mode, include_last_offset

    def __call__(self, input, offsets=None, per_sample_weights=None):
        weight, last = self.weight[...], self.include_last_offset
        return torch_embedding_bag(input, weight, offsets, self.mode, per_sample_weights, last)


def torch_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False):
    """The norms of the differences of rows."""
    difference = jnp.abs(x1 - x2 + eps)
    if math.isinf(p):
        return difference.max(-1, keepdims=keepdim)
    return (difference**p).sum(-1, keepdims=keepdim) ** (1 / p)


def torch_triplet_margin_loss(
    anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False, reduction="mean"
):
    """How much nearer the positive is than the negative, up to a margin."""
    near = torch_distance(anchor, positive, p, eps)
    far = torch_distance(anchor, negative, p, eps)
    if swap:
        far = jnp.minimum(far, torch_distance(positive, negative, p, eps))
    losses = jnp.maximum(margin + near - far, 0)
    return {"mean": jnp.mean, "sum": jnp.sum, "none": lambda x: x}[reduction](losses)


def torch_cosine_embedding_loss(input1, input2, target, margin=0.0, reduction="mean"):
    """One minus the cosine of pairs that belong together, the cosine above a margin of others."""
    norms = (input1**2).sum(-1) + 1e-12, (input2**2).sum(-1) + 1e-12
    cosine = (input1 * input2).sum(-1) / jnp.sqrt(norms[0] * norms[1])
    apart = jnp.where(target == -1, jnp.maximum(cosine - margin, 0), 0)
    losses = jnp.where(target == 1, 1 - cosine, apart)
    return {"mean": jnp.mean, "sum": jnp.sum, "none": lambda x: x}[reduction](losses)
