"""Picking and placing values by index, with torch's bounds and forms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import paddle

from workbench.targets.paddle.math.helpers.arithmetic import torch_operands
from workbench.targets.paddle.math.helpers.dtypes import torch_kind
from workbench.targets.paddle.math.helpers.reduction import torch_pick
from workbench.targets.paddle.tensors.helpers.grad import torch_flat
from workbench.targets.paddle.tensors.helpers.parts import torch_halves
from workbench.targets.paddle.tensors.helpers.shapes import torch_contiguous


class TorchPlaces:
    """Places picked in a tensor, to be written to, or read beside a `None`.

    Paddle writes elsewhere in a view with gaps between its values, and where the new values have
    more dimensions than the places; it raises where there are no places at all, and where a tensor
    is written to one without dimensions. The dimension of a `None` that stands before a tensor it
    puts elsewhere.
    """

    def __init__(self, tensor: paddle.Tensor) -> None:
        self._tensor = tensor

    def __getitem__(self, key: Any) -> paddle.Tensor:
        tensor, key = torch_contiguous(self._tensor), torch_without_places(key)
        if not isinstance(key, tuple) or all(part is not None for part in key):
            return tensor[key]
        left = tensor.ndim - sum(map(torch_taken, key))
        parts: list[Any] = []
        place = 0
        for part in key:
            parts.append(slice(None) if part is None else part)
            if part is None:
                tensor = tensor.unsqueeze(place)
            place += 1 if part is None else left if part is ... else torch_taken(part)
        return tensor[tuple(parts)]

    def __setitem__(self, key: Any, value: Any) -> None:
        with paddle.no_grad():
            places = self[key].shape
        if 0 in places:
            return
        while isinstance(value, paddle.Tensor) and value.ndim > len(places):
            value = value.squeeze(0)
        if isinstance(key, tuple) and any(part is None for part in key):
            numbers = paddle.arange(self._tensor.size).reshape(self._tensor.shape)
            if isinstance(value, paddle.Tensor):
                value = value.expand(places).flatten()
            flat = torch_replaced(
                self._tensor.flatten(), TorchPlaces(numbers)[key].flatten(), value
            )
            self._tensor[...] = flat.reshape(self._tensor.shape)
            return
        if self._tensor.ndim == 0 and isinstance(value, paddle.Tensor):
            self._tensor[paddle.to_tensor(True)] = value.astype(self._tensor.dtype)
            return
        if torch_is_mask(key) and isinstance(value, paddle.Tensor) and value.size == 1:
            key = key.nonzero(as_tuple=True)  # with a mask, one value would get no gradient
        if self._tensor.is_contiguous() and not torch_is_wide(self._tensor, value):
            self._tensor[key] = value
        else:
            self._tensor[...] = torch_replaced(self._tensor, key, value)


def torch_without_places(key: Any) -> Any:
    """An index in which a slice, not a list, selects nothing: Paddle puts that dimension first."""
    if not isinstance(key, tuple):
        return key
    parts: list[Any] = []
    for part in key:
        listed = isinstance(part, list | tuple | range)
        placed = isinstance(part, paddle.Tensor) and part.ndim == 1 and part.dtype != paddle.bool
        nothing = (listed or placed) and len(part) == 0
        another = any(isinstance(one, slice) and one == slice(0, 0) for one in parts)
        parts.append((0 if another else slice(0, 0)) if nothing else part)
    return tuple(parts)


def torch_is_mask(key: Any) -> bool:
    """Whether an index is a mask and nothing else."""
    return isinstance(key, paddle.Tensor) and key.dtype == paddle.bool and key.ndim > 0


def torch_taken(part: Any) -> int:
    """How many dimensions a part of an index is for."""
    if part is None or part is ...:
        return 0
    mask = isinstance(part, paddle.Tensor) and part.dtype == paddle.bool
    return part.ndim if mask else 1


def torch_is_wide(tensor: paddle.Tensor, value: Any) -> bool:
    """Whether values are assigned for which Paddle's gradient is that of other memory."""
    recorded = isinstance(value, paddle.Tensor) and not value.stop_gradient
    wide = tensor.dtype == paddle.float64 or tensor.is_complex()
    return recorded and wide and paddle.is_grad_enabled()


def torch_replaced(tensor: paddle.Tensor, key: Any, value: Any) -> paddle.Tensor:
    """A copy with other values where an index says."""
    if torch_is_wide(tensor, value):
        places = paddle.arange(tensor.size).reshape(tensor.shape)[key]
        new = value.astype(tensor.dtype).expand(places.shape).flatten()
        return paddle.index_put(tensor.flatten(), (places.flatten(),), new).reshape(tensor.shape)
    result = tensor.clone()
    result[key] = value
    return result


