"""Joining tensors of any dtypes, and splitting them as torch counts the parts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import paddle

from workbench.targets.paddle.math.helpers.dtypes import torch_promote_types


def torch_alike(tensors: Sequence[Any]) -> list[paddle.Tensor]:
    """The tensors in the dtype that holds all of them."""
    tensors = list(tensors)
    dtype = tensors[0].dtype
    for tensor in tensors[1:]:
        dtype = torch_promote_types(dtype, tensor.dtype)
    return [tensor if tensor.dtype == dtype else tensor.astype(dtype) for tensor in tensors]


def torch_cat(tensors: Sequence[Any], dim: int = 0) -> paddle.Tensor:
    """Join tensors in the dtype that holds all of them; one-dimensional empty ones do not count."""
    tensors = torch_alike(tensors)
    kept = [tensor for tensor in tensors if list(tensor.shape) != [0]] or tensors[:1]
    return paddle.concat(kept, axis=dim)


def torch_split(tensor: paddle.Tensor, size: Any, dim: int = 0) -> tuple[paddle.Tensor, ...]:
    """Parts of a given size, the last one perhaps smaller, or of given sizes; they are views."""
    length = tensor.shape[dim]
    if isinstance(size, int) or (isinstance(size, paddle.Tensor) and size.ndim == 0):
        size = int(size)
        sizes = [min(size, length - start) for start in range(0, length, size)] if size else []
        sizes = sizes or [length]
    else:
        sizes = [int(part) for part in size]
    if sum(sizes) != length:
        raise RuntimeError(f"the parts {sizes} do not make up dimension {dim} of {tensor.shape}")
    parts, start = [], 0
    for part in sizes:
        at: list[Any] = [slice(None)] * tensor.ndim
        at[dim] = slice(start, start + part)
        parts.append(tensor[tuple(at)])
        start += part
    return tuple(parts)


def torch_chunk(tensor: paddle.Tensor, chunks: int, dim: int = 0) -> tuple[paddle.Tensor, ...]:
    """At most so many parts of equal size, the last one perhaps smaller; of nothing, all."""
    if tensor.shape[dim] == 0:
        return torch_split(tensor, [0] * chunks, dim)
    return torch_split(tensor, max(-(-tensor.shape[dim] // chunks), 1), dim)


def torch_tensor_split(
    input: paddle.Tensor, places: Any = None, dim: int = 0, **named: Any
) -> tuple[paddle.Tensor, ...]:
    """So many parts, the first ones larger by one, or parts that end at given places.

    torch has a name for each kind of places: `sections`, `indices`, and one of tensors.
    """
    (places,) = named.values() or (places,)
    length = input.shape[dim]
    places = places.tolist() if isinstance(places, paddle.Tensor) else places
    if isinstance(places, int):
        size, rest = divmod(length, places)
        return torch_split(input, [size + 1] * rest + [size] * (places - rest), dim)
    ends = [0, *(max(0, min(length, p + length if p < 0 else p)) for p in places), length]
    at: list[Any] = [slice(None)] * input.ndim
    parts = []
    for start, end in pairwise(ends):
        at[dim] = slice(start, max(start, end))
        parts.append(input[tuple(at)])
    return tuple(parts)


def torch_lone(values: list[Any]) -> Any:
    """The one value that there is, or all of them."""
    return values[0] if len(values) == 1 else values


def torch_even_split(tensor: paddle.Tensor, places: Any, dim: int) -> tuple[paddle.Tensor, ...]:
    """`hsplit`, `vsplit` and `dsplit`: equal parts, or parts that end at given places."""
    if dim == 1 and tensor.ndim == 1:
        dim = 0
    if isinstance(places, int) and tensor.shape[dim] % places:
        raise RuntimeError(f"dimension {dim} of {tensor.shape} has no {places} equal parts")
    return torch_tensor_split(tensor, places, dim)


def torch_meshgrid(tensors: Sequence[Any], indexing: str = "ij") -> tuple[paddle.Tensor, ...]:
    """A grid for each of several ranges."""
    if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
        tensors = tensors[0]
    if indexing == "xy" and len(tensors) > 1:
        second, first, *rest = torch_meshgrid([tensors[1], tensors[0], *tensors[2:]])
        return (first, second, *rest)
    # Paddle's own ends the process in its backward pass where one of the grids goes unused.
    sizes = [tensor.size for tensor in tensors]
    grids = []
    for place, tensor in enumerate(tensors):
        shape = [1] * len(sizes)
        shape[place] = -1
        grids.append(tensor.reshape(shape).expand(sizes))
    return tuple(grids)


def torch_cartesian_prod(tensors: Sequence[Any]) -> paddle.Tensor:
    """Every choice of one value from each; Paddle's own ends the process in its backward pass."""
    if len(tensors) == 1:
        return tensors[0]
    return paddle.stack([grid.flatten() for grid in torch_meshgrid(tensors)], axis=-1)
