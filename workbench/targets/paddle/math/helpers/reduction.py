"""Reductions with torch's dtypes, ties, NaN rules and named results."""

from __future__ import annotations

from typing import Any, NamedTuple

import paddle

from workbench.targets.paddle.math.helpers.dtypes import (
    torch_inexact,
    torch_kind,
    torch_promote,
    torch_with_kernels,
)
from workbench.targets.paddle.tensors.helpers.parts import torch_halves


class TorchPair(NamedTuple):
    """Values and the places that they were found at."""

    values: paddle.Tensor
    indices: paddle.Tensor


def torch_ordered(tensor: paddle.Tensor) -> paddle.Tensor:
    """The tensor in a dtype that Paddle's ordering functions take."""
    name = str(tensor.dtype).rpartition(".")[2]
    if name in {"bool", "int8", "int16", "uint8"}:
        return tensor.astype("int32")
    return tensor.astype("float32") if name in {"float16", "bfloat16"} else tensor


def torch_pick(tensor: paddle.Tensor, indices: paddle.Tensor, dim: int) -> paddle.Tensor:
    """Values at the places along a dimension, which are in range; of every dtype on a CPU."""
    if tensor.dtype in (paddle.bool, paddle.int8):
        return torch_pick(tensor.astype("int32"), indices, dim).astype(tensor.dtype)
    if tensor.dtype in (paddle.float16, paddle.bfloat16) and tensor.place.is_cpu_place():
        return torch_pick(tensor.astype("float32"), indices, dim).astype(tensor.dtype)
    if tensor.is_complex():
        return torch_halves(lambda part: torch_pick(part, indices, dim), tensor)
    return paddle.take_along_axis(tensor, indices, axis=dim, broadcast=False)


def torch_larger(first: Any, second: Any, smaller: bool = False) -> paddle.Tensor:
    """The larger, or the smaller, of two tensors, value by value."""
    first, second = torch_promote(first, second)
    if first.dtype == paddle.bool:
        return paddle.logical_and(first, second) if smaller else paddle.logical_or(first, second)
    return torch_with_kernels(paddle.minimum if smaller else paddle.maximum, first, second)


def torch_argmax(
    tensor: paddle.Tensor, dim: int | None = None, keepdim: bool = False, smallest: bool = False
) -> paddle.Tensor:
    """The place of the largest value; as in torch, NaN counts as larger than any number."""
    find = paddle.argmin if smallest else paddle.argmax
    ordered = torch_ordered(tensor.detach())
    if (dim is None and tensor.ndim == 0) or (tensor.ndim == 0 and keepdim):
        return paddle.zeros([], dtype="int64")
    found = find(ordered, axis=dim, keepdim=keepdim)
    if torch_kind(ordered.dtype) == 2:
        missing = paddle.isnan(ordered)
        if bool(missing.any()):
            first = paddle.argmax(missing.astype("int32"), axis=dim, keepdim=keepdim)
            found = paddle.where(missing.any(axis=dim, keepdim=keepdim), first, found)
    return found


def torch_extreme(
    tensor: paddle.Tensor, dim: int, keepdim: bool = False, smallest: bool = False
) -> TorchPair:
    """The largest or smallest values along a dimension, with their places."""
    if tensor.ndim == 0:
        return TorchPair(tensor.clone(), paddle.zeros([], dtype="int64"))
    indices = torch_argmax(tensor, dim, True, smallest)
    values = torch_pick(tensor, indices, dim)
    if not keepdim:
        values, indices = values.squeeze(dim), indices.squeeze(dim)
    return TorchPair(values, indices)


def torch_max(
    tensor: paddle.Tensor, dim: Any = None, keepdim: bool = False, other: Any = None
) -> Any:
    """`torch.max`: of all, along a dimension with the places, or of two tensors."""
    if isinstance(dim, paddle.Tensor):
        other = dim
    if other is not None:
        return torch_larger(tensor, other)
    if dim is not None:
        return torch_extreme(tensor, int(dim), keepdim)
    return torch_amax(tensor)