def torch_index(index: paddle.Tensor, size: int) -> paddle.Tensor:
    """An index that is checked: Paddle reads whatever lies out of bounds."""
    if index.size and (int(index.min()) < 0 or int(index.max()) >= size):
        raise IndexError(f"index out of range: it must lie in 0..{size - 1}")
    return index


def torch_gather(tensor: paddle.Tensor, dim: int, index: paddle.Tensor) -> paddle.Tensor:
    """Values along a dimension, at the places that an index of the result's shape names."""
    if tensor.ndim == 0:
        return tensor.expand(index.shape)
    if index.ndim == 0:
        return torch_gather(tensor, 0, index.reshape([1]))[0]
    if index.size == 0:
        return tensor.flatten()[:0].reshape(index.shape)
    return torch_pick(tensor, torch_index(index, tensor.shape[dim]), dim)


def torch_index_select(tensor: paddle.Tensor, dim: int, index: paddle.Tensor) -> paddle.Tensor:
    """Whole slices along a dimension."""
    if tensor.ndim == 0:
        return tensor.clone()
    if index.ndim == 0:
        index = index.reshape([1])
    if tensor.dtype in (paddle.float16, paddle.uint8, paddle.int8, paddle.int16):  # no kernels
        return torch_index_select(tensor.astype("float32"), dim, index).astype(tensor.dtype)
    return paddle.index_select(tensor, torch_index(index, tensor.shape[dim]), axis=dim)


def torch_scatter(
    tensor: paddle.Tensor, dim: int, index: paddle.Tensor, src: Any, reduce: str | None = None
) -> paddle.Tensor:
    """Values put where an index says; the part of `src` that the index covers is used."""
    if tensor.ndim == 0:
        source = src.reshape([1]) if isinstance(src, paddle.Tensor) else src
        return torch_scatter(tensor.reshape([1]), 0, index.reshape([1]), source, reduce)[0]
    if index.ndim == 0:
        index = index.reshape([1])
    if index.size == 0:
        return tensor.clone()
    if tensor.dtype == paddle.bool:
        src = src.astype("int32") if isinstance(src, paddle.Tensor) else int(bool(src))
        return torch_scatter(tensor.astype("int32"), dim, index, src, reduce).astype("bool")
    if tensor.dtype in (paddle.int8, paddle.float16, paddle.bfloat16):  # no kernels on a CPU
        wide = tensor.astype("int32" if tensor.dtype == paddle.int8 else "float32")
        return torch_scatter(wide, dim, index, src, reduce).astype(tensor.dtype)
    if tensor.is_complex() and reduce != "multiply":
        src = paddle.to_tensor(src, dtype=tensor.dtype)
        return torch_halves(
            lambda *both: torch_scatter(both[0], dim, index, both[1], reduce), tensor, src
        )
    torch_index(index, tensor.shape[dim])
    if isinstance(src, paddle.Tensor) and src.ndim:
        src = src[tuple(slice(0, size) for size in index.shape)]
        src = src.astype(tensor.dtype) if src.dtype != tensor.dtype else src
    else:
        src = paddle.full(index.shape, src, dtype=tensor.dtype)
    mode = {None: "assign", "add": "add", "multiply": "multiply"}[reduce]
    return paddle.put_along_axis(tensor, index, src, dim, mode, broadcast=False)


def torch_scatter_add(
    tensor: paddle.Tensor, dim: int, index: paddle.Tensor, src: paddle.Tensor
) -> paddle.Tensor:
    """Values added where an index says."""
    return torch_scatter(tensor, dim, index, src, "add")


def torch_index_add(
    tensor: paddle.Tensor, dim: int, index: paddle.Tensor, source: paddle.Tensor, alpha: Any = 1
) -> paddle.Tensor:
    """Slices added along a dimension; an index that occurs twice adds twice."""
    if tensor.ndim == 0:
        source = source.reshape([1])
        return torch_index_add(tensor.reshape([1]), 0, index.reshape([1]), source, alpha)[0]
    if tensor.dtype == paddle.bool:
        whole = torch_index_add(tensor.astype("int32"), dim, index, source.astype("int32"), alpha)
        return whole.astype("bool")
    if tensor.dtype in (paddle.uint8, paddle.int8, paddle.int16):  # no kernels on a CPU
        whole = torch_index_add(tensor.astype("int32"), dim, index, source.astype("int32"), alpha)
        return whole.astype(tensor.dtype)
    if tensor.is_complex():
        source = (source * alpha).astype(tensor.dtype)
        return torch_halves(
            lambda *both: torch_index_add(both[0], dim, index, both[1]), tensor, source
        )
    torch_index(index, tensor.shape[dim])
    if torch_kind(source.dtype) < 2:
        alpha = int(alpha)
    source = (source * alpha).astype(source.dtype) if alpha != 1 else source
    return paddle.index_add(tensor, index, dim % tensor.ndim, source.astype(tensor.dtype))


