"""What networks are made of: convolution, attention, normalization, dropout, losses."""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax


def _conv(
    x: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = None,
    padding: Any = None,
    dilation: Any = None,
    groups: int = 1,
) -> Any:
    """A convolution of [batch, channels, ...] by [out, in, ...]; padding is a pair an axis."""
    rank = weight.ndim - 2
    out = lax.conv_general_dilated(
        x,
        weight,
        stride or [1] * rank,
        padding or [(0, 0)] * rank,
        rhs_dilation=dilation,
        feature_group_count=groups,
    )
    return out if bias is None else out + bias.reshape(-1, *[1] * rank)


def _conv_transpose(
    x: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = None,
    padding: Any = None,
    dilation: Any = None,
    groups: int = 1,
) -> Any:
    """The transpose of a convolution by [in, out, ...]; padding is that of the result."""
    rank = weight.ndim - 2
    flipped = jnp.flip(weight, axis=tuple(range(2, weight.ndim)))
    parts = flipped.reshape(groups, -1, *flipped.shape[1:]).swapaxes(1, 2)
    out = lax.conv_general_dilated(
        x,
        parts.reshape(-1, *parts.shape[2:]),
        [1] * rank,
        padding or [(0, 0)] * rank,
        lhs_dilation=stride,
        rhs_dilation=dilation,
        feature_group_count=groups,
    )
    return out if bias is None else out + bias.reshape(-1, *[1] * rank)


def _attention(
    query: Any,
    key: Any,
    value: Any,
    mask: Any = None,
    causal: bool = False,
    scale: float | None = None,
    grouped: bool = False,
    dropout: float = 0.0,
    draw: Any = None,
) -> Any:
    """Scaled dot product attention on [..., heads, length, width], torch's layout."""
    if grouped:
        key = jnp.repeat(key, query.shape[-3] // key.shape[-3], axis=-3)
        value = jnp.repeat(value, query.shape[-3] // value.shape[-3], axis=-3)
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = (query * scale) @ key.swapaxes(-2, -1)
    if causal:
        mask = jnp.tril(jnp.ones(scores.shape[-2:], "bool"))
    if mask is None:
        weights = jax.nn.softmax(scores, axis=-1)
    else:
        scores = jnp.where(mask, scores, -jnp.inf) if mask.dtype == "bool" else scores + mask
        # A row that is masked everywhere has no softmax; torch yields zeros for it.
        empty = jnp.all(scores == -jnp.inf, axis=-1, keepdims=True)
        weights = jnp.where(empty, 0, jax.nn.softmax(jnp.where(empty, 0, scores), axis=-1))
    if dropout:
        weights = _dropout(weights, dropout, draw)
    return weights @ value


def _affine(x: Any, weight: Any, bias: Any) -> Any:
    """x by a weight and a bias of each channel, which is its second axis."""
    spread = (-1, *[1] * (x.ndim - 2))
    x = x if weight is None else x * weight.reshape(spread)
    return x if bias is None else x + bias.reshape(spread)


def _batch_norm(
    x: Any, mean: Any, var: Any, eps: float, weight: Any = None, bias: Any = None
) -> Any:
    """Batch norm by given statistics."""
    spread = (-1, *[1] * (x.ndim - 2))
    return _affine((x - mean.reshape(spread)) * lax.rsqrt(var + eps).reshape(spread), weight, bias)


def _batch_norm_training(
    x: Any,
    mean: Any,
    var: Any,
    momentum: float,
    eps: float,
    weight: Any = None,
    bias: Any = None,
) -> Any:
    """Batch norm by the batch's own statistics, and the running ones after it, as torch counts."""
    axes = (0, *range(2, x.ndim))
    batch_mean, batch_var = jnp.mean(x, axis=axes), jnp.var(x, axis=axes)
    out = _batch_norm(x, batch_mean, batch_var, eps, weight, bias)
    inverse = lax.rsqrt(batch_var + eps)
    if mean is None:
        return out, batch_mean, inverse, None, None
    count = x.size // x.shape[1]
    unbiased = batch_var * (count / max(count - 1, 1))
    new_mean = mean * (1 - momentum) + batch_mean.astype(mean.dtype) * momentum
    new_var = var * (1 - momentum) + unbiased.astype(var.dtype) * momentum
    return out, batch_mean, inverse, new_mean, new_var


def _layer_norm(x: Any, count: int, eps: float, weight: Any = None, bias: Any = None) -> Any:
    """Normalization over the last `count` axes."""
    axes = tuple(range(-count, 0))
    centred = x - jnp.mean(x, axis=axes, keepdims=True)
    out = centred * lax.rsqrt(jnp.mean(jnp.square(centred), axis=axes, keepdims=True) + eps)
    out = out if weight is None else out * weight
    return out if bias is None else out + bias


def _group_norm(x: Any, groups: int, eps: float, weight: Any = None, bias: Any = None) -> Any:
    """Normalization over groups of channels; one for each is instance norm."""
    parts = x.reshape(x.shape[0], groups, x.shape[1] // groups, *x.shape[2:])
    return _affine(_layer_norm(parts, x.ndim - 1, eps).reshape(x.shape), weight, bias)


def _rms_norm(x: Any, count: int, eps: float, weight: Any = None) -> Any:
    """Division by the root of the mean square over the last `count` axes."""
    axes = tuple(range(-count, 0))
    out = x * lax.rsqrt(jnp.mean(jnp.square(x), axis=axes, keepdims=True) + eps)
    return out if weight is None else out * weight


def _dropout(x: Any, p: float, draw: Any) -> Any:
    """Dropout by a mask that is drawn with a key."""
    return _native_dropout(x, p, draw)[0]


def _native_dropout(x: Any, p: float, draw: Any) -> Any:
    """Dropout and the mask of what it kept."""
    kept = jax.random.bernoulli(draw, 1 - p, x.shape)
    return jnp.where(kept, x / (1 - p) if p < 1 else x, 0), kept


def _multinomial(weights: Any, count: int, replacement: bool, draw: Any) -> Any:
    """Indices drawn in proportion to `weights`, `count` of them along the last axis."""
    chances = jnp.log(weights)
    if replacement or count == 1:
        shape = (count, *weights.shape[:-1])
        return jnp.moveaxis(jax.random.categorical(draw, chances, shape=shape), 0, -1)
    noise = chances + jax.random.gumbel(draw, weights.shape, weights.dtype)
    return lax.top_k(noise, count)[1].astype("int64")


def _nll_loss(x: Any, target: Any, reduction: int, ignored: int, weight: Any = None) -> Any:
    """Minus the logarithm at each target, and the weight of them all; 1 averages, 2 adds up."""
    axis = min(1, x.ndim - 1)
    kept = target != ignored
    safe = jnp.where(kept, target, 0)
    picked = -jnp.take_along_axis(x, jnp.expand_dims(safe, axis), axis).squeeze(axis)
    scale = jnp.ones(x.shape[axis], x.dtype)[safe] if weight is None else weight[safe]
    scale = jnp.where(kept, scale, 0)
    losses = jnp.where(kept, picked * scale, 0)
    if reduction == 0:
        return losses, jnp.zeros([], x.dtype)
    total, share = jnp.sum(losses), jnp.sum(scale)
    return (total / share if reduction == 1 else total), share
