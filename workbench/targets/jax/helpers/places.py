"""Elements by their places, and shapes."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import lax


def torch_sizes(*sizes: Any) -> Any:
    """A size given as numbers, or as sequences of them."""
    found: list[int] = []
    for one in sizes:
        if isinstance(one, int) or not getattr(one, "shape", True):
            found.append(int(one))
        else:
            found += torch_sizes(*one)
    return tuple(found)


def torch_flatten(x: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    """`torch.flatten`."""
    if x.ndim == 0:
        return x.reshape(1)
    first, last = start_dim % x.ndim, end_dim % x.ndim
    count = 1
    for size in x.shape[first : last + 1]:
        count *= size
    return x.reshape(*x.shape[:first], count, *x.shape[last + 1 :])


def torch_unflatten(x: Any, dim: int, sizes: Any) -> Any:
    """`torch.unflatten`."""
    at = dim % x.ndim
    sizes, rest = list(sizes), x.shape[at]
    for size in sizes:
        rest = rest // size if size != -1 else rest
    sizes = [rest if size == -1 else size for size in sizes]
    return x.reshape(*x.shape[:at], *sizes, *x.shape[at + 1 :])


def torch_squeeze(x: Any, dim: Any = None) -> Any:
    """`torch.squeeze`: dimensions of another size than 1 stay."""
    if dim is None:
        return x.squeeze()
    dims = (dim,) if isinstance(dim, int) else tuple(dim)
    if not x.ndim:
        return x
    return x.squeeze(tuple(one % x.ndim for one in dims if x.shape[one] == 1))


def torch_expand(x: Any, *sizes: Any) -> Any:
    """`Tensor.expand`: -1 keeps a size."""
    shape = torch_sizes(*sizes)
    new = len(shape) - x.ndim
    kept = [size if size != -1 else x.shape[at - new] for at, size in enumerate(shape)]
    return jnp.broadcast_to(x, kept)


def torch_split(x: Any, size: Any, dim: int = 0) -> Any:
    """`torch.split`: a number is the size of the parts."""
    length = x.shape[dim]
    if isinstance(size, int):
        size = [min(size, length - at) for at in range(0, length, size or 1)] or [0]
    parts, start = [], 0
    for one in size:
        parts.append(lax.slice_in_dim(x, start, start + one, axis=dim))
        start += one
    return tuple(parts)


def torch_chunk(x: Any, chunks: int, dim: int = 0) -> Any:
    """`torch.chunk`: all parts but the last are of one size."""
    length = x.shape[dim]
    if length == 0:
        return (x,) * chunks
    return torch_split(x, -(-length // chunks), dim)


def torch_cat(tensors: Any, dim: int = 0) -> Any:
    """`torch.cat`: empty tensors of one dimension fit everywhere."""
    tensors = list(tensors)
    dtype = jnp.result_type(*tensors)
    kept = [one for one in tensors if one.shape != (0,)] or tensors
    return jnp.concatenate(kept, axis=dim, dtype=dtype)


def torch_gather(x: Any, dim: int, index: Any) -> Any:
    """`torch.gather`: the index may be smaller than x."""
    if not x.ndim:
        return jnp.broadcast_to(x, index.shape)
    return x[torch_places(index, dim)]


def torch_places(index: Any, dim: int) -> Any:
    """The place of each element that an index along one dimension means."""
    found = list(jnp.indices(index.shape, sparse=True))
    found[dim] = index
    return tuple(found)


def torch_scatter(
    x: Any, dim: int, index: Any, values: Any, reduce: Any = None, include_self: bool = True
) -> Any:
    """`torch.scatter`, `torch.scatter_add` and others: x with values at an index."""
    if not x.ndim:
        values = values if not getattr(values, "ndim", 0) else values.reshape(())
        return torch_scatter(x[None], 0, index.reshape(1), values, reduce, include_self)[0]
    index = index if index.ndim else index[None]
    places = torch_places(index, dim)
    if getattr(values, "shape", ()):
        values = values[tuple(slice(size) for size in index.shape)]
    values = jnp.asarray(values, x.dtype)
    way = {None: "set", "sum": "add", "prod": "multiply", "amax": "max", "amin": "min"}
    way = way.get(reduce, reduce)
    if not include_self:
        whole = not jnp.issubdtype(x.dtype, jnp.floating)
        limits = jnp.iinfo(x.dtype) if whole else jnp.finfo(x.dtype)
        low, high = (limits.min, limits.max) if whole else (-jnp.inf, jnp.inf)
        x = x.at[places].set({"add": 0, "mean": 0, "multiply": 1, "max": low, "min": high}[way])
    if way in ("max", "min"):
        return torch_scatter_extreme(x, places, values, way, include_self)
    if way != "mean":
        return getattr(x.at[places], way)(values)
    count = (jnp.ones if include_self else jnp.zeros)(x.shape, x.dtype).at[places].add(1)
    total, count = x.at[places].add(values), jnp.maximum(count, 1)
    return total / count if jnp.issubdtype(x.dtype, jnp.floating) else total // count


def torch_scatter_extreme(x: Any, places: Any, values: Any, way: str, include_self: bool) -> Any:
    """The largest or smallest values at places; equal ones share the gradient."""
    best = lax.stop_gradient(getattr(x.at[places], way)(values))
    if not jnp.issubdtype(x.dtype, jnp.floating):
        return best
    touched = jnp.zeros(x.shape, bool).at[places].set(True)
    mine = (x == best) & (include_self | ~touched) & jnp.isfinite(best)
    theirs = (values == best[places]) & jnp.isfinite(best[places])
    count = jnp.maximum(mine.astype(x.dtype).at[places].add(theirs.astype(x.dtype)), 1)
    shared = (
        jnp.where(mine, x / count, 0).at[places].add(jnp.where(theirs, values / count[places], 0))
    )
    return best + (shared - lax.stop_gradient(shared))


def torch_along(x: Any, dim: int, index: Any) -> Any:
    """The place of entries along one dimension."""
    return (slice(None),) * (dim % x.ndim) + (index,)


def torch_index_select(x: Any, dim: int, index: Any) -> Any:
    """`torch.index_select`."""
    return x[torch_along(x, dim, index)] if x.ndim else x


def torch_index_add(x: Any, dim: int, index: Any, source: Any, alpha: Any = 1) -> Any:
    """`torch.index_add`."""
    return x.at[torch_along(x, dim, index)].add((alpha * source).astype(x.dtype))


def torch_index_set(x: Any, dim: int, index: Any, value: Any) -> Any:
    """`torch.index_copy` and `torch.index_fill`."""
    return x.at[torch_along(x, dim, index)].set(jnp.asarray(value, x.dtype))


def torch_take_along_dim(x: Any, indices: Any, dim: Any = None) -> Any:
    """`torch.take_along_dim`."""
    if dim is None:
        return x.reshape(-1)[indices.reshape(-1)]
    return jnp.take_along_axis(x, indices, dim)


def torch_masked_fill(x: Any, mask: Any, value: Any) -> Any:
    """`torch.masked_fill`."""
    return jnp.where(mask, jnp.asarray(value, x.dtype), x)


def torch_masked_scatter(x: Any, mask: Any, source: Any) -> Any:
    """`torch.masked_scatter`: values in their order where the mask is true."""
    shape = jnp.broadcast_shapes(x.shape, mask.shape)
    mask = jnp.broadcast_to(mask, shape)
    values = source.reshape(-1)[: int(mask.sum())]
    return jnp.broadcast_to(x, shape).at[mask].set(values)


def torch_masked_select(x: Any, mask: Any) -> Any:
    """`torch.masked_select`."""
    x, mask = jnp.broadcast_arrays(x, mask)
    return x[mask]


def torch_narrow(x: Any, dim: int, start: Any, length: int) -> Any:
    """`torch.narrow`."""
    start = int(start)
    start = start + x.shape[dim] if start < 0 else start
    return lax.slice_in_dim(x, start, start + length, axis=dim)


def torch_windows(x: Any, dim: int, size: int, step: int) -> Any:
    """`Tensor.unfold`: windows along a dimension."""
    at = dim % x.ndim
    starts = jnp.arange(0, x.shape[at] - size + 1, step)
    found = x[torch_along(x, at, starts[:, None] + jnp.arange(size))]
    return jnp.moveaxis(found, at + 1, -1)


def torch_repeat_interleave(x: Any, repeats: Any = None, dim: Any = None) -> Any:
    """`torch.repeat_interleave`."""
    if repeats is None:
        return jnp.repeat(jnp.arange(x.shape[0]), x)
    if dim is None:
        x, dim = x.reshape(-1), 0
    if not isinstance(repeats, int) and repeats.ndim == 1 and repeats.shape[0] == 1:
        repeats = repeats[0]
    return jnp.repeat(x, repeats, axis=dim)


def torch_roll(x: Any, shifts: Any, dims: Any = None) -> Any:
    """`torch.roll`."""
    return jnp.roll(x, shifts, None if dims is None or dims == () else dims)


def torch_diff(x: Any, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """`torch.diff`."""
    parts = [one for one in (prepend, x, append) if one is not None]
    x = torch_cat(parts, dim) if len(parts) > 1 else x
    return jnp.diff(x, n=min(n, x.shape[dim]), axis=dim)


def torch_nonzero(x: Any) -> Any:
    """`torch.nonzero`."""
    return jnp.argwhere(x) if x.ndim else jnp.zeros((int(x != 0), 0), jnp.int32)


def torch_where(condition: Any) -> Any:
    """`torch.where` of a condition alone."""
    return jnp.nonzero(jnp.atleast_1d(condition))


def torch_bincount(x: Any, weights: Any = None, minlength: int = 0) -> Any:
    """`torch.bincount`."""
    weights = None if weights is None else weights.astype(jnp.float32)
    return jnp.bincount(x, weights=weights, minlength=minlength)


def torch_tensor(data: Any, dtype: Any = None) -> Any:
    """`torch.tensor` of a list that holds tensors: it takes values, without gradients."""
    return lax.stop_gradient(jnp.array(data, dtype))


def torch_cast(x: Any, *given: Any) -> Any:
    """A cast to a dtype, or to that of a tensor; floats become integers as in torch."""
    aim = jnp.dtype(given[-1].dtype if hasattr(given[-1], "astype") else given[-1])
    if jnp.issubdtype(x.dtype, jnp.floating) and jnp.issubdtype(aim, jnp.integer):
        x = x.astype(jnp.int32)  # numbers outside the range of a narrow dtype wrap
    return x.astype(aim)


def torch_typed(*given: Any, dtype: Any) -> Any:
    """`torch.FloatTensor(...)`: numbers are a size, everything else is data."""
    if all(isinstance(one, int) for one in given):
        return jnp.empty(given, dtype)
    return jnp.array(given[0], dtype)