def torch_index_copy(
    tensor: paddle.Tensor, dim: int, index: paddle.Tensor, source: paddle.Tensor
) -> paddle.Tensor:
    """Slices copied along a dimension."""
    if tensor.ndim == 0:
        return torch_index_copy(tensor.reshape([1]), 0, index.reshape([1]), source.reshape([1]))[0]
    torch_index(index, tensor.shape[dim])
    moved = torch_replaced(tensor.moveaxis(dim, 0), index, source.moveaxis(dim, 0))
    return moved.moveaxis(0, dim)


def torch_index_fill(
    tensor: paddle.Tensor, dim: int, index: paddle.Tensor, value: Any
) -> paddle.Tensor:
    """Slices along a dimension filled with a value."""
    if tensor.ndim == 0:
        return torch_index_fill(tensor.reshape([1]), 0, index, value)[0]
    size = tensor.shape[dim]
    index = paddle.where(index < 0, index + size, index).reshape([-1])
    chosen = paddle.bincount(torch_index(index, size), minlength=size) > 0
    shape = [1] * tensor.ndim
    shape[dim] = size
    return torch_masked_fill(tensor, chosen.reshape(shape), value)


def torch_index_put(
    tensor: paddle.Tensor, indices: Sequence[Any], values: Any, accumulate: bool = False
) -> paddle.Tensor:
    """Values put, or added, at places that several indices name together."""
    recorded = not values.stop_gradient and all(index is not None for index in indices)
    if accumulate or recorded:
        return paddle.index_put(tensor, tuple(indices), values.astype(tensor.dtype), accumulate)
    key = tuple(slice(None) if index is None else index for index in indices)
    return torch_replaced(tensor, key, values)


def torch_masked_fill(tensor: paddle.Tensor, mask: paddle.Tensor, value: Any) -> paddle.Tensor:
    """A value wherever the mask holds, in the tensor's own dtype."""
    if isinstance(value, paddle.Tensor):
        value = value.astype(tensor.dtype)
    else:
        value = paddle.full([], value, dtype=tensor.dtype)
    wide = {
        paddle.int8: "int32",
        paddle.uint8: "int32",
        paddle.int16: "int32",
        paddle.float16: "float32",
    }.get(tensor.dtype)
    if wide is not None and tensor.place.is_cpu_place():  # no kernels there
        found = torch_masked_fill(tensor.astype(wide), mask, value.astype(wide))
        return found.astype(tensor.dtype)
    return paddle.where(mask.astype("bool"), value, tensor)


def torch_masked_scatter(
    tensor: paddle.Tensor, mask: paddle.Tensor, source: paddle.Tensor
) -> paddle.Tensor:
    """The values of `source`, in order, wherever the mask holds."""
    shape = paddle.broadcast_shape(tensor.shape, mask.shape)
    tensor, mask = paddle.expand(tensor, shape), paddle.expand(mask, shape)
    return paddle.masked_scatter(tensor, mask, source)


def torch_take(tensor: paddle.Tensor, index: paddle.Tensor) -> paddle.Tensor:
    """Values of the flattened tensor; a negative index counts from the end."""
    index = paddle.where(index < 0, index + tensor.size, index)
    return tensor.flatten()[torch_index(index, int(tensor.size)).flatten()].reshape(index.shape)


def torch_put(
    tensor: paddle.Tensor, index: paddle.Tensor, source: paddle.Tensor, accumulate: bool = False
) -> paddle.Tensor:
    """Values put, or added, into the flattened tensor."""
    if index.size == 0:
        return torch_flat(tensor.clone(), source)
    if tensor.dtype == paddle.bool:
        whole = torch_put(tensor.astype("int32"), index, source.astype("int32"), accumulate)
        return whole.astype("bool")
    index = paddle.where(index < 0, index + tensor.size, index).flatten()
    torch_index(index, int(tensor.size))
    mode = "add" if accumulate else "assign"
    flat = paddle.put_along_axis(tensor.flatten(), index, source.flatten(), 0, mode)
    return flat.reshape(tensor.shape)


