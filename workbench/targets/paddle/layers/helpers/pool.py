"""Pooling that takes what torch's takes: unbatched inputs, dilation, torch's sizes and indices."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import paddle

from workbench.targets.paddle.math.helpers.dtypes import torch_inexact


def torch_own(output: paddle.Tensor) -> paddle.Tensor:
    """A copy where gradients flow: Paddle's read this output, which torch lets code overwrite."""
    return output if output.stop_gradient else output.clone()


def torch_pool_sizes(value: Any, dims: int) -> list[int]:
    """A size for each of `dims` dimensions."""
    if isinstance(value, int):
        return [value] * dims
    values = [int(item) for item in value]
    return values * dims if len(values) == 1 else values


def torch_pooled(
    size: int, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool
) -> int:
    """How many windows torch takes of one dimension; none that starts in the right padding."""
    room = size + 2 * padding - dilation * (kernel - 1) - 1
    count = (room + (stride - 1 if ceil_mode else 0)) // stride + 1
    if ceil_mode and (count - 1) * stride >= size + padding:
        count -= 1
    return count


def torch_max_pool_dilated(
    input: paddle.Tensor,
    kernel: list[int],
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    counts: list[int],
) -> tuple[paddle.Tensor, paddle.Tensor]:
    """The maximum over dilated windows, and where in the input it is."""
    dims = len(kernel)
    size = input.shape[2:]
    ends = [
        max(0, (count - 1) * step + (width - 1) * gap + 1 - length - pad)
        for count, step, width, gap, length, pad in zip(
            counts, stride, kernel, dilation, size, padding, strict=True
        )
    ]
    around = [0, 0, 0, 0] + [side for pair in zip(padding, ends, strict=True) for side in pair]
    values = paddle.nn.functional.pad(input, around, value=float("-inf"))
    places = paddle.arange(input[0, 0].size).reshape([1, 1, *size])
    places = paddle.nn.functional.pad(places, around)
    found, where = [], []
    for offsets in itertools.product(*(range(width) for width in kernel)):
        window: list[Any] = [slice(None), slice(None)]
        for axis in range(dims):
            start = offsets[axis] * dilation[axis]
            stop = start + (counts[axis] - 1) * stride[axis] + 1
            window.append(slice(start, stop, stride[axis]))
        found.append(values[tuple(window)])
        where.append(places[tuple(window)])
    stacked = paddle.stack(found)
    best = stacked.argmax(axis=0, keepdim=True)
    spots = paddle.stack(where).expand(stacked.shape)
    return (
        paddle.take_along_axis(stacked, best, 0, broadcast=False).squeeze(0),
        paddle.take_along_axis(spots, best, 0, broadcast=False).squeeze(0),
    )


