"""What networks are made of: attention, normalization, dropout."""

# Paddle types part of itself, which strict checking would have us say again at every call.
# mypy: disable-error-code="no-untyped-call, arg-type"

from __future__ import annotations

import math
from typing import Any

import paddle
import paddle.nn.functional as F  # noqa: N812


def _attention(
    query: Any,
    key: Any,
    value: Any,
    mask: Any = None,
    causal: bool = False,
    scale: float | None = None,
    dropout: float = 0.0,
    grouped: bool = False,
) -> Any:
    """Scaled dot product attention on [..., heads, length, width], torch's layout."""
    if grouped:
        key = paddle.repeat_interleave(key, query.shape[-3] // key.shape[-3], axis=-3)
        value = paddle.repeat_interleave(value, query.shape[-3] // value.shape[-3], axis=-3)
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = paddle.matmul(query * scale, key, transpose_y=True)
    if causal:
        # The first column is open to every row, so that none is masked everywhere.
        rows, columns = query.shape[-2], key.shape[-2]
        mask = paddle.tril(paddle.ones([rows, columns], "int32")).astype("bool")
        low = paddle.full([], float("-inf"), scores.dtype)
        weights = F.softmax(paddle.where(mask, scores, low), axis=-1)
    elif mask is None:
        weights = F.softmax(scores, axis=-1)
    else:
        # A row that is masked everywhere has no softmax; torch yields zeros for it.
        zero = paddle.zeros([], scores.dtype)
        if mask.dtype == paddle.bool:
            empty = paddle.logical_not(paddle.any(mask, axis=-1, keepdim=True))
            low = paddle.full([], float("-inf"), scores.dtype)
            scores = paddle.where(paddle.logical_or(mask, empty), scores, low)
        else:
            empty = paddle.max(mask, axis=-1, keepdim=True) == float("-inf")
            scores = scores + paddle.where(empty, paddle.zeros([], mask.dtype), mask)
        weights = paddle.where(empty, zero, F.softmax(scores, axis=-1))
    if dropout:
        weights = F.dropout(weights, dropout, training=True)
    return paddle.matmul(weights, value)


def _batch_norm_training(
    x: Any, weight: Any, bias: Any, mean: Any, var: Any, momentum: float, eps: float
) -> Any:
    """Batch norm by the batch's own statistics, and the running ones after it, as torch counts."""
    channels = x.shape[1]
    batch_mean = paddle.zeros([channels], x.dtype)
    batch_var = paddle.ones([channels], x.dtype)
    # With momentum 0 Paddle leaves the statistics of this batch in these two.
    out = F.batch_norm(
        x, batch_mean, batch_var, weight, bias, training=True, momentum=0.0, epsilon=eps
    )
    inverse = paddle.rsqrt(batch_var + eps)
    if mean is None:
        return out, batch_mean, inverse, None, None
    count = x.size // channels
    unbiased = batch_var * (count / max(count - 1, 1))
    new_mean = mean * (1 - momentum) + batch_mean.astype(mean.dtype) * momentum
    new_var = var * (1 - momentum) + unbiased.astype(var.dtype) * momentum
    return out, batch_mean, inverse, new_mean, new_var


def _layer_norm(
    x: Any, shape: Any, weight: Any = None, bias: Any = None, epsilon: float = 1e-5
) -> Any:
    """Layer normalization; Paddle's gradient passes a frozen weight by, which is multiplied by."""
    learns = paddle.is_grad_enabled() and not x.stop_gradient
    if weight is None or not weight.stop_gradient or not learns:
        return F.layer_norm(x, shape, weight=weight, bias=bias, epsilon=epsilon)
    output = F.layer_norm(x, shape, epsilon=epsilon) * weight.reshape(shape)
    return output if bias is None else output + bias.reshape(shape)


def _group_norm(x: Any, groups: int, epsilon: float, weight: Any = None, bias: Any = None) -> Any:
    """Group normalization; Paddle divides by the weight in its gradient, and needs both sides."""
    one = paddle.ones([x.shape[1]], dtype=x.dtype)
    output = F.group_norm(x, groups, epsilon, weight=one, bias=paddle.zeros_like(one))
    spread = [1, -1] + [1] * (x.ndim - 2)
    output = output if weight is None else output * weight.reshape(spread)
    return output if bias is None else output + bias.reshape(spread)


def _rms_norm(x: Any, axes: list[int], eps: float, weight: Any = None) -> Any:
    """Root mean square normalization, for which Paddle has no kernel on the CPU."""
    result = x * paddle.rsqrt(paddle.mean(paddle.square(x), axis=axes, keepdim=True) + eps)
    return result if weight is None else result * weight


def _dropout(x: Any, p: float) -> Any:
    """Dropout and the mask of what it kept."""
    if p == 1:
        return x * 0, paddle.zeros(x.shape, "bool")
    kept = F.dropout(paddle.ones(x.shape, x.dtype), p, training=True)
    return x * kept, kept != 0


def _grouped_matmul(x: Any, weights: Any, ends: Any) -> Any:
    """Rows of x by the weight of their group; a group ends before the row that `ends` says."""
    if not paddle.in_dynamic_mode():
        group = paddle.searchsorted(ends, paddle.arange(x.shape[0], dtype=ends.dtype), right=True)
        parts = [
            paddle.matmul(x, weight) * (group == place).unsqueeze(-1).astype(x.dtype)
            for place, weight in enumerate(paddle.unbind(weights))
        ]
        return paddle.add_n(parts)
    start, found = 0, []
    for place, end in enumerate(ends.tolist()):
        if end > start:
            found.append(paddle.matmul(x[start:end], weights[place]))
            start = end
    if start < x.shape[0]:
        found.append(paddle.zeros([x.shape[0] - start, weights.shape[-1]], x.dtype))
    return paddle.concat(found)
