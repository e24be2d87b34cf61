"""Sums, extremes, order and counts along dimensions."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax


class TorchPair(NamedTuple):
    """Values along a dimension, and their places."""

    values: Any
    indices: Any


def torch_dims(dim: Any) -> Any:
    """Dimensions as a tuple, one number, or None for all of them."""
    if dim is None or isinstance(dim, int):
        return dim
    return tuple(dim) or None


def torch_sum(x: Any, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    """`torch.sum`: integers are summed as signed ones."""
    if dtype is None and not jnp.issubdtype(x.dtype, jnp.inexact):
        dtype = jnp.int32
    return jnp.sum(x, axis=torch_dims(dim), keepdims=keepdim, dtype=dtype)


def torch_prod(x: Any, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    """`torch.prod`: integers are multiplied as signed ones."""
    if dtype is None and not jnp.issubdtype(x.dtype, jnp.inexact):
        dtype = jnp.int32
    x = x if dtype is None else x.astype(dtype)
    return jnp.prod(x, axis=dim, keepdims=keepdim, dtype=dtype)


def torch_cumulative(x: Any, dim: int, of_product: bool, dtype: Any = None) -> Any:
    """`torch.cumsum` and `torch.cumprod`."""
    if dtype is None and not jnp.issubdtype(x.dtype, jnp.inexact):
        dtype = jnp.int32
    x = x if dtype is None else x.astype(dtype)
    if x.ndim == 0:
        return x
    return (jnp.cumprod if of_product else jnp.cumsum)(x, axis=dim)


def torch_truth(x: Any, dim: Any = None, keepdim: bool = False, of_all: bool = False) -> Any:
    """`torch.any` and `torch.all`; no dimensions at all reduce nothing."""
    if isinstance(dim, tuple | list) and not dim:
        result = x != 0
    else:
        axis = dim if dim is None or isinstance(dim, int) else tuple(dim)
        result = (jnp.all if of_all else jnp.any)(x != 0, axis=axis, keepdims=keepdim)
    return result.astype(jnp.uint8) if x.dtype == jnp.uint8 else result


def torch_amax(x: Any, dim: Any = None, keepdim: bool = False, smallest: bool = False) -> Any:
    """`torch.amax` and `torch.amin`."""
    return (jnp.min if smallest else jnp.max)(x, axis=torch_dims(dim), keepdims=keepdim)


def torch_argmax(x: Any, axis: Any = None, keepdims: bool = False, smallest: bool = False) -> Any:
    """`torch.argmax` and `torch.argmin`, which JAX lacks for floats of 64 bits."""
    best = (jnp.min if smallest else jnp.max)(x, axis=axis, keepdims=True)
    return jnp.argmax((x == best) | (x != x), axis=axis, keepdims=keepdims)


def torch_extreme(x: Any, dim: int, keepdim: bool = False, smallest: bool = False) -> Any:
    """`torch.max` and `torch.min` along a dimension; the gradient goes to that place."""
    if x.ndim == 0:
        return TorchPair(x, jnp.zeros((), jnp.int32))
    place = torch_argmax(x, dim, True, smallest)
    values = jnp.take_along_axis(x, place, dim)
    if keepdim:
        return TorchPair(values, place)
    return TorchPair(values.squeeze(dim), place.squeeze(dim))


def torch_max(x: Any, dim: Any = None, keepdim: bool = False, smallest: bool = False) -> Any:
    """`torch.max` and `torch.min` of everything, along a dimension, or of two tensors."""
    if dim is None:
        return x.min() if smallest else x.max()
    if not isinstance(dim, int):
        return jnp.minimum(x, dim) if smallest else jnp.maximum(x, dim)
    return torch_extreme(x, dim, keepdim, smallest)


def torch_var(
    x: Any, dim: Any = None, unbiased: Any = None, keepdim: bool = False, correction: Any = None
) -> Any:
    """`torch.var`: one less than the count divides, unless told otherwise."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    less = 1 if correction is None else correction
    less = less if unbiased is None else int(unbiased)
    axis = torch_dims(dim)
    mean = jnp.mean(x, axis=axis, keepdims=True)
    squares = jnp.square(jnp.abs(x - mean) if jnp.iscomplexobj(x) else x - mean)
    total = jnp.sum(squares, axis=axis, keepdims=keepdim)
    return total / max(x.size // max(mean.size, 1) - less, 0)


def torch_std(
    x: Any, dim: Any = None, unbiased: Any = None, keepdim: bool = False, correction: Any = None
) -> Any:
    """`torch.std`: the gradient at 0 is 0."""
    return torch_root(torch_var(x, dim, unbiased, keepdim, correction))


def torch_root(x: Any) -> Any:
    """The square root, whose gradient at 0 is 0."""
    zero = x == 0
    return jnp.where(zero, x, jnp.sqrt(jnp.where(zero, 1, x)))


def torch_vector_norm(x: Any, ord: Any = 2, dim: Any = None, keepdim: bool = False) -> Any:
    """A norm of the elements along dimensions; the gradient at 0 is 0."""
    axis = torch_dims(dim)
    floats = jnp.issubdtype(x.dtype, jnp.floating)
    size = jnp.abs(jnp.where(x == 0, lax.stop_gradient(x), x)) if floats else jnp.abs(x)
    if ord == 0:
        return jnp.sum((x != 0).astype(size.dtype), axis=axis, keepdims=keepdim)
    if ord == 1:
        return jnp.sum(size, axis=axis, keepdims=keepdim)
    if ord == 2:
        return torch_root(jnp.sum(jnp.square(size), axis=axis, keepdims=keepdim))
    if math.isinf(ord):
        return (jnp.max if ord > 0 else jnp.min)(size, axis=axis, keepdims=keepdim)
    total = jnp.sum(size**ord, axis=axis, keepdims=keepdim)
    zero = total == 0
    return jnp.where(zero, 0, jnp.where(zero, 1, total) ** (1 / ord))


def torch_norm(
    x: Any, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None
) -> Any:
    """`torch.norm` of the elements."""
    x = x if dtype is None else x.astype(dtype)
    return torch_vector_norm(x, 2 if p is None or p == "fro" else p, dim, keepdim)


def torch_logsumexp(x: Any, dim: Any, keepdim: bool = False) -> Any:
    """`torch.logsumexp`."""
    if not x.ndim:
        return x if jnp.issubdtype(x.dtype, jnp.inexact) else x.astype(jnp.float32)
    return jax.nn.logsumexp(x, axis=torch_dims(dim), keepdims=keepdim)


def torch_sort(x: Any, dim: int = -1, descending: bool = False) -> Any:
    """`torch.sort`; equal values keep their order."""
    if x.ndim == 0:
        return TorchPair(x, jnp.zeros((), jnp.int32))
    place = jnp.argsort(x, axis=dim, stable=True, descending=descending)
    return TorchPair(jnp.take_along_axis(x, place, dim), place)


def torch_topk(x: Any, k: int, dim: int = -1, largest: bool = True) -> Any:
    """`torch.topk`."""
    order = torch_sort(x, dim, largest)
    if x.ndim == 0:
        return order
    return TorchPair(*(lax.slice_in_dim(one, 0, k, axis=dim) for one in order))


def torch_median(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """`torch.median`: the lower of the middle values, or NaN."""
    if dim is None:
        return torch_shared(torch_median(x.reshape(-1), 0).values, x)
    middle = (x.shape[dim] - 1) // 2
    place = jnp.argsort(x, axis=dim, stable=True)
    place = lax.slice_in_dim(place, middle, middle + 1, axis=dim)
    if jnp.issubdtype(x.dtype, jnp.floating):
        missing = jnp.isnan(x)
        first = jnp.argmax(missing, axis=dim, keepdims=True)
        place = jnp.where(jnp.any(missing, axis=dim, keepdims=True), first, place)
    values = jnp.take_along_axis(x, place, dim)
    if keepdim:
        return TorchPair(values, place)
    return TorchPair(values.squeeze(dim), place.squeeze(dim))


def torch_kthvalue(x: Any, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    """`torch.kthvalue`."""
    order = torch_sort(x, dim)
    found = TorchPair(*(lax.slice_in_dim(one, k - 1, k, axis=dim) for one in order))
    return found if keepdim else TorchPair(*(one.squeeze(dim) for one in found))


def torch_cumulative_extreme(x: Any, dim: int, smallest: bool = False) -> Any:
    """`torch.cummax` and `torch.cummin`: of equal values, the last place counts."""
    axis = dim % x.ndim
    best = (lax.cummin if smallest else lax.cummax)(x, axis)
    numbers = lax.broadcasted_iota(jnp.int32, x.shape, axis)
    place = lax.cummax(jnp.where((x == best) | (x != x), numbers, 0), axis)
    return TorchPair(jnp.take_along_axis(x, place, axis), place)


def torch_cdist(a: Any, b: Any, p: float = 2.0) -> Any:
    """`torch.cdist`: distances between the rows of two matrices."""
    return torch_vector_norm(a[..., :, None, :] - b[..., None, :, :], p, -1)


def torch_cholesky(x: Any, upper: bool = False) -> Any:
    """`torch.linalg.cholesky`, which reads one triangle; its gradient goes to both."""
    half = jnp.triu(x) if upper else jnp.tril(x)
    other = jnp.conj((jnp.triu(x, 1) if upper else jnp.tril(x, -1)).swapaxes(-2, -1))
    return jnp.linalg.cholesky(x + lax.stop_gradient(half + other - x), upper=upper)


def torch_shared(value: Any, x: Any) -> Any:
    """A value of x, whose gradient all elements that are equal to it share."""
    if not jnp.issubdtype(x.dtype, jnp.floating):
        return value
    value = lax.stop_gradient(value)
    same = (x == value) | (jnp.isnan(x) & jnp.isnan(value))
    change = jnp.sum(jnp.where(same, x - lax.stop_gradient(x), 0))
    return value + change / jnp.maximum(jnp.sum(same), 1)


def torch_quantile(
    x: Any, q: Any, dim: Any, keepdim: bool, interpolation: str, skips_nan: bool
) -> Any:
    """`torch.quantile` and `torch.nanquantile`."""
    axis = dim if x.ndim else None
    found = jnp.nanquantile if skips_nan else jnp.quantile
    return found(x, q, axis=axis, keepdims=keepdim, method=interpolation)
