"""Shapes and views where Paddle's functions take other forms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import paddle

from workbench.targets.paddle.math.helpers.dtypes import torch_kind, torch_promote_types
from workbench.targets.paddle.tensors.helpers.grad import torch_flat
from workbench.targets.paddle.tensors.helpers.parts import torch_halves


def torch_swap_(tensor: paddle.Tensor, first: int, second: int) -> paddle.Tensor:
    """Swap two dimensions in place."""
    order = list(range(tensor.ndim))
    if order:
        order[first], order[second] = order[second], order[first]
    return tensor.transpose_(order)


def torch_squeeze(input: paddle.Tensor, dim: Any = None) -> paddle.Tensor:
    """Without the dimensions of size one, or those of them that are named: maybe none."""
    none = isinstance(dim, (tuple, list)) and not dim
    return input.reshape(input.shape) if none else input.squeeze(dim)


def torch_squeeze_(input: paddle.Tensor, dim: Any = None) -> paddle.Tensor:
    """The same in place."""
    return input if isinstance(dim, (tuple, list)) and not dim else input.squeeze_(dim)


def torch_movedim(input: paddle.Tensor, source: Any, destination: Any) -> paddle.Tensor:
    """Dimensions in other places; Paddle changes the lists that name them."""
    both = [one if isinstance(one, int) else list(one) for one in (source, destination)]
    return paddle.moveaxis(input, *both)


def torch_conj(tensor: paddle.Tensor) -> paddle.Tensor:
    """The conjugate; real tensors as they are."""
    return paddle.conj(tensor) if tensor.is_complex() else tensor


def torch_broadcast_tensors(tensors: Sequence[paddle.Tensor]) -> tuple[paddle.Tensor, ...]:
    """Tensors in one shape; Paddle's own ends the process where one of them has no gradient."""
    shape: list[int] = []
    for tensor in tensors:
        shape = paddle.broadcast_shape(shape, list(tensor.shape))
    return tuple(tensor.expand(shape) for tensor in tensors)


def torch_roll(tensor: paddle.Tensor, shifts: Any, dims: Any = None) -> paddle.Tensor:
    """Roll along dimensions, or through the flattened tensor."""
    return paddle.roll(tensor, shifts, dims if dims is None or dims != () else None)


def torch_atleast(tensors: Sequence[Any], ndim: int) -> Any:
    """Each tensor with at least so many dimensions; a lone one comes back alone."""
    if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
        return tuple(torch_atleast([tensor], ndim) for tensor in tensors[0])
    if len(tensors) > 1:
        return tuple(torch_atleast([tensor], ndim) for tensor in tensors)
    if not tensors:
        return ()
    return (paddle.atleast_1d, paddle.atleast_2d, paddle.atleast_3d)[ndim - 1](tensors[0])


def torch_numbers(values: Sequence[Any]) -> Sequence[Any]:
    """Numbers that were given one by one, or all of them as one sequence."""
    lone = len(values) == 1 and isinstance(values[0], (list, tuple))
    return values[0] if lone else values


def torch_contiguous(tensor: paddle.Tensor) -> paddle.Tensor:
    """The tensor, or a copy without gaps that leaves a view the view that it is."""
    gaps = isinstance(tensor, paddle.Tensor) and not tensor.is_contiguous()
    return tensor.clone() if gaps else tensor


def torch_strided_places(size: Sequence[int], stride: Sequence[int], offset: int) -> paddle.Tensor:
    """Where in memory the elements of a view by strides lie, in order."""
    places = paddle.full([1] * len(size), offset, dtype="int64")
    for axis, (length, step) in enumerate(zip(size, stride, strict=True)):
        shape = [1] * len(size)
        shape[axis] = length
        places = places + (paddle.arange(length) * step).reshape(shape)
    return places.flatten()


