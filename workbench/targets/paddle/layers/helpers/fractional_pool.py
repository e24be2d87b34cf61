"""Fractional max pooling: windows at random offsets, drawn for each channel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import paddle

from workbench.targets.paddle.modules.helpers.class_names import torch_named
from workbench.targets.paddle.modules.helpers.module import torch_size_tuple


def torch_fractional_max_pool(
    dims: int,
    input: paddle.Tensor,
    kernel_size: int | Sequence[int],
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: paddle.Tensor | None = None,
) -> Any:
    """Pool the last `dims` dimensions.

    `_random_samples`, of [batch, channels, dims], fix the windows.
    """
    if (output_size is None) == (output_ratio is None):
        raise ValueError("exactly one of output_size and output_ratio must be given")
    batched = input.ndim == dims + 2
    values = input if batched else input.unsqueeze(0)
    spatial = values.shape[2:]

    def each(value: Any) -> list[Any]:
        return list(value) if isinstance(value, (tuple, list)) else [value] * dims

    kernel = each(kernel_size)
    if output_size is None:
        sizes = [int(n * ratio) for n, ratio in zip(spatial, each(output_ratio), strict=True)]
    else:
        sizes = each(output_size)
    if _random_samples is None:
        _random_samples = paddle.rand([*values.shape[:2], dims], dtype=values.dtype)
    place = paddle.zeros([1] * (2 + 2 * dims), dtype="int64")
    for axis in range(dims):
        # Of images torch takes the samples of the last dimension first.
        draws = _random_samples[:, :, axis if dims == 3 else 1 - axis].unsqueeze(-1)
        starts = torch_fractional_starts(draws, spatial[axis], sizes[axis], kernel[axis])
        windows = starts.unsqueeze(-1) + paddle.arange(kernel[axis])
        shape = [*values.shape[:2]] + [1] * (2 * dims)
        shape[2 + axis], shape[2 + dims + axis] = sizes[axis], kernel[axis]
        place = place * spatial[axis] + windows.reshape(shape)
    flat = place.reshape([*values.shape[:2], -1])
    taken = paddle.take_along_axis(values.flatten(2), flat, axis=2)
    taken = taken.reshape([*values.shape[:2], *sizes, -1])
    flat = flat.reshape(taken.shape)
    # Where Paddle finds a NaN depends on what stands before it; in torch none is passed over.
    lost = paddle.isnan(taken).astype("int32")
    best = paddle.where(
        lost.any(axis=-1, keepdim=True),
        lost.argmax(axis=-1, keepdim=True),
        taken.argmax(axis=-1, keepdim=True),
    )
    pooled = paddle.take_along_axis(taken, best, axis=-1).squeeze(-1)
    indices = paddle.take_along_axis(flat, best, axis=-1).squeeze(-1)
    if not batched:
        pooled, indices = pooled.squeeze(0), indices.squeeze(0)
    return (pooled, indices) if return_indices else pooled


def torch_fractional_starts(
    draws: paddle.Tensor, size: int, count: int, kernel: int
) -> paddle.Tensor:
    """Where `count` windows over `size` values begin; the last one ends with them."""
    if count == 1:
        return paddle.full_like(draws, size - kernel).astype("int64")
    step = (size - kernel) / (count - 1)
    order = paddle.arange(count - 1).astype(draws.dtype)
    starts = ((order + draws) * step).astype("int64") - (draws * step).astype("int64")
    last = paddle.full([*draws.shape[:-1], 1], size - kernel, dtype="int64")
    return paddle.concat([starts, last], axis=-1)


class TorchFractionalMaxPool(paddle.nn.Layer):
    """`torch.nn.FractionalMaxPool2d` and `FractionalMaxPool3d`."""

    dims = 2

    def __init__(
        self,
        kernel_size: int | Sequence[int],
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: paddle.Tensor | None = None,
    ) -> None:
        super().__init__()
        if (output_size is None) == (output_ratio is None):
            raise ValueError("exactly one of output_size and output_ratio must be given")
        self.kernel_size = torch_size_tuple(kernel_size, self.dims)
        self.output_size = output_size and torch_size_tuple(output_size, self.dims)
        self.output_ratio = output_ratio and torch_size_tuple(output_ratio, self.dims)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)

    def forward(self, input: paddle.Tensor) -> Any:
        return torch_fractional_max_pool(
            self.dims,
            input,
            self.kernel_size,
            self.output_size,
            self.output_ratio,
            self.return_indices,
            self._random_samples,
        )


@torch_named
class TorchFractionalMaxPool2d(TorchFractionalMaxPool):
    """`torch.nn.FractionalMaxPool2d`."""


@torch_named
class TorchFractionalMaxPool3d(TorchFractionalMaxPool):
    """`torch.nn.FractionalMaxPool3d`."""

    dims = 3
