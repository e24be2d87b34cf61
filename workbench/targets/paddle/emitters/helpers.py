"""Functions that generated modules define at their top: torch's semantics in Paddle alone.

Their source is copied into the module, so that each stands on its own: it may use `paddle`, `F`
and `math`, and other helpers here.
"""

# Paddle types part of itself, which strict checking would have us say again at every call.
# mypy: disable-error-code="no-untyped-call, arg-type"

from __future__ import annotations

import math
from typing import Any

import paddle
import paddle.nn.functional as F  # noqa: N812

__all__ = ["F", "math", "paddle"]


@paddle.jit.not_to_static
def _expect(name: str, x: Any, dtype: str, sizes: list[Any]) -> None:
    """Refuse an input that the graph was not captured for."""
    held = str(x.dtype).removeprefix("paddle.")
    if held != dtype:
        raise TypeError(f"{name} is {held}, and the model was captured for {dtype}")
    if len(x.shape) != len(sizes):
        raise ValueError(f"{name} has shape {list(x.shape)}, and needs {len(sizes)} dimensions")
    for axis, (size, wanted) in enumerate(zip(x.shape, sizes, strict=True)):
        if size == -1:  # a dimension that paddle.jit leaves open
            continue
        low, high = (wanted, wanted) if isinstance(wanted, int) else wanted
        if size < low or (high is not None and size > high):
            limits = f"{low}" if low == high else f"from {low} to {'any' if high is None else high}"
            raise ValueError(f"{name}.shape[{axis}] is {size}, and the model takes {limits}")


@paddle.jit.not_to_static
def _expect_same(first: str, one: int, second: str, other: int) -> None:
    """Refuse inputs whose sizes have to be the same and are not."""
    if one != other and -1 not in (one, other):
        raise ValueError(f"{second} is {other} and {first} is {one}; the model needs them equal")


@paddle.jit.not_to_static
def _expect_relation(text: str, sizes: list[Any], holds: Any) -> None:
    """Refuse inputs whose sizes are not to each other as the graph needs them."""
    known = all(isinstance(size, int) and size != -1 for size in sizes)
    if known and not holds(*sizes):
        raise ValueError(f"the model needs that {text}; the sizes are {sizes}")


@paddle.jit.not_to_static
def _expect_true(value: Any, text: str) -> None:
    """Stop where something does not hold that the model asserts of values."""
    if (isinstance(value, bool) or paddle.in_dynamic_mode()) and not bool(value):
        raise RuntimeError(text)


@paddle.jit.not_to_static
def _expect_constant(name: str, value: Any, wanted: Any) -> None:
    """Refuse another value of an argument that the graph was captured with."""
    if type(value) is not type(wanted) or value != wanted:
        raise ValueError(f"{name}={value!r}, and the model was captured with {wanted!r}")


def _log_sigmoid(x: Any) -> Any:
    """log(sigmoid(x)), also where exp(-x) is far below 1; Paddle's own is NaN at -inf."""
    below = x < 0
    small = paddle.where(below, x, -x)
    return paddle.where(below, x, paddle.zeros_like(x)) - paddle.log1p(paddle.exp(small))


def _index(x: Any, *indices: Any) -> Any:
    """x[indices], where an index out of range raises instead of reading what lies there."""
    axis = 0
    for index in indices:
        if index is None:
            axis += 1
            continue
        if index.dtype == paddle.bool:
            axis += len(index.shape)
            continue
        _check_range(index, x.shape[axis], axis)
        axis += 1
    if 0 in x.shape and any(index is None for index in indices):
        raise NotImplementedError("Paddle gives a wrong shape for a part of an empty tensor")
    return x[tuple(slice(None) if index is None else index for index in indices)]


def _check_range(index: Any, size: int, axis: int) -> None:
    """Raise where an index lies outside a dimension."""
    if index.size and paddle.in_dynamic_mode():
        low, high = int(index.min()), int(index.max())
        if low < -size or high >= size:
            wrong = low if low < -size else high
            raise IndexError(f"index {wrong} is out of range for dimension {axis} of size {size}")