def torch_min(
    tensor: paddle.Tensor, dim: Any = None, keepdim: bool = False, other: Any = None
) -> Any:
    """`torch.min`: of all, along a dimension with the places, or of two tensors."""
    if isinstance(dim, paddle.Tensor):
        other = dim
    if other is not None:
        return torch_larger(tensor, other, smaller=True)
    if dim is not None:
        return torch_extreme(tensor, int(dim), keepdim, True)
    return torch_amax(tensor, smallest=True)


def torch_amax(
    tensor: paddle.Tensor, dim: Any = None, keepdim: bool = False, smallest: bool = False
) -> paddle.Tensor:
    """The largest or smallest values; equal ones share the gradient."""
    axis = None if dim is None or dim == () else dim
    if tensor.size == 0:
        along = range(tensor.ndim) if axis is None else [axis] if isinstance(axis, int) else axis
        if not all(tensor.shape[one] for one in along):
            raise IndexError("the maximum of no values; give a dimension that is not empty")
        return paddle.sum(tensor, axis=axis, keepdim=keepdim).astype(tensor.dtype)  # empty as well
    reduce = paddle.amin if smallest else paddle.amax
    if isinstance(axis, int) or tensor.ndim < 5 or axis is None:
        result = reduce(torch_ordered(tensor), axis=axis, keepdim=keepdim)
    else:  # of 5 and 6 dimensions, Paddle's own gradient over several of them is no number at all
        along = {one % tensor.ndim for one in axis}
        kept = [one for one in range(tensor.ndim) if one not in along]
        sizes = [tensor.shape[one] for one in kept]
        ordered = torch_ordered(tensor).transpose([*kept, *sorted(along)])
        result = reduce(ordered.reshape([*sizes, -1]), axis=-1)
        if keepdim:
            result = result.unsqueeze(sorted(along))
    if torch_kind(tensor.dtype) == 2:
        missing = paddle.isnan(tensor.detach())
        if bool(missing.any()):
            hit = missing.any(axis=list(axis) if isinstance(axis, tuple) else axis, keepdim=keepdim)
            result = paddle.where(hit, paddle.full_like(result, float("nan")), result)
    return result if result.dtype == tensor.dtype else result.astype(tensor.dtype)


def torch_einops_max(tensor: paddle.Tensor, axes: tuple[int, ...]) -> paddle.Tensor:
    """What `einops.reduce` calls for "max": of Paddle's own, the gradients are others."""
    return torch_amax(tensor, axes)


def torch_einops_min(tensor: paddle.Tensor, axes: tuple[int, ...]) -> paddle.Tensor:
    """What `einops.reduce` calls for "min"."""
    return torch_amax(tensor, axes, smallest=True)


def torch_einops_reduction(reduction: Any) -> Any:
    """What `einops.reduce` is told to reduce by, exact for largest and smallest values."""
    exact = {"max": torch_einops_max, "min": torch_einops_min}
    return exact.get(reduction, reduction)


def torch_logcumsumexp(tensor: paddle.Tensor, dim: int) -> paddle.Tensor:
    """The running logarithm of the sum of exponentials, of NaN and of negative infinity as well."""
    result = paddle.logcumsumexp(tensor, axis=dim)
    values = tensor.detach()
    if tensor.ndim and not bool(paddle.isfinite(values).all()):
        missing = paddle.isnan(values).astype("int32").cumsum(axis=dim) > 0
        nothing = (values != float("-inf")).astype("int32").cumsum(axis=dim) == 0
        result = paddle.where(nothing, paddle.full_like(result, float("-inf")), result)
        result = paddle.where(missing, paddle.full_like(result, float("nan")), result)
    return result