def torch_max_pool(
    dims: int,
    input: paddle.Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """`torch.nn.functional.max_pool1d`, `max_pool2d` and `max_pool3d`."""
    if not paddle.is_floating_point(input):  # Paddle pools no integers
        wide = torch_max_pool(
            dims,
            input.astype("float64"),
            kernel_size,
            stride,
            padding,
            dilation,
            ceil_mode,
            return_indices,
        )
        if return_indices:
            return wide[0].astype(input.dtype), wide[1]
        return wide.astype(input.dtype)
    batched = input if input.ndim == dims + 2 else input.unsqueeze(0)
    kernel = torch_pool_sizes(kernel_size, dims)
    step = torch_pool_sizes(stride, dims) if stride else kernel
    pad, gap = torch_pool_sizes(padding, dims), torch_pool_sizes(dilation, dims)
    counts = [
        torch_pooled(*each, ceil_mode)
        for each in zip(batched.shape[2:], kernel, step, pad, gap, strict=True)
    ]
    if any(size != 1 for size in gap):
        output, indices = torch_max_pool_dilated(batched, kernel, step, pad, gap, counts)
    else:
        pool = {
            1: paddle.nn.functional.max_pool1d,
            2: paddle.nn.functional.max_pool2d,
            3: paddle.nn.functional.max_pool3d,
        }[dims]
        result = pool(batched, kernel, step, pad, return_mask=return_indices, ceil_mode=ceil_mode)
        output, indices = result if return_indices else (result, None)
    if list(output.shape[2:]) != counts:
        within = (slice(None), slice(None), *(slice(count) for count in counts))
        output = output[within]
        indices = indices[within] if return_indices else None
    if input.ndim != dims + 2:
        output = output.squeeze(0)
        indices = indices.squeeze(0) if return_indices else None
    output = torch_own(output)
    return (output, indices.detach().astype("int64")) if return_indices else output


def torch_avg_pool(
    dims: int,
    input: paddle.Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> paddle.Tensor:
    """`torch.nn.functional.avg_pool1d`, `avg_pool2d` and `avg_pool3d`."""
    if not paddle.is_floating_point(input):  # torch's division of integers truncates
        wide = torch_avg_pool(
            dims,
            input.astype("float64"),
            kernel_size,
            stride,
            padding,
            ceil_mode,
            count_include_pad,
            divisor_override,
        )
        return wide.astype(input.dtype)
    batched = input if input.ndim == dims + 2 else input.unsqueeze(0)
    kernel = torch_pool_sizes(kernel_size, dims)
    step = torch_pool_sizes(stride, dims) if stride else kernel
    pad = torch_pool_sizes(padding, dims)
    pool = {
        1: paddle.nn.functional.avg_pool1d,
        2: paddle.nn.functional.avg_pool2d,
        3: paddle.nn.functional.avg_pool3d,
    }[dims]
    options: dict[str, Any] = {"ceil_mode": ceil_mode, "exclusive": not count_include_pad}
    counts = [
        torch_pooled(*each, 1, ceil_mode)
        for each in zip(batched.shape[2:], kernel, step, pad, strict=True)
    ]
    if divisor_override is None:
        output = pool(batched, kernel, step, pad, **options)
    else:
        # Paddle divides sums over fewer values by more than it is told: the zeros are written out.
        edges: list[int] = []
        for size, count, wide, far, lead in zip(
            batched.shape[2:], counts, kernel, step, pad, strict=True
        ):
            edges = [lead, max((count - 1) * far + wide - size - lead, 0), *edges]
        layout = {1: "NCL", 2: "NCHW", 3: "NCDHW"}[dims]
        padded = paddle.nn.functional.pad(batched, edges, data_format=layout)
        output = pool(padded, kernel, step) * (math.prod(kernel) / divisor_override)
    if list(output.shape[2:]) != counts:
        output = output[(slice(None), slice(None), *(slice(count) for count in counts))]
    return torch_own(output if input.ndim == dims + 2 else output.squeeze(0))


def torch_adaptive_avg_pool(dims: int, input: paddle.Tensor, output_size: Any) -> paddle.Tensor:
    """`torch.nn.functional.adaptive_avg_pool1d` to `3d`; None keeps a dimension's size."""
    batched = input if input.ndim == dims + 2 else input.unsqueeze(0)
    wanted = [output_size] * dims if output_size is None else output_size
    wanted = [wanted] * dims if isinstance(wanted, int) else list(wanted)
    sizes = [
        old if new is None else new for new, old in zip(wanted, batched.shape[2:], strict=True)
    ]
    pool = {
        1: paddle.nn.functional.adaptive_avg_pool1d,
        2: paddle.nn.functional.adaptive_avg_pool2d,
        3: paddle.nn.functional.adaptive_avg_pool3d,
    }[dims]
    output = pool(batched, sizes[0] if dims == 1 else sizes)
    return torch_own(output if input.ndim == dims + 2 else output.squeeze(0))


def torch_adaptive_max_pool(
    dims: int, input: paddle.Tensor, output_size: Any, return_indices: bool = False
) -> Any:
    """`torch.nn.functional.adaptive_max_pool1d` to `3d`; None keeps a dimension's size."""
    batched = input if input.ndim == dims + 2 else input.unsqueeze(0)
    wanted = [output_size] * dims if output_size is None else output_size
    wanted = [wanted] * dims if isinstance(wanted, int) else list(wanted)
    sizes = [
        old if new is None else new for new, old in zip(wanted, batched.shape[2:], strict=True)
    ]
    pool = {
        1: paddle.nn.functional.adaptive_max_pool1d,
        2: paddle.nn.functional.adaptive_max_pool2d,
        3: paddle.nn.functional.adaptive_max_pool3d,
    }[dims]
    result = pool(batched, sizes[0] if dims == 1 else sizes, return_mask=return_indices)
    results = list(result) if return_indices else [result]
    if input.ndim != dims + 2:
        results = [each.squeeze(0) for each in results]
    results[0] = torch_own(results[0])
    return (results[0], results[1].detach().astype("int64")) if return_indices else results[0]


def torch_lp_pool(
    dims: int,
    input: paddle.Tensor,
    norm_type: float,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    ceil_mode: bool = False,
) -> paddle.Tensor:
    """`torch.nn.functional.lp_pool1d` to `3d`, without a gradient where a window is zero."""
    count = 1
    for size in torch_pool_sizes(kernel_size, dims):
        count *= size
    wide = torch_inexact(input)
    # As tensors: Paddle rounds exponents that are numbers to float32.
    power, root = (paddle.to_tensor(each, dtype=wide.dtype) for each in (norm_type, 1 / norm_type))
    whole = isinstance(norm_type, int) and not input.is_floating_point()
    raised = input**norm_type if whole else wide**power
    mean = torch_avg_pool(dims, raised, kernel_size, stride, 0, ceil_mode)
    filled = mean != 0
    base = paddle.where(filled, mean, paddle.ones_like(mean))
    total = torch_inexact(paddle.sign(base) * paddle.nn.functional.relu(paddle.abs(base)) * count)
    return paddle.where(filled, total**root, paddle.zeros_like(total) ** root)


def torch_max_unpool(
    dims: int,
    input: paddle.Tensor,
    indices: paddle.Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    output_size: Sequence[int] | None = None,
) -> paddle.Tensor:
    """`torch.nn.functional.max_unpool1d` to `3d`: values go back where they came from."""
    kernel = torch_pool_sizes(kernel_size, dims)
    step = kernel if stride is None else torch_pool_sizes(stride, dims)
    pad = torch_pool_sizes(padding, dims)
    spatial = input.shape[-dims:]
    sizes = [
        (size - 1) * by - 2 * side + width
        for size, by, side, width in zip(spatial, step, pad, kernel, strict=True)
    ]
    if output_size is not None:
        sizes = list(output_size)[-dims:]
    lead = input.shape[: input.ndim - dims]
    flat = paddle.zeros([*lead, int(paddle.prod(paddle.to_tensor(sizes)))], dtype=input.dtype)
    axis = flat.ndim - 1
    values = input.flatten(start_axis=axis)
    places = indices.flatten(start_axis=axis)
    if values.stop_gradient:
        filled = paddle.put_along_axis(flat, places, values, axis, broadcast=False)
    else:
        # Where windows overlap, a place gets several values, and each of them its gradient; from
        # Paddle's assignment that of what was put last alone.
        held, finite = values.detach(), paddle.isfinite(values)
        put = paddle.where(finite, held, values)
        rest = paddle.where(finite, values - held, paddle.zeros_like(held))
        filled = paddle.put_along_axis(flat, places, put, axis, broadcast=False)
        filled = filled + paddle.put_along_axis(flat, places, rest, axis, "add", broadcast=False)
    return filled.reshape([*lead, *sizes])