def torch_as_strided(
    tensor: paddle.Tensor, size: Sequence[int], stride: Sequence[int], offset: int | None = None
) -> paddle.Tensor:
    """A view by strides; the offset counts elements from the start of the memory."""
    width = tensor.element_size()
    first = tensor.offset // width
    start = first if offset is None else offset
    view = paddle.as_strided(tensor.detach(), list(size), list(stride), start * width)
    if tensor.stop_gradient or not paddle.is_grad_enabled():
        return view
    # Paddle's own gradient is wrong: each element's goes to the one that lies at its place.
    mine = torch_strided_places(list(tensor.shape), tensor.strides, first)
    theirs = torch_strided_places(size, stride, start)
    if not mine.size or not theirs.size:
        return torch_flat(view, tensor)
    owner = paddle.full([max(int(mine.max()), int(theirs.max())) + 1], -1, dtype="int64")
    owner[mine] = paddle.arange(mine.size)
    owner = owner[theirs]
    found = tensor.flatten()[paddle.clip(owner, min=0)]
    return paddle.where(owner < 0, view.flatten(), found).reshape(list(size))


def torch_windows(tensor: paddle.Tensor, dim: int, size: int, step: int) -> paddle.Tensor:
    """`Tensor.unfold`: windows that slide along a dimension; the gradient counts overlaps."""
    if tensor.ndim == 0:
        return paddle.expand(tensor.reshape([1]), [size])
    dim %= tensor.ndim
    count = (tensor.shape[dim] - size) // step + 1
    index = (paddle.arange(count) * step).unsqueeze(-1) + paddle.arange(size)
    picked = paddle.index_select(tensor, index.flatten(), axis=dim)
    shape = [*tensor.shape[:dim], count, size, *tensor.shape[dim + 1 :]]
    return picked.reshape(shape).moveaxis(dim + 1, -1)


def torch_narrow(tensor: paddle.Tensor, dim: int, start: Any, length: int) -> paddle.Tensor:
    """A part of a dimension; a negative start counts from the end."""
    start = int(start)
    if start < 0:
        start += tensor.shape[dim]
    if not 0 <= start <= start + length <= tensor.shape[dim]:
        raise IndexError(f"{length} items from {start} exceed dimension {dim} of {tensor.shape}")
    index: list[Any] = [slice(None)] * tensor.ndim
    index[dim] = slice(start, start + length)
    return tensor[tuple(index)]


def torch_select(tensor: paddle.Tensor, dim: int, index: Any) -> paddle.Tensor:
    """One place of a dimension, which disappears."""
    index = int(index)
    if not -tensor.shape[dim] <= index < tensor.shape[dim]:
        raise IndexError(f"index {index} is out of range in dimension {dim} of {tensor.shape}")
    at: list[Any] = [slice(None)] * tensor.ndim
    at[dim] = index
    return tensor[tuple(at)]


def torch_small_letters(equation: str) -> str:
    """An equation without capitals: Paddle's einsum takes `A` and `a` for the same dimension."""
    equation = equation.replace(" ", "")
    if equation == equation.lower():
        return equation
    inputs, arrow, output = equation.partition("->")
    letters = sorted({letter for letter in equation if letter.isalpha()})
    if not arrow:  # what is named once stays, capitals first
        output = "..." if "." in inputs else ""
        output += "".join(letter for letter in letters if inputs.count(letter) == 1)
    small = {ord(letter): chr(97 + place) for place, letter in enumerate(letters)}
    return f"{inputs}->{output}".translate(small)


