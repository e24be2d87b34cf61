"""Norms, counts, histograms and running extremes as torch defines them."""

from __future__ import annotations

from typing import Any, NamedTuple

import paddle

from workbench.targets.paddle.linalg.helpers.rank import torch_singular_values
from workbench.targets.paddle.math.helpers.dtypes import torch_kind
from workbench.targets.paddle.math.helpers.reduction import (
    TorchPair,
    torch_amax,
    torch_median,
    torch_ordered,
    torch_pick,
    torch_shared,
    torch_sort,
    torch_sum,
)
from workbench.targets.paddle.tensors.helpers.grad import torch_flat


class TorchMinMax(NamedTuple):
    """The smallest and the largest values."""

    min: paddle.Tensor
    max: paddle.Tensor


class TorchHistogram(NamedTuple):
    """Counts and the edges of their bins."""

    hist: paddle.Tensor
    bin_edges: paddle.Tensor


def torch_aminmax(
    tensor: paddle.Tensor, dim: int | None = None, keepdim: bool = False
) -> TorchMinMax:
    """The smallest and the largest values."""
    low = torch_amax(tensor, dim, keepdim, smallest=True)
    return TorchMinMax(low, torch_amax(tensor, dim, keepdim))


def torch_mode(tensor: paddle.Tensor, dim: int = -1, keepdim: bool = False) -> TorchPair:
    """The most frequent value along a dimension, the smallest of several, and its last place."""
    if tensor.ndim == 0:
        return TorchPair(tensor.clone(), paddle.zeros([], dtype="int64"))
    values, order = torch_sort(tensor, dim)
    values, order = values.moveaxis(dim, -1), order.moveaxis(dim, -1)
    equal = (values.unsqueeze(-1) == values.unsqueeze(-2)).astype("int64").sum(axis=-1)
    best = paddle.argmax(equal, axis=-1, keepdim=True)
    last = best + paddle.take_along_axis(equal, best, axis=-1, broadcast=False) - 1
    found = torch_pick(order, last, -1)
    value = torch_pick(tensor.moveaxis(dim, -1), found, -1)
    value, found = value.moveaxis(-1, dim), found.moveaxis(-1, dim)
    if not keepdim:
        value, found = value.squeeze(dim), found.squeeze(dim)
    return TorchPair(value, found)