def torch_logsumexp(input: paddle.Tensor, dim: Any = None, keepdim: bool = False) -> paddle.Tensor:
    """The logarithm of the sum of exponentials; Paddle's takes four dimensions and no infinity."""
    tensor = torch_inexact(input)
    if tensor.dtype in (paddle.float16, paddle.bfloat16) and tensor.place.is_cpu_place():
        return torch_logsumexp(tensor.astype("float32"), dim, keepdim).astype(tensor.dtype)
    axis = None if dim is None or dim == () or tensor.ndim == 0 else dim
    if tensor.size == 0:
        return paddle.log(paddle.sum(paddle.exp(tensor), axis=axis, keepdim=keepdim))
    largest = paddle.amax(tensor.detach(), axis=axis, keepdim=True)
    largest = paddle.where(paddle.isfinite(largest), largest, paddle.zeros_like(largest))
    total = paddle.sum(paddle.exp(tensor - largest), axis=axis, keepdim=keepdim)
    return paddle.log(total) + largest.reshape(total.shape)


def torch_mean(
    input: paddle.Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> paddle.Tensor:
    """The mean; of integers only in a floating dtype that is given."""
    if dtype is not None:
        input = input.astype(dtype)
    if torch_kind(input.dtype) < 2:
        raise RuntimeError(f"the mean of {input.dtype} is not defined; give dtype=")
    return paddle.mean(input, axis=dim if dim != () else None, keepdim=keepdim)


def torch_sum(
    input: paddle.Tensor, dim: Any = None, keepdim: bool = False, dtype: Any = None
) -> paddle.Tensor:
    """The sum; of integers and truth values in int64."""
    if dtype is None and torch_kind(input.dtype) < 2:
        dtype = paddle.int64
    axis = None if isinstance(dim, (tuple, list)) and len(dim) == 0 else dim
    return paddle.sum(input, axis=axis, dtype=dtype, keepdim=keepdim)


def torch_prod(
    tensor: paddle.Tensor, dim: int | None = None, keepdim: bool = False, dtype: Any = None
) -> paddle.Tensor:
    """The product; of integers and truth values in int64."""
    if dtype is None and torch_kind(tensor.dtype) < 2:
        dtype = paddle.int64
    if dtype in (paddle.uint8, paddle.int8, paddle.int16, paddle.bool):  # no kernels
        whole = paddle.prod(tensor.astype(dtype).astype("int64"), axis=dim, keepdim=keepdim)
        return whole.astype(dtype)
    if dtype is not None:
        tensor = tensor.astype(dtype)
    recorded = tensor.size and not tensor.stop_gradient and paddle.is_grad_enabled()
    if recorded and (tensor.is_complex() or bool((tensor == 0).any())):
        return torch_product(tensor, dim, keepdim)
    return paddle.prod(tensor, axis=dim, keepdim=keepdim)


def torch_product(tensor: paddle.Tensor, dim: int | None, keepdim: bool) -> paddle.Tensor:
    """The product of one half and the other, and so on: gradients are exact where zeros are, and
    of complex numbers."""
    kept = [1] * tensor.ndim if dim is None else None
    values = tensor.reshape([-1]) if dim is None else tensor.moveaxis(dim, -1)
    while (length := values.shape[-1]) > 1:
        half = length // 2
        rest = values[..., 2 * half :]
        values = paddle.concat([values[..., :half] * values[..., half : 2 * half], rest], axis=-1)
    if not keepdim:
        return values.squeeze(-1)
    return values.reshape(kept) if kept is not None else values.moveaxis(-1, dim)


def torch_var(
    input: paddle.Tensor,
    dim: Any = None,
    unbiased: Any = None,
    keepdim: bool = False,
    correction: Any = 1,
) -> paddle.Tensor:
    """The variance, with any correction of the divisor."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if unbiased is not None:
        correction = 1 if unbiased else 0
    if correction is None:
        correction = 1
    axis = list(dim) if isinstance(dim, (tuple, list)) else dim
    axis = None if axis == [] else axis
    mean = paddle.mean(input, axis=axis, keepdim=True)
    total = paddle.sum((input - mean).abs() ** 2, axis=axis, keepdim=keepdim)
    count = input.size / max(mean.size, 1) if input.size else 0
    divisor = max(count - correction, 0)
    return total / paddle.full([], divisor, dtype=total.dtype)


def torch_std(
    input: paddle.Tensor,
    dim: Any = None,
    unbiased: Any = None,
    keepdim: bool = False,
    correction: Any = 1,
) -> paddle.Tensor:
    """The standard deviation, with any correction of the divisor."""
    return paddle.sqrt(torch_var(input, dim, unbiased, keepdim, correction))


def torch_var_mean(input: paddle.Tensor, dim: Any = None, *args: Any, **kwargs: Any) -> Any:
    """The variance and the mean."""
    axis = None if isinstance(dim, bool) else dim
    keepdim = kwargs.get("keepdim", args[1] if len(args) > 1 else False)
    mean = paddle.mean(input, axis=axis, keepdim=keepdim)
    return torch_var(input, dim, *args, **kwargs), mean


def torch_std_mean(input: paddle.Tensor, dim: Any = None, *args: Any, **kwargs: Any) -> Any:
    """The standard deviation and the mean."""
    var, mean = torch_var_mean(input, dim, *args, **kwargs)
    return paddle.sqrt(var), mean


def torch_sort(
    tensor: paddle.Tensor, dim: int = -1, descending: bool = False, stable: bool | None = None
) -> TorchPair:
    """The values in order, with the places that they had; equal ones keep their order."""
    if tensor.ndim == 0:
        return TorchPair(tensor.clone(), paddle.zeros([], dtype="int64"))
    ordered = torch_ordered(tensor.detach())
    indices = paddle.argsort(ordered, axis=dim, descending=descending, stable=True)
    return TorchPair(torch_pick(tensor, indices, dim), indices)


def torch_topk(
    tensor: paddle.Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True
) -> TorchPair:
    """The k largest or smallest values, with their places."""
    if tensor.ndim == 0:
        return TorchPair(tensor.clone(), paddle.zeros([], dtype="int64"))
    if k == 0:
        shape = list(tensor.shape)
        shape[dim] = 0
        return TorchPair(paddle.zeros(shape, tensor.dtype), paddle.zeros(shape, dtype="int64"))
    if str(tensor.dtype).rpartition(".")[2] in {"float32", "float64", "int32", "int64"}:
        found = paddle.topk(tensor, k, axis=dim, largest=largest, sorted=sorted)
        return TorchPair(found[0], found[1].detach())
    indices = paddle.topk(torch_ordered(tensor.detach()), k, dim, largest, sorted)[1]
    return TorchPair(torch_pick(tensor, indices, dim), indices)


def torch_shared(tensor: paddle.Tensor, value: paddle.Tensor) -> paddle.Tensor:
    """One value of a tensor, whose gradient goes to all that are equal to it, in equal parts."""
    if tensor.stop_gradient:
        return value
    equal = tensor == value.detach()
    if bool(paddle.isnan(value)):
        equal = paddle.isnan(tensor)
    return paddle.where(equal, tensor, paddle.zeros_like(tensor)).sum() / equal.sum()


def torch_median(tensor: paddle.Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The median, the lower one of two; NaN where there is any."""
    if dim is None and tensor.size == 0:
        return paddle.full([], float("nan"), dtype=tensor.dtype)
    if dim is None:
        return torch_shared(tensor, torch_median(tensor.flatten(), 0).values)
    if tensor.ndim == 0:
        return TorchPair(tensor.clone(), paddle.zeros([], dtype="int64"))
    order = torch_sort(tensor, dim).indices
    at = (tensor.shape[dim] - 1) // 2
    place = paddle.full_like(paddle.sum(order, axis=dim, keepdim=True), at)
    if torch_kind(tensor.dtype) == 2:
        # NaN comes last in order, and is the median where there is one.
        missing = paddle.isnan(tensor.detach()).astype("int64").sum(axis=dim, keepdim=True)
        first = tensor.shape[dim] - missing
        place = paddle.where(missing > 0, first, place)
    found = paddle.take_along_axis(order, place, axis=dim, broadcast=False)
    value = torch_pick(tensor, found, dim)
    if not keepdim:
        value, found = value.squeeze(dim), found.squeeze(dim)
    return TorchPair(value, found)


def torch_kthvalue(
    tensor: paddle.Tensor, k: int, dim: int = -1, keepdim: bool = False
) -> TorchPair:
    """The k-th smallest value along a dimension, with its place."""
    values, order = torch_sort(tensor, dim)
    if tensor.ndim == 0:
        return TorchPair(values, order)
    at = paddle.to_tensor([k - 1])
    value = paddle.index_select(torch_ordered(values), at, axis=dim).astype(values.dtype)
    found = paddle.index_select(order, at, axis=dim)
    if bool(((tensor == value).astype("int32").sum(axis=dim) > 1).any()):
        rows = tensor.detach().moveaxis(dim, -1)
        places = [torch_selected(row, k - 1) for row in rows.reshape([-1, rows.shape[-1]]).tolist()]
        found = paddle.to_tensor(places).reshape([*rows.shape[:-1], 1]).moveaxis(-1, dim)
        value = torch_pick(tensor, found, dim)
    if not keepdim:
        value, found = value.squeeze(dim), found.squeeze(dim)
    return TorchPair(value, found)


def torch_selected(values: list[Any], k: int) -> int:
    """The place that torch tells of the k-th smallest of values some of which are equal.

    It is the one that a quick selection with the median of three as pivot comes upon.
    """
    order = list(range(len(values)))

    def above(one: int, other: int) -> bool:
        left, right = values[order[one]], values[order[other]]
        return bool((left != left and right == right) or left > right)

    def swap(one: int, other: int) -> None:
        order[one], order[other] = order[other], order[one]

    low, high = 0, len(values) - 1
    while high > low + 1:
        swap(low + (high - low) // 2, low + 1)
        for one, other in ((low + 1, high), (low, high), (low + 1, low)):
            if above(one, other):
                swap(one, other)
        up, down = low + 1, high
        while True:
            up, down = up + 1, down - 1
            while above(low, up):
                up += 1
            while above(down, low):
                down -= 1
            if down < up:
                break
            swap(up, down)
        swap(low, down)
        low, high = (up if down <= k else low), (down - 1 if down >= k else high)
    if high == low + 1 and above(low, high):
        swap(low, high)
    return order[k]


def torch_cumulative(
    tensor: paddle.Tensor, dim: int, function: Any, dtype: Any = None
) -> paddle.Tensor:
    """A running sum or product; of integers and truth values in int64."""
    if dtype is None and torch_kind(tensor.dtype) < 2:
        dtype = paddle.int64
    if dtype is not None and tensor.dtype != dtype:
        tensor = tensor.astype(dtype)
    if tensor.ndim == 0 or tensor.size == 0:
        return tensor.clone()
    wide = tensor  # as there are kernels on a CPU
    if tensor.dtype in (paddle.float16, paddle.bfloat16):
        wide = tensor.astype("float32")
    elif tensor.dtype in (paddle.uint8, paddle.int8, paddle.int16):
        wide = tensor.astype("int64")
    result = function(wide, dim)
    return result if result.dtype == tensor.dtype else result.astype(tensor.dtype)


def torch_any(tensor: paddle.Tensor, dim: Any = None, keepdim: bool = False) -> paddle.Tensor:
    """Whether any value is not zero; of uint8 in uint8."""
    return torch_truth(paddle.any, tensor, dim, keepdim)


def torch_all(tensor: paddle.Tensor, dim: Any = None, keepdim: bool = False) -> paddle.Tensor:
    """Whether all values are not zero; of uint8 in uint8."""
    return torch_truth(paddle.all, tensor, dim, keepdim)


def torch_truth(function: Any, tensor: paddle.Tensor, dim: Any, keepdim: bool) -> paddle.Tensor:
    """A reduction of truth values."""
    axis = list(dim) if isinstance(dim, (tuple, list)) else dim
    truths = tensor.astype("bool")
    result = truths.clone() if axis == [] else function(truths, axis=axis, keepdim=keepdim)
    return result.astype(tensor.dtype) if tensor.dtype == paddle.uint8 else result