def torch_einsum(equation: Any, operands: Sequence[Any]) -> paddle.Tensor:
    """Einstein summation; the operands may come as one list, letters apart or as numbers."""
    if isinstance(equation, paddle.Tensor):
        parts = [equation, *operands]
        letters = [
            "".join("..." if k is ... else chr((97 if k < 26 else 39) + k) for k in part)
            for part in [*parts[1::2], *(parts[-1:] if len(parts) % 2 else [])]
        ]
        inputs = letters[: len(parts) // 2]
        equation = ",".join(inputs) + ("->" + letters[-1] if len(parts) % 2 else "")
        operands = parts[: 2 * len(inputs) : 2]
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = operands[0]
    dtype = operands[0].dtype
    for operand in operands[1:]:
        dtype = torch_promote_types(dtype, operand.dtype)
    whole = torch_kind(dtype) < 2  # Paddle has it for floating numbers alone
    within = "float64" if whole else dtype
    operands = [one if one.dtype == within else one.astype(within) for one in operands]
    given, arrow, kept = torch_small_letters(equation).partition("->")
    dots = "..." if arrow and "..." in given and "..." not in kept else ""
    result: paddle.Tensor = paddle.einsum(f"{given}{arrow}{kept}{dots}", *operands)  # type: ignore[assignment]
    if dots and result.ndim > len(kept):  # Paddle does not sum over the dimensions of an ellipsis
        result = result.sum(list(range(len(kept), result.ndim)))
    if whole and bool((result.abs() >= 2**53).any()):
        raise OverflowError("sums of integers beyond 2**53 are not exact in Paddle's einsum")
    if whole and torch_sums_alone(equation):
        dtype = paddle.int64
    return result if result.dtype == dtype else result.astype(dtype)


def torch_sums_alone(equation: str) -> bool:
    """Whether it sums over a dimension of one operand alone, of which torch makes an int64."""
    given, arrow, kept = equation.replace(" ", "").replace("...", ".").partition("->")
    if not arrow:
        kept = "".join(letter for letter in given if letter == "." or given.count(letter) == 1)
    parts = given.split(",")
    return any(
        letter not in kept and sum(letter in one for one in parts) == 1 for letter in set(given)
    )


def torch_repeat_interleave(
    tensor: paddle.Tensor, repeats: Any = None, dim: int | None = None
) -> paddle.Tensor:
    """Each value several times over; of counts alone, the places that they repeat."""
    if tensor.dtype in (paddle.bool, paddle.uint8, paddle.int8, paddle.int16):  # no kernels
        repeated = torch_repeat_interleave(tensor.astype("int32"), repeats, dim)
        return repeated if repeats is None else repeated.astype(tensor.dtype)
    if tensor.is_complex():
        return torch_halves(lambda part: torch_repeat_interleave(part, repeats, dim), tensor)
    if repeats is None:
        return paddle.repeat_interleave(paddle.arange(tensor.shape[0]), tensor)
    if isinstance(repeats, paddle.Tensor) and repeats.size == 1:
        repeats = repeats.item()
    if dim is None:
        tensor, dim = tensor.flatten(), 0
    if isinstance(repeats, int) and repeats == 0:  # which Paddle refuses
        at: list[Any] = [slice(None)] * tensor.ndim
        at[dim] = slice(0, 0)
        return tensor[tuple(at)]
    return paddle.repeat_interleave(tensor, repeats, dim)


def torch_unravel_index(indices: paddle.Tensor, shape: Any) -> tuple[paddle.Tensor, ...]:
    """Places in a flattened tensor as places in each of its dimensions."""
    sizes = [shape] if isinstance(shape, int) else list(shape)
    indices = indices.astype("int64")
    found = []
    for size in reversed(sizes):
        divisor = paddle.full([], size, dtype=indices.dtype)
        found.append(paddle.remainder(indices, divisor))
        indices = paddle.floor_divide(indices, divisor)
    return tuple(reversed(found))


def torch_broadcast_shapes(shapes: Sequence[Any]) -> tuple[int, ...]:
    """The shape that several shapes broadcast to."""
    result: list[int] = []
    for shape in shapes:
        sizes = [shape] if isinstance(shape, int) else list(shape)
        result = (
            list(paddle.broadcast_shape(result, sizes)) if result and sizes else result or sizes
        )
    return tuple(result)