def torch_nanmedian(tensor: paddle.Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The median of what is not NaN, the lower one of two."""
    if dim is None and tensor.size == 0:
        return torch_median(tensor)
    if dim is None:
        return torch_shared(tensor, torch_nanmedian(tensor.flatten(), 0).values)
    if tensor.ndim == 0:
        return TorchPair(tensor.clone(), paddle.zeros([], dtype="int64"))
    _, order = torch_sort(tensor, dim)
    valid = (tensor == tensor).detach().astype("int64").sum(axis=dim, keepdim=True)
    place = paddle.clip((valid - 1) // 2, min=0)
    found = paddle.take_along_axis(order, place, axis=dim, broadcast=False)
    value = torch_pick(tensor, found, dim)
    if not keepdim:
        value, found = value.squeeze(dim), found.squeeze(dim)
    return TorchPair(value, found)


def torch_cumextreme(function: Any, tensor: paddle.Tensor, dim: int) -> TorchPair:
    """Running extremes with their places."""
    if tensor.ndim == 0:
        return TorchPair(tensor.clone(), paddle.zeros([], dtype="int64"))
    values, indices = function(torch_ordered(tensor), dim)
    return TorchPair(values.astype(tensor.dtype), indices.detach())


def torch_nansum(
    tensor: paddle.Tensor, dim: Any = None, keepdim: bool = False, dtype: Any = None
) -> paddle.Tensor:
    """The sum of what is not NaN."""
    if torch_kind(tensor.dtype) == 2:
        tensor = paddle.where(paddle.isnan(tensor), paddle.zeros_like(tensor), tensor)
    return torch_sum(tensor, dim, keepdim, dtype)


def torch_nanmean(
    tensor: paddle.Tensor, dim: Any = None, keepdim: bool = False, dtype: Any = None
) -> paddle.Tensor:
    """The mean of what is not NaN."""
    wide = tensor if dtype is None else tensor.astype(dtype)
    return paddle.nanmean(wide, axis=dim, keepdim=keepdim)


def torch_norm(
    tensor: paddle.Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None
) -> paddle.Tensor:
    """A norm of vectors, or of all values; "nuc" the sum of singular values."""
    if dtype is not None:
        tensor = tensor.astype(dtype)
    axis = [dim] if isinstance(dim, int) else None if dim is None else list(dim)
    if p == "nuc":
        axis = [-2, -1] if axis is None else axis
        values = torch_singular_values(tensor.moveaxis(axis, [-2, -1]))
        total = values.sum(axis=-1)
        if not keepdim:
            return total
        shape = [
            1 if axis is None or k in [a % tensor.ndim for a in axis] else n
            for k, n in enumerate(tensor.shape)
        ]
        return total.reshape(shape)
    if tensor.ndim == 0:
        tensor, axis = tensor.reshape([1]), [0]
        return torch_norm(tensor, p, axis, False)
    power = 2.0 if p is None or p == "fro" else float(p)
    size = tensor.abs()
    if power == float("inf"):
        return torch_amax(size, None if axis is None else tuple(axis), keepdim)
    if power == float("-inf"):
        return torch_amax(size, None if axis is None else tuple(axis), keepdim, smallest=True)
    if power == 0:
        count = (size.detach() != 0).astype(size.dtype).sum(axis=axis, keepdim=keepdim)
        return torch_flat(count, size)
    if power == 1:
        return size.sum(axis=axis, keepdim=keepdim)
    if power < 1 or power == 2:
        return paddle.linalg.vector_norm(size, power, axis, keepdim)
    # Paddle's own gradient of other powers is exact to seven digits alone.
    exponent = paddle.full([], power, dtype=size.dtype)  # a number is rounded to float32
    total = paddle.pow(size, exponent).sum(axis=axis, keepdim=keepdim)
    none = total == 0
    root = paddle.pow(paddle.where(none, paddle.ones_like(total), total), 1 / exponent)
    return paddle.where(none, paddle.zeros_like(root), root)


def torch_quantile(
    function: Any,
    tensor: paddle.Tensor,
    q: Any,
    dim: Any = None,
    keepdim: bool = False,
    interpolation: str = "linear",
) -> paddle.Tensor:
    """Quantiles in the tensor's own dtype; several of them along a first dimension."""
    if tensor.ndim == 0:
        tensor, dim, keepdim = tensor.reshape([1]), None, False
    several = isinstance(q, paddle.Tensor) and q.ndim > 0
    at = q.tolist() if isinstance(q, paddle.Tensor) else q
    wide = tensor.astype("float64")
    result = function(wide, at, axis=dim, keepdim=keepdim, interpolation=interpolation)
    if several and len(at) == 1 and (result.ndim == 0 or result.shape[0] != 1):
        result = result.unsqueeze(0)
    if not isinstance(q, paddle.Tensor) or q.stop_gradient or not paddle.is_grad_enabled():
        return result.astype(tensor.dtype)
    # The slope between two neighbours, where it is that which is asked for.
    slope = paddle.zeros_like(result)
    if interpolation == "linear":
        lower, upper = (
            torch_quantile(function, wide.detach(), q.detach(), dim, keepdim, how)
            for how in ("lower", "higher")
        )
        missing = paddle.isnan(wide.detach()).astype("float64")
        count = (1 - missing).sum(axis=dim, keepdim=keepdim)
        slope = paddle.nan_to_num((upper - lower) * (count - 1))
    change = (q - q.detach()).astype("float64")
    change = change.reshape([-1, *[1] * (result.ndim - 1)]) if several else change
    return (result + slope * change).astype(tensor.dtype)


def torch_histc(
    tensor: paddle.Tensor, bins: int = 100, min: float = 0, max: float = 0
) -> paddle.Tensor:
    """Counts in bins of equal width, in the tensor's own dtype."""
    return paddle.histogram(tensor, bins, min, max).astype(tensor.dtype)


def torch_histogram(
    tensor: paddle.Tensor, bins: Any, range: Any = None, weight: Any = None, density: bool = False
) -> TorchHistogram:
    """Counts in bins, with the edges of the bins."""
    flat = tensor.flatten()
    if not isinstance(bins, paddle.Tensor):
        low, high = range if range is not None else (float(flat.min()), float(flat.max()))
        if low == high:
            low, high = low - 0.5, high + 0.5
        bins = paddle.linspace(low, high, bins + 1, dtype=tensor.dtype)
    inside = (flat >= bins[0]) & (flat <= bins[-1])
    place = paddle.clip(paddle.searchsorted(bins, flat, right=True) - 1, 0, bins.shape[0] - 2)
    amount = paddle.ones_like(flat) if weight is None else weight.flatten()
    amount = amount * inside.astype(amount.dtype)
    counts = paddle.bincount(place, amount, bins.shape[0] - 1).astype(tensor.dtype)
    if density:
        counts = counts / (counts.sum() * (bins[1:] - bins[:-1]))
    return TorchHistogram(torch_flat(counts, tensor), torch_flat(bins, tensor))


class TorchHistogramdd(NamedTuple):
    """What `torch.histogramdd` returns."""

    hist: paddle.Tensor
    bin_edges: tuple[paddle.Tensor, ...]


def torch_histogramdd(
    tensor: paddle.Tensor, bins: Any, range: Any = None, weight: Any = None, density: bool = False
) -> TorchHistogramdd:
    """Counts in boxes, with the edges along each dimension; Paddle's takes no edges."""
    points = tensor.detach().reshape([-1, tensor.shape[-1]])
    each = [bins] * points.shape[1] if isinstance(bins, int) else list(bins)
    place = paddle.zeros([points.shape[0]], dtype="int64")
    inside = paddle.ones([points.shape[0]], dtype="bool")
    edges, volume = [], paddle.ones([], dtype=tensor.dtype)
    for axis, edge in enumerate(each):
        column = points[:, axis].contiguous()
        if not isinstance(edge, paddle.Tensor):
            low, high = (0.0, 1.0)
            if range is not None:
                low, high = range[2 * axis : 2 * axis + 2]
            elif points.shape[0]:
                low, high = float(column.min()), float(column.max())
            if low == high:
                low, high = low - 0.5, high + 0.5
            edge = paddle.linspace(low, high, edge + 1, dtype=tensor.dtype)
        count = edge.shape[0] - 1
        found = paddle.searchsorted(edge, column, right=True) - 1 if column.size else place
        place = place * count + paddle.clip(found, 0, count - 1)
        inside = inside & (column >= edge[0]) & (column <= edge[-1])
        volume = volume.unsqueeze(-1) * (edge[1:] - edge[:-1])
        edges.append(torch_flat(edge, tensor))
    amount = paddle.ones_like(points[:, 0]) if weight is None else weight.detach().flatten()
    amount = amount * inside.astype(amount.dtype)
    counts = paddle.zeros([volume.size], dtype=tensor.dtype)
    if place.size:
        counts = paddle.put_along_axis(counts, place, amount.astype(counts.dtype), 0, "add")
    counts = counts.reshape(volume.shape)
    if density:
        counts = counts / (counts.sum() * volume)
    return TorchHistogramdd(torch_flat(counts, tensor), tuple(edges))


def torch_bincount(
    tensor: paddle.Tensor, weights: paddle.Tensor | None = None, minlength: int = 0
) -> paddle.Tensor:
    """How often each number occurs, or the sum of its weights."""
    if weights is not None and weights.dtype in (
        paddle.bool,
        paddle.uint8,
        paddle.int8,
        paddle.int16,
        paddle.float16,
    ):
        weights = weights.astype("float64")
    counts = paddle.bincount(tensor.astype("int64"), weights, minlength)
    return torch_flat(counts, weights)


def torch_unique(
    tensor: paddle.Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """The distinct values in order; places have the shape of the tensor."""
    if dim is None:
        tensor, shape = tensor.flatten(), tensor.shape
    # Counted from the end, Paddle takes another dimension, or the process down.
    axis = dim + tensor.ndim if dim is not None and dim < 0 else dim
    found = paddle.unique(torch_ordered(tensor), return_inverse=True, return_counts=True, axis=axis)
    values, inverse, counts = found[0].astype(tensor.dtype), found[1], found[2]
    results = [torch_flat(values, tensor)]
    if return_inverse:
        results.append(inverse.reshape(shape) if dim is None else inverse)
    if return_counts:
        results.append(counts)
    return results[0] if len(results) == 1 else tuple(results)


def torch_unique_consecutive(
    tensor: paddle.Tensor,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """Values without repetitions of the one before; places have the shape of the tensor."""
    found = paddle.unique_consecutive(
        torch_ordered(tensor), return_inverse=True, return_counts=True, axis=dim
    )
    results = [torch_flat(found[0].astype(tensor.dtype), tensor)]
    if return_inverse:
        results.append(found[1].reshape(tensor.shape) if dim is None else found[1])
    if return_counts:
        results.append(found[2])
    return results[0] if len(results) == 1 else tuple(results)


def torch_unique_consecutive_by_place(*args: Any, **named: Any) -> Any:
    """`torch.unique_consecutive`, which confuses flags that are given by place.

    Which of the results it returns hangs on the other flag's place; what was not asked for is
    empty.
    """
    names = ("input", "return_inverse", "return_counts", "dim")
    given = {**dict(zip(names, args, strict=False)), **named}
    tensor, dim = given.pop("input"), given.pop("dim", None)
    values, *parts = torch_unique_consecutive(tensor, True, True, dim)
    results = [values]
    for name, other, part in zip(names[1:3], names[2:0:-1], parts, strict=True):
        by_place = names.index(other) < len(args)
        if named.get(name, by_place and given[other]):
            results.append(part if given.get(name) else paddle.zeros([0], dtype="int64"))
    return results[0] if len(results) == 1 else tuple(results)
