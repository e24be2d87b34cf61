"""Elements by their places: indexing, windows, extremes, order."""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax


def _places(index: Any, axis: int) -> Any:
    """The index of each element that an index along one axis means."""
    found = list(jnp.indices(index.shape, sparse=True))
    found[axis] = index
    return tuple(found)


def _strided(sizes: Any, strides: Any, first: int) -> Any:
    """The places in flat memory of an array whose dimensions step by these strides."""
    steps = [
        stride * index
        for stride, index in zip(strides, jnp.indices(sizes, sparse=True), strict=True)
    ]
    return sum(steps, jnp.asarray(first))


def _gather(x: Any, index: Any, axis: int) -> Any:
    """Elements by their index along an axis; the index may be smaller than x."""
    return x[_places(index, axis)]


def _scatter(x: Any, index: Any, values: Any, axis: int, way: str, include: bool = True) -> Any:
    """A copy of x with values put at, or joined to, an index along an axis."""
    places = _places(index, axis)
    if getattr(values, "shape", ()):
        # torch reads only as much of the source as the index has places.
        values = values[tuple(slice(size) for size in index.shape)]
    whole = not jnp.issubdtype(x.dtype, jnp.floating)
    if not include:
        limits = jnp.iinfo(x.dtype) if whole else jnp.finfo(x.dtype)
        low, high = (limits.min, limits.max) if whole else (-jnp.inf, jnp.inf)
        neutral = {"add": 0, "mean": 0, "multiply": 1, "max": low, "min": high}
        x = x.at[places].set(neutral[way])
    if way != "mean":
        return getattr(x.at[places], way)(values)
    count = (jnp.ones if include else jnp.zeros)(x.shape, x.dtype).at[places].add(1)
    count = jnp.maximum(count, 1)
    total = x.at[places].add(values)
    return total // count if whole else total / count


def _masked_select(x: Any, mask: Any) -> Any:
    """The elements of x where the mask holds, in order."""
    x, mask = jnp.broadcast_arrays(x, mask)
    return x[mask]


def _masked_scatter(x: Any, mask: Any, source: Any) -> Any:
    """A copy of x with the elements where the mask holds taken from a source, in order."""
    x, mask = jnp.broadcast_arrays(x, mask)
    order = jnp.cumsum(mask.reshape(-1)) - 1
    return jnp.where(mask, source.reshape(-1)[order].reshape(x.shape), x)


def _embedding(ids: Any, weight: Any, padding: int) -> Any:
    """Rows of the weight; the padding row is read as it is, and gets no gradient."""
    rows = weight[ids]
    return jnp.where((ids == padding)[..., None], lax.stop_gradient(rows), rows)


def _embedding_bag(
    weight: Any,
    ids: Any,
    offsets: Any,
    mode: str,
    scale: Any = None,
    closed: bool = False,
    padding: int | None = None,
) -> Any:
    """Rows of the weight, joined in bags that start at offsets; an empty bag gives zeros."""
    count = offsets.shape[0] - closed
    bag = jnp.searchsorted(offsets, jnp.arange(ids.shape[0]), side="right") - 1
    bag = bag if padding is None else jnp.where(ids == padding, count, bag)
    rows = weight[ids] if scale is None else weight[ids] * scale[:, None]
    if mode == "max":
        most = jax.ops.segment_max(rows, bag, count)
        return jnp.where(jnp.isneginf(most), 0, most)
    total = jax.ops.segment_sum(rows, bag, count)
    if mode == "sum":
        return total
    sizes = jax.ops.segment_sum(jnp.ones_like(bag), bag, count)
    return total / jnp.maximum(sizes, 1)[:, None].astype(total.dtype)


def _max(x: Any, axis: int, keepdims: bool) -> Any:
    """The largest values and the first places that hold them."""
    return _at_places(
        x, jnp.argmax(x, axis=axis, keepdims=True) if x.ndim else None, axis, keepdims
    )


def _min(x: Any, axis: int, keepdims: bool) -> Any:
    """The smallest values and the first places that hold them."""
    return _at_places(
        x, jnp.argmin(x, axis=axis, keepdims=True) if x.ndim else None, axis, keepdims
    )


def _at_places(x: Any, place: Any, axis: int, keepdims: bool) -> Any:
    """One value along an axis, and its place."""
    if place is None:
        return x, jnp.zeros([], "int64")
    values = jnp.take_along_axis(x, place, axis)
    if keepdims:
        return values, place
    return values.squeeze(axis), place.squeeze(axis)


def _cummax(x: Any, axis: int) -> Any:
    """The largest value so far along an axis, and the last place that holds it."""
    return _so_far(x, lax.cummax(x, axis), axis)


def _cummin(x: Any, axis: int) -> Any:
    """The smallest value so far along an axis, and the last place that holds it."""
    return _so_far(x, lax.cummin(x, axis), axis)


