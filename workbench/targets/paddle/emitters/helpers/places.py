"""Elements by their places: indexing, windows, padding, extremes."""

# Paddle types part of itself, which strict checking would have us say again at every call.
# mypy: disable-error-code="no-untyped-call, arg-type"

from __future__ import annotations

from typing import Any

import paddle
import paddle.nn.functional as F  # noqa: N812


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
        raise NotImplementedError("Paddle returns a wrong shape for a slice of an empty tensor")
    if paddle.in_dynamic_mode() and not x.is_contiguous():
        # Paddle reads other places of a view with gaps; contiguous() would part it from its base.
        x = x.clone()
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
    masks = [index for index in indices if index is not None and index.dtype == paddle.bool]
    if paddle.in_dynamic_mode() and not all(bool(mask.any()) for mask in masks):
        return x.clone()  # nothing is chosen, which Paddle takes for an error
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