def _index_put(x: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    """A copy of x with x[indices] set to the values, or increased by them."""
    axis = 0
    for index in indices:
        if index is not None and index.dtype != paddle.bool:
            _check_range(index, x.shape[axis], axis)
        axis += 1 if index is None or index.dtype != paddle.bool else len(index.shape)
    place = tuple(slice(None) if index is None else index for index in indices)
    if accumulate:
        # The numbers of the places, found by the same indexing, make repeated ones add up.
        places = paddle.arange(x.size).reshape(x.shape)[place]
        added = values.expand(places.shape).flatten()
        return paddle.index_add(x.flatten(), places.flatten(), 0, added).reshape(x.shape)
    result = x.clone()
    result[place] = values
    return result


def _assigned(x: Any, place: Any, values: Any) -> Any:
    """A copy of x with x[place] set to the values."""
    result = x.clone()
    result[place] = values
    return result


def _embedding(ids: Any, weight: Any, padding: int | None = None) -> Any:
    """Rows of the weight; the padding row is read as it is, and gets no gradient."""
    if ids.size and paddle.in_dynamic_mode():
        low, high = int(ids.min()), int(ids.max())
        if low < 0 or high >= weight.shape[0]:
            wrong = low if low < 0 else high
            raise IndexError(f"id {wrong} is out of range for {weight.shape[0]} embeddings")
    rows = F.embedding(ids, weight)
    if padding is None or rows.stop_gradient:
        return rows
    return paddle.where((ids == padding).unsqueeze(-1), rows.detach(), rows)


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


def _rms_norm(x: Any, axes: list[int], eps: float, weight: Any = None) -> Any:
    """Root mean square normalization, for which Paddle has no kernel on the CPU."""
    result = x * paddle.rsqrt(paddle.mean(paddle.square(x), axis=axes, keepdim=True) + eps)
    return result if weight is None else result * weight


def _max_with_indices(x: Any, axis: int, keepdim: bool) -> Any:
    """The largest values and the first places that hold them; NaN counts as largest."""
    return _extreme_with_indices(x, axis, keepdim, paddle.max)


def _min_with_indices(x: Any, axis: int, keepdim: bool) -> Any:
    """The smallest values and the first places that hold them; NaN counts as smallest."""
    return _extreme_with_indices(x, axis, keepdim, paddle.min)


def _extreme_with_indices(x: Any, axis: int, keepdim: bool, pick: Any) -> Any:
    """Values and indices of the first extreme element along an axis."""
    if not x.shape:
        return x, paddle.zeros([], "int64")
    if x.shape[axis] == 0:
        raise IndexError(f"dimension {axis} is empty: it has no extreme element")
    plain = x.astype("int32") if x.dtype == paddle.bool else x
    best = pick(plain.detach(), axis=axis, keepdim=True)
    hit = plain == best
    if "float" in str(x.dtype):
        hit = paddle.logical_or(hit, paddle.isnan(plain))
    place = paddle.argmax(hit.astype("int32"), axis=axis, keepdim=True)
    values = paddle.take_along_axis(plain, place, axis, broadcast=False)
    if x.dtype == paddle.bool:
        values = values.astype("bool")
    if keepdim:
        return values, place
    return values.squeeze(axis), place.squeeze(axis)


def _variance(x: Any, correction: float, axis: Any = None, keepdim: bool = False) -> Any:
    """The variance with any correction of its divisor."""
    spread = paddle.square(x - paddle.mean(x, axis=axis, keepdim=True))
    total = paddle.sum(spread, axis=axis, keepdim=keepdim)
    count = x.size // max(total.size, 1)
    return total / max(count - correction, 0)


def _check_divisor(b: Any) -> None:
    """Raise for a whole number divided by zero, which the processor would trap."""
    zero = bool((b == 0).any()) if isinstance(b, paddle.Tensor) else b == 0
    if zero:
        raise ZeroDivisionError("ZeroDivisionError")


def _truncating_divide(a: Any, b: Any) -> Any:
    """Whole numbers divided, rounded towards zero."""
    _check_divisor(b)
    quotient = paddle.floor_divide(
        a, b if isinstance(b, paddle.Tensor) else paddle.full([], b, a.dtype)
    )
    inexact = quotient * b != a
    return quotient + paddle.logical_and(inexact, quotient < 0).astype(quotient.dtype)


def _integer_floor_divide(a: Any, b: Any) -> Any:
    """Whole numbers divided, rounded down."""
    _check_divisor(b)
    if not isinstance(a, paddle.Tensor):
        a = paddle.full([], a, b.dtype)
    return paddle.floor_divide(
        a, b if isinstance(b, paddle.Tensor) else paddle.full([], b, a.dtype)
    )


def _integer_remainder(a: Any, b: Any) -> Any:
    """The remainder of whole numbers, with the sign of the divisor."""
    _check_divisor(b)
    return paddle.remainder(a, b if isinstance(b, paddle.Tensor) else paddle.full([], b, a.dtype))


def _floor_divide(a: Any, b: Any) -> Any:
    """Floating point numbers divided and rounded down, by way of the exact remainder."""
    if not isinstance(a, paddle.Tensor):
        a = paddle.full([], a, b.dtype)
    if not isinstance(b, paddle.Tensor):
        b = paddle.full([], b, a.dtype)
    rest = paddle.remainder(a, b)
    quotient = paddle.round((a - rest) / b)
    return paddle.where(b == 0, a / b, quotient)


def _fmod(a: Any, b: Any) -> Any:
    """The remainder with the sign of the dividend."""
    if not isinstance(a, paddle.Tensor):
        a = paddle.full([], a, b.dtype)
    return paddle.sign(a) * paddle.remainder(paddle.abs(a), paddle.abs(b))


def _integer_power(a: Any, b: Any) -> Any:
    """Whole numbers to whole powers; Paddle would never return from a negative one."""
    if isinstance(b, paddle.Tensor) and b.size and int(b.min()) < 0:
        raise ValueError("Integers to negative integer powers are not allowed.")
    return paddle.pow(a, b)


def _log_softmax(x: Any, axis: int) -> Any:
    """The logarithm of softmax, exact also where an element is far below the largest."""
    if not x.shape:
        return x - x
    lower = x - paddle.max(x.detach(), axis=axis, keepdim=True)
    return lower - paddle.log(paddle.sum(paddle.exp(lower), axis=axis, keepdim=True))


def _logaddexp(a: Any, b: Any) -> Any:
    """The logarithm of a sum of exponentials; equal infinities stay what they are."""
    larger = paddle.maximum(a, b)
    sum_ = larger + paddle.log1p(paddle.exp(-paddle.abs(a - b)))
    return paddle.where(paddle.logical_and(a == b, paddle.isinf(a)), larger, sum_)


def _lerp(a: Any, b: Any, weight: Any) -> Any:
    """Between a and b, from the nearer end: exact at both."""
    near = weight < 0.5
    if isinstance(weight, paddle.Tensor):
        return paddle.where(near, a + weight * (b - a), b - (b - a) * (1 - weight))
    return a + weight * (b - a) if near else b - (b - a) * (1 - weight)


def _split(x: Any, size: int, axis: int) -> Any:
    """Parts of that size along an axis, the last one perhaps smaller."""
    total = x.shape[axis]
    sizes = [min(size, total - start) for start in range(0, total, size)]
    return paddle.split(x, sizes, axis=axis)


def _windows(x: Any, axis: int, size: int, step: int) -> Any:
    """Windows of that size along an axis, as a new last dimension."""
    count = (x.shape[axis] - size) // step + 1
    starts = paddle.arange(count) * step
    places = (starts.unsqueeze(1) + paddle.arange(size)).flatten()
    shape = [*x.shape[:axis], count, size, *x.shape[axis + 1 :]]
    taken = paddle.index_select(x, places, axis=axis).reshape(shape)
    return paddle.moveaxis(taken, axis + 1, -1)


def _pad(x: Any, pad: list[int], value: Any) -> Any:
    """Padding by a constant, counted from the last dimension; negative counts cut."""
    rank = len(x.shape)
    order: list[int] = []
    cut = [slice(None)] * rank
    for axis in range(rank):
        at = 2 * (rank - 1 - axis)
        low, high = (pad[at], pad[at + 1]) if at < len(pad) else (0, 0)
        cut[axis] = slice(max(-low, 0), x.shape[axis] - max(-high, 0))
        order += [max(low, 0), max(high, 0)]
    return F.pad(x[tuple(cut)], order, value=value)


def _places_as_int64(pooled: Any) -> Any:
    """The result of a pooling with its mask as torch counts it, in 64 bits."""
    values, places = pooled
    return values, places.astype("int64")


def _cast_items(values: Any, dtypes: list[Any]) -> Any:
    """The items of a tuple in these dtypes; None leaves one as it is."""
    pairs = zip(values, dtypes, strict=True)
    return tuple(x if dtype is None else x.astype(dtype) for x, dtype in pairs)


def _dropout(x: Any, p: float) -> Any:
    """Dropout and the mask of what it kept."""
    if p == 1:
        return x * 0, paddle.zeros(x.shape, "bool")
    kept = F.dropout(paddle.ones(x.shape, x.dtype), p, training=True)
    return x * kept, kept != 0


def _map(body: Any, over: list[Any]) -> Any:
    """The body's results for each row of the inputs, stacked."""
    rows = [body(*row) for row in zip(*(paddle.unbind(x) for x in over), strict=True)]
    return [paddle.stack(list(column)) for column in zip(*rows, strict=True)]


def _scan(body: Any, carried: list[Any], over: list[Any]) -> Any:
    """What a step hands to the next one at the end, and what each step yields, stacked."""
    count = len(carried)
    yielded = []
    for row in zip(*(paddle.unbind(x) for x in over), strict=True):
        result = list(body(*carried, *row))
        carried, rest = result[:count], result[count:]
        yielded.append(rest)
    return [*carried, *(paddle.stack(list(column)) for column in zip(*yielded, strict=True))]


class _TorchIsland(paddle.autograd.PyLayer):
    """Runs a function of torch tensors on Paddle's memory, forward and backward."""

    @staticmethod
    def forward(ctx: Any, function: Any, *inputs: Any) -> Any:
        import torch

        held = [torch.utils.dlpack.from_dlpack(x.detach()) for x in inputs]
        for ours, theirs in zip(held, inputs, strict=True):
            if not theirs.stop_gradient and ours.dtype.is_floating_point:
                ours.requires_grad_()
        with torch.enable_grad():
            results = function(*held)
        ctx.held, ctx.results = held, results
        # Memory that goes from Paddle to torch and back again deadlocks when it is freed.
        lent = {x.untyped_storage().data_ptr() for x in held}
        own = [r.clone() if r.untyped_storage().data_ptr() in lent else r for r in results]
        return tuple(paddle.from_dlpack(r.detach()) for r in own)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        import torch

        wanted = [x for x in ctx.held if x.requires_grad]
        pairs = [
            (result, torch.utils.dlpack.from_dlpack(grad.detach()))
            for result, grad in zip(ctx.results, grads, strict=True)
            if result.requires_grad
        ]
        found = iter(
            torch.autograd.grad(
                [result for result, _ in pairs],
                wanted,
                [grad for _, grad in pairs],
                allow_unused=True,
            )
        )
        back = [next(found) if x.requires_grad else None for x in ctx.held]
        # Cloned, since a gradient may be the very memory that Paddle lent as `grads`.
        return tuple(None if g is None else paddle.from_dlpack(g.clone()) for g in back)