def _so_far(x: Any, best: Any, axis: int) -> Any:
    """Extremes so far, read from x, and their places."""
    numbers = lax.broadcasted_iota("int64", x.shape, axis)
    hit = (x == best) | (x != x)
    place = lax.cummax(jnp.where(hit, numbers, 0), axis)
    return jnp.take_along_axis(x, place, axis), place


def _sort(x: Any, axis: int, stable: bool, descending: bool = False) -> Any:
    """Sorted values and where they were."""
    place = jnp.argsort(x, axis=axis, stable=stable, descending=descending)
    return jnp.take_along_axis(x, place, axis), place


def _topk(x: Any, count: int, axis: int, largest: bool = True) -> Any:
    """The largest or smallest few along an axis, in order, and where they are."""
    place = jnp.argsort(x, axis=axis, stable=True, descending=largest)
    place = lax.slice_in_dim(place, 0, count, axis=axis)
    return jnp.take_along_axis(x, place, axis), place


def _median(x: Any, axis: int, keepdims: bool) -> Any:
    """The lower of the middle values, or the first NaN, and where it is."""
    middle = (x.shape[axis] - 1) // 2
    order = jnp.argsort(x, axis=axis, stable=True)
    place = lax.slice_in_dim(order, middle, middle + 1, axis=axis)
    if jnp.issubdtype(x.dtype, jnp.floating):
        missing = jnp.isnan(x)
        first = jnp.argmax(missing, axis=axis, keepdims=True)
        place = jnp.where(jnp.any(missing, axis=axis, keepdims=True), first, place)
    return _at_places(x, place, axis, keepdims)


def _search_rows(edges: Any, x: Any, side: str = "left") -> Any:
    """Where values belong in sorted rows."""
    rows = edges.reshape(-1, edges.shape[-1])
    values = jnp.broadcast_to(x, (*edges.shape[:-1], *x.shape[edges.ndim - 1 :]))
    found = jax.vmap(lambda row, value: jnp.searchsorted(row, value, side=side))(
        rows, values.reshape(rows.shape[0], -1)
    )
    return found.reshape(values.shape)


def _histogram(x: Any, bins: int, low: float, high: float) -> Any:
    """How many values fall between bounds at equal distances."""
    if low == high:
        ends = (jnp.min(x), jnp.max(x))
        same = ends[0] == ends[1]
        ends = (jnp.where(same, ends[0] - 1, ends[0]), jnp.where(same, ends[1] + 1, ends[1]))
    else:
        ends = (low, high)
    flat = x.reshape(-1)
    place = jnp.floor((flat - ends[0]) / (ends[1] - ends[0]) * bins).astype("int64")
    inside = (flat >= ends[0]) & (flat <= ends[1])
    return jnp.zeros(bins, x.dtype).at[jnp.minimum(place, bins - 1)].add(inside.astype(x.dtype))


def _windows(x: Any, axis: int, size: int, step: int) -> Any:
    """Windows of that size along an axis, as a new last dimension."""
    count = (x.shape[axis] - size) // step + 1
    places = (jnp.arange(count) * step)[:, None] + jnp.arange(size)
    return jnp.moveaxis(jnp.take(x, places, axis=axis), axis + 1, -1)


def _diag_embed(x: Any, offset: int, first: int, second: int) -> Any:
    """Matrices of zeros with the last axis of x on a diagonal."""
    size = x.shape[-1] + abs(offset)
    rows = jnp.arange(x.shape[-1]) + max(-offset, 0)
    made = jnp.zeros((*x.shape[:-1], size, size), x.dtype)
    made = made.at[..., rows, rows + offset].set(x)
    return jnp.moveaxis(made, (-2, -1), (first, second))


def _diagonal_scatter(x: Any, values: Any, offset: int, first: int, second: int) -> Any:
    """A copy of x with a diagonal set to the values."""
    moved = jnp.moveaxis(x, (first, second), (-2, -1))
    rows = jnp.arange(values.shape[-1]) + max(-offset, 0)
    moved = moved.at[..., rows, rows + offset].set(values)
    return jnp.moveaxis(moved, (-2, -1), (first, second))


def _pixel_shuffle(x: Any, factor: int) -> Any:
    """Channels dealt out over finer pixels."""
    *batch, channels, height, width = x.shape
    parts = x.reshape(math.prod(batch), channels // factor**2, factor, factor, height, width)
    dealt = parts.transpose(0, 1, 4, 2, 5, 3)
    return dealt.reshape(*batch, channels // factor**2, height * factor, width * factor)


def _pixel_unshuffle(x: Any, factor: int) -> Any:
    """Pixels gathered into channels."""
    *batch, channels, height, width = x.shape
    parts = x.reshape(math.prod(batch), channels, height // factor, factor, width // factor, factor)
    gathered = parts.transpose(0, 1, 3, 5, 2, 4)
    return gathered.reshape(*batch, channels * factor**2, height // factor, width // factor)


def _channel_shuffle(x: Any, groups: int) -> Any:
    """Channels dealt out over groups."""
    parts = x.reshape(x.shape[0], groups, x.shape[1] // groups, *x.shape[2:])
    return parts.swapaxes(1, 2).reshape(x.shape)