def torch_take_along_dim(
    tensor: paddle.Tensor, indices: paddle.Tensor, dim: int | None = None
) -> paddle.Tensor:
    """Values along a dimension; tensor and index broadcast against each other."""
    if dim is None:
        return torch_gather(tensor.flatten(), 0, indices.flatten())
    dim %= tensor.ndim
    indices = paddle.where(indices < 0, indices + tensor.shape[dim], indices)
    shape = list(
        paddle.broadcast_shape(
            [1 if k == dim else n for k, n in enumerate(tensor.shape)],
            [1 if k == dim else n for k, n in enumerate(indices.shape)],
        )
    )
    one = paddle.expand(tensor, [*shape[:dim], tensor.shape[dim], *shape[dim + 1 :]])
    two = paddle.expand(indices, [*shape[:dim], indices.shape[dim], *shape[dim + 1 :]])
    return torch_gather(one, dim, two)


def torch_select_scatter(
    tensor: paddle.Tensor, src: paddle.Tensor, dim: int, index: int
) -> paddle.Tensor:
    """A copy with one place of a dimension replaced."""
    result = tensor.clone()
    at: list[Any] = [slice(None)] * tensor.ndim
    at[dim] = index
    result[tuple(at)] = src
    return result


def torch_slice_scatter(
    tensor: paddle.Tensor,
    src: paddle.Tensor,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> paddle.Tensor:
    """A copy with a slice of a dimension replaced."""
    result = tensor.clone()
    at: list[Any] = [slice(None)] * tensor.ndim
    at[dim] = slice(start, end, step)
    result[tuple(at)] = src
    return result


def torch_diagonal_index(size: int, other: int, offset: int) -> tuple[paddle.Tensor, paddle.Tensor]:
    """The rows and columns of a diagonal."""
    length = max(min(size + min(offset, 0), other - max(offset, 0)), 0)
    steps = paddle.arange(length)
    return steps - min(offset, 0), steps + max(offset, 0)


def torch_diagonal_scatter(
    tensor: paddle.Tensor, src: paddle.Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> paddle.Tensor:
    """A copy with a diagonal replaced."""
    moved = tensor.moveaxis([dim1, dim2], [0, 1])
    places = torch_diagonal_index(moved.shape[0], moved.shape[1], offset)
    result = paddle.index_put(moved, places, src.moveaxis(-1, 0).astype(tensor.dtype))
    return result.moveaxis([0, 1], [dim1, dim2])


def torch_diag_embed(
    tensor: paddle.Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1
) -> paddle.Tensor:
    """Matrices with the values on a diagonal; unlike Paddle's own it records gradients."""
    size = tensor.shape[-1] + abs(offset)
    place = paddle.arange(size)
    on = place.unsqueeze(-1) + offset == place.unsqueeze(0)
    padded = torch_pad_front(tensor, max(offset, 0), max(-offset, 0))
    spread = paddle.expand(padded.unsqueeze(-2), [*tensor.shape[:-1], size, size])
    matrix = paddle.where(on, spread, paddle.zeros_like(spread))
    return matrix.moveaxis([-2, -1], [dim1, dim2])


def torch_pad_front(tensor: paddle.Tensor, before: int, after: int) -> paddle.Tensor:
    """Zeros before and after the values of the last dimension."""
    lead = list(tensor.shape[:-1])
    parts = [
        paddle.zeros([*lead, before], tensor.dtype),
        tensor,
        paddle.zeros([*lead, after], tensor.dtype),
    ]
    return paddle.concat(parts, axis=-1)


def torch_nonzero(tensor: paddle.Tensor, as_tuple: bool = False) -> Any:
    """The places of what is not zero; with `as_tuple` an index for each dimension."""
    if tensor.dtype in (paddle.float16, paddle.int8, paddle.uint8):  # no kernel on a CPU
        tensor = tensor.astype("float32")
    if tensor.ndim == 0:
        found = paddle.nonzero(tensor.reshape([1]))
        return (found[:, 0],) if as_tuple else found[:, :0]
    return tuple(paddle.nonzero(tensor, as_tuple=True)) if as_tuple else paddle.nonzero(tensor)


def torch_searchsorted(
    edges: paddle.Tensor,
    values: Any,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Any = None,
) -> paddle.Tensor:
    """Where values belong among edges that are in order."""
    if sorter is not None:
        edges = torch_gather(edges, -1, sorter)
    edges, values = torch_operands(edges, values)
    if edges.dtype in (paddle.uint8, paddle.int8, paddle.int16):  # no kernels on a CPU
        edges, values = edges.astype("int32"), values.astype("int32")
    alone = values.ndim == 0
    found = paddle.searchsorted(
        edges, values.reshape([1]) if alone else values, out_int32, right or side == "right"
    )
    return found.reshape([]) if alone else found
