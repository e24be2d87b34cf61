"""Sampling between pixels where Paddle's kernels do not reach torch's values."""

from __future__ import annotations

from typing import Any

import paddle

from workbench.targets.paddle.modules.helpers.frozen import torch_unfrozen


def torch_cubic_weights(part: paddle.Tensor) -> list[paddle.Tensor]:
    """The weights of four neighbours of a place `part` of the way from the second to the third."""
    a = -0.75

    def near(x: paddle.Tensor) -> paddle.Tensor:
        return ((a + 2) * x - (a + 3)) * x * x + 1

    def far(x: paddle.Tensor) -> paddle.Tensor:
        return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a

    return [far(part + 1), near(part), near(1 - part), far(2 - part)]


def torch_resize_axis(
    input: paddle.Tensor, axis: int, count: int, scale: float | None, corners: bool, cubic: bool
) -> paddle.Tensor:
    """One dimension resized to `count`; Paddle's kernels take their steps in float32.

    `scale` is that of a step where it was given, and `corners` tells that the ends stay in place.
    """
    length = input.shape[axis]
    steps = paddle.arange(count, dtype=input.dtype)
    if corners:
        places = steps * ((length - 1) / (count - 1) if count > 1 else 0.0)
    else:
        places = (steps + 0.5) * (length / count if scale is None else 1 / scale) - 0.5
    if not cubic:
        places = paddle.clip(places, min=0)
    start = places.floor()
    part = places - start
    weights = torch_cubic_weights(part) if cubic else [1 - part, part]
    shape = [1] * input.ndim
    shape[axis] = count
    total = paddle.zeros([], input.dtype)
    for offset, weight in enumerate(weights, start=-1 if cubic else 0):
        index = paddle.clip(start.astype("int64") + offset, 0, length - 1)
        total = total + paddle.index_select(input, index, axis) * weight.reshape(shape)
    return total


def torch_resize_bytes(
    input: paddle.Tensor, sizes: Any, scales: Any, mode: str, corners: bool, antialias: bool
) -> paddle.Tensor:
    """Images of bytes resized as torch does: first rows, then columns, with whole weights."""
    output = input.astype("float64")
    for axis in (3, 2):
        length, count = output.shape[axis], sizes[axis - 2]
        scale = None if scales is None else scales[axis - 2]
        own = paddle.eye(length, dtype="float64")
        if antialias:
            wanted = {"size": [count, length]} if scale is None else {"scale_factor": [scale, 1.0]}
            weights = paddle.nn.functional.interpolate(
                own.reshape([1, 1, length, length]),
                **wanted,
                mode=mode,
                align_corners=corners,
                align_mode=0,
                antialias=True,
            ).reshape([count, length])
        else:
            weights = torch_resize_axis(own, 0, count, scale, corners, mode == "bicubic")
        bits, largest = 0, float(weights.max())
        while int(0.5 + largest * 2 ** (bits + 1)) < 2**15:
            bits += 1
        size = weights.abs() * 2**bits + 0.5
        whole = paddle.sign(weights) * size.floor()
        total = output @ whole.T if axis == 3 else whole @ output
        output = paddle.clip(((total + 2 ** (bits - 1)) / 2**bits).floor(), 0, 255)
    return output.astype("uint8")


def torch_reflected(places: paddle.Tensor, low: float, span: float) -> paddle.Tensor:
    """Places beyond an interval, thrown back into it as often as it takes."""
    if span == 0:
        return paddle.zeros_like(places)
    away = (places - low).abs()
    flips = (away / span).floor()
    rest = away - flips * span
    return paddle.where(flips % 2 == 0, rest + low, span - rest + low)


def torch_affine_grid(theta: paddle.Tensor, size: Any, align_corners: Any = None) -> paddle.Tensor:
    """`torch.nn.functional.affine_grid`: a single place between corners is the middle."""
    spatial = [int(length) for length in size[2:]]
    if not align_corners or 1 not in spatial:
        return paddle.nn.functional.affine_grid(theta, size, align_corners=bool(align_corners))
    lines = [
        paddle.linspace(-1, 1, length, dtype=theta.dtype)
        if length > 1
        else paddle.zeros([1], theta.dtype)
        for length in spatial
    ]
    places = paddle.meshgrid(*lines)
    base = paddle.stack([*reversed(places), paddle.ones_like(places[0])], axis=-1)
    flat = base.reshape([1, -1, len(spatial) + 1])
    moved = paddle.matmul(flat, theta, transpose_y=True)
    return moved.reshape([theta.shape[0], *spatial, len(spatial)])


def torch_grid_sample(
    input: paddle.Tensor,
    grid: paddle.Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> paddle.Tensor:
    """`torch.nn.functional.grid_sample`, which samples images by cubes too."""
    corners = bool(align_corners)
    if mode != "bicubic":
        if paddle.is_grad_enabled() and not grid.stop_gradient:
            input = torch_unfrozen(input)  # without its gradient Paddle's kernel ends the process
        return paddle.nn.functional.grid_sample(input, grid, mode, padding_mode, corners)
    batch, channels, height, width = input.shape
    flat = input.flatten(start_axis=2)
    rows, columns = (
        (grid[..., which] + 1) / 2 * (size - 1)
        if corners
        else ((grid[..., which] + 1) * size - 1) / 2
        for which, size in ((1, height), (0, width))
    )

    def bounded(places: Any, size: int) -> tuple[Any, Any]:
        """Where a tap reads, and whether there is anything to read."""
        if padding_mode == "reflection":
            low, span = (0.0, size - 1) if corners else (-0.5, size)
            places = torch_reflected(places, low, span)
        kept = paddle.clip(places, 0, size - 1)
        there = (kept == places) if padding_mode == "zeros" else paddle.ones_like(kept, "bool")
        return kept.astype("int64"), there

    total = paddle.zeros([], input.dtype)
    across = torch_cubic_weights(columns - columns.floor())
    for down, weight in enumerate(torch_cubic_weights(rows - rows.floor()), start=-1):
        row, has_row = bounded(rows.floor() + down, height)
        for right, other in enumerate(across, start=-1):
            column, has_column = bounded(columns.floor() + right, width)
            index = (row * width + column).reshape([batch, 1, -1])
            index = paddle.expand(index, [batch, channels, index.shape[-1]])
            pixel = paddle.take_along_axis(flat, index, axis=2)
            share = weight * other * (has_row & has_column).astype(input.dtype)
            total = total + pixel.reshape([batch, channels, *share.shape[1:]]) * share.unsqueeze(1)
    return total
