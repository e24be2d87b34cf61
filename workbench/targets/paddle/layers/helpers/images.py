"""Padding, resampling and rearranging of images as torch's, for any number of dimensions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import paddle

from workbench.targets.paddle.layers.helpers.resampling import torch_resize_axis, torch_resize_bytes
from workbench.targets.paddle.modules.helpers.class_names import torch_named


def torch_pad(
    input: paddle.Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None
) -> paddle.Tensor:
    """`torch.nn.functional.pad`: sizes from the last dimension on, negative ones crop."""
    if input.dtype in (paddle.bool, paddle.uint8, paddle.int8, paddle.int16):  # without a kernel
        return torch_pad(input.astype("int32"), pad, mode, value).astype(input.dtype)
    sizes = [int(size) for size in pad]
    pairs = [sizes[start : start + 2] for start in range(0, len(sizes), 2)]
    window: list[Any] = [slice(None)] * input.ndim
    for axis, (before, after) in zip(range(input.ndim - 1, -1, -1), pairs, strict=False):
        window[axis] = slice(max(-before, 0), input.shape[axis] - max(-after, 0))
    cropped = input[tuple(window)] if min(sizes, default=0) < 0 else input
    pairs = [[max(before, 0), max(after, 0)] for before, after in pairs]
    if mode == "constant":
        full = [[0, 0]] * (input.ndim - len(pairs)) + pairs[::-1]
        flat = [size for pair in full for size in pair]
        return paddle.nn.functional.pad(cropped, flat, value=0.0 if value is None else value)
    if value is not None and value != 0:
        raise ValueError(f"padding mode {mode} takes no value")
    dims = len(pairs)
    if input.ndim not in (dims + 1, dims + 2):
        raise NotImplementedError(f"{mode} padding of {dims} dimensions of {input.ndim}")
    if mode != "circular" and min(sizes) < 0:
        return torch_pad_by_index(input, sizes, mode)
    batched = cropped if input.ndim == dims + 2 else cropped.unsqueeze(0)
    layout = {1: "NCL", 2: "NCHW", 3: "NCDHW"}[dims]
    flat = [size for pair in pairs for size in pair]
    if mode == "circular" and any(
        size > length
        for pair, length in zip(pairs, batched.shape[:1:-1], strict=True)
        for size in pair
    ):
        raise RuntimeError("circular padding wraps around more than once")
    output = paddle.nn.functional.pad(batched, flat, mode=mode, data_format=layout)
    return output if input.ndim == dims + 2 else output.squeeze(0)


def torch_pad_by_index(input: paddle.Tensor, sizes: Sequence[int], mode: str) -> paddle.Tensor:
    """Padding that repeats or mirrors values which a negative size crops away elsewhere."""
    for number, before in enumerate(sizes[::2]):
        axis = input.ndim - 1 - number
        end = input.shape[axis] - 1
        places = paddle.arange(-before, end + 1 + sizes[2 * number + 1])
        if mode == "reflect":
            places = end - (end - places.abs()).abs()
        input = paddle.index_select(input, paddle.clip(places, 0, end), axis)
    return input


class TorchPad(paddle.nn.Layer):
    """What torch's padding layers share."""

    dims = 0
    mode = "constant"

    def __init__(self, padding: int | Sequence[int], value: float = 0.0) -> None:
        super().__init__()
        sizes = [padding] * (2 * self.dims) if isinstance(padding, int) else padding
        self.padding = tuple(sizes)
        self.value = value

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        value = self.value if self.mode == "constant" else None
        return torch_pad(input, self.padding, self.mode, value)

    def extra_repr(self) -> str:
        valued = self.mode == "constant" and "Constant" in type(self).__name__
        return f"padding={self.padding}, value={self.value}" if valued else f"{self.padding}"


def torch_interpolate(
    input: paddle.Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> paddle.Tensor:
    """`torch.nn.functional.interpolate`, of one to three dimensions, in every mode."""
    dims = input.ndim - 2
    spatial = input.shape[2:]
    if (size is None) == (scale_factor is None):
        raise ValueError("give either size or scale_factor")
    scales = scale_factor
    if scale_factor is not None:
        scales = [scale_factor] * dims if isinstance(scale_factor, int | float) else scale_factor
        sizes = [math.floor(length * scale) for length, scale in zip(spatial, scales, strict=True)]
    else:
        sizes = [size] * dims if isinstance(size, int) else [int(length) for length in size]
    if recompute_scale_factor:
        scales = None
    if mode == "area":
        pool = {
            1: paddle.nn.functional.adaptive_avg_pool1d,
            2: paddle.nn.functional.adaptive_avg_pool2d,
            3: paddle.nn.functional.adaptive_avg_pool3d,
        }[dims]
        return pool(input, sizes[0] if dims == 1 else sizes)
    if mode in ("nearest", "nearest-exact"):
        output = input
        for axis, (length, new) in enumerate(zip(spatial, sizes, strict=True), start=2):
            step = length / new if scales is None else 1 / scales[axis - 2]
            if dims == 2 and mode == "nearest" and new in (length, 2 * length):
                step = length / new  # whatever scale is given
            shift = 0.5 if mode == "nearest-exact" else 0.0
            # As torch, which computes the places in float32.
            places = (paddle.arange(new, dtype="float32") + shift) * step
            index = paddle.clip(places.floor().astype("int64"), 0, length - 1)
            if output.dtype == paddle.uint8:  # which Paddle selects from on no CPU
                output = paddle.index_select(output.astype("int32"), index, axis).astype("uint8")
            else:
                output = paddle.index_select(output, index, axis=axis)
        return output
    separable = mode != "bicubic" or antialias or input.dtype == paddle.uint8
    if scales is not None and separable:
        # torch copies what keeps its length, whatever scale is given.
        both = zip(spatial, sizes, scales, strict=True)
        scales = [1.0 if length == new else scale for length, new, scale in both]
    if input.dtype == paddle.uint8:
        return torch_resize_bytes(input, sizes, scales, mode, bool(align_corners), antialias)
    # Paddle's kernels take a single place from the first one instead of from the middle.
    if not antialias and (input.dtype == paddle.float64 or 1 in sizes):
        for axis, new in enumerate(sizes, start=2):
            scale = None if scales is None else scales[axis - 2]
            cubic = mode == "bicubic"
            input = torch_resize_axis(input, axis, new, scale, bool(align_corners), cubic)
        return input
    layout = {1: "NCW", 2: "NCHW", 3: "NCDHW"}[dims]
    given = {"size": sizes} if scales is None else {"scale_factor": list(scales)}
    if dims == 1 and scales is not None:
        given = {"scale_factor": [float(scales[0])]}
    return paddle.nn.functional.interpolate(
        input,
        **given,
        mode=mode,
        align_corners=bool(align_corners),
        align_mode=0,
        data_format=layout,
        antialias=antialias,
    )


@torch_named
class TorchFlatten(paddle.nn.Flatten):
    """`torch.nn.Flatten`, whose gradient has a gradient."""

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        start, stop = (axis % input.ndim for axis in (self.start_axis, self.stop_axis))
        return input.reshape([*input.shape[:start], -1, *input.shape[stop + 1 :]])


@torch_named
class TorchUpsample(paddle.nn.Layer):
    """`torch.nn.Upsample`."""

    def __init__(
        self,
        size: Any = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.size = size
        self.scale_factor = scale_factor
        if isinstance(scale_factor, tuple):
            self.scale_factor = tuple(float(factor) for factor in scale_factor)
        elif scale_factor:
            self.scale_factor = float(scale_factor)
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        return torch_interpolate(
            input,
            self.size,
            self.scale_factor,
            self.mode,
            self.align_corners,
            self.recompute_scale_factor,
        )

    def extra_repr(self) -> str:
        name = "size" if self.scale_factor is None else "scale_factor"
        return f"{name}={getattr(self, name)}, mode={self.mode!r}"


@torch_named
class TorchUpsamplingNearest2d(TorchUpsample):
    """`torch.nn.UpsamplingNearest2d`."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor)


@torch_named
class TorchUpsamplingBilinear2d(TorchUpsample):
    """`torch.nn.UpsamplingBilinear2d`."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, "bilinear", True)


def torch_pixel_shuffle(input: paddle.Tensor, upscale_factor: int) -> paddle.Tensor:
    """`torch.nn.functional.pixel_shuffle`, over any number of leading dimensions."""
    *lead, channels, height, width = input.shape
    factor, axis = upscale_factor, len(lead)
    parts = input.reshape([*lead, channels // factor**2, factor, factor, height, width])
    order = [*range(axis + 1), axis + 3, axis + 1, axis + 4, axis + 2]
    return parts.transpose(order).reshape(
        [*lead, channels // factor**2, height * factor, width * factor]
    )


def torch_pixel_unshuffle(input: paddle.Tensor, downscale_factor: int) -> paddle.Tensor:
    """`torch.nn.functional.pixel_unshuffle`, over any number of leading dimensions."""
    *lead, channels, height, width = input.shape
    factor, axis = downscale_factor, len(lead)
    rows, columns = height // factor, width // factor
    parts = input.reshape([*lead, channels, rows, factor, columns, factor])
    order = [*range(axis + 1), axis + 2, axis + 4, axis + 1, axis + 3]
    return parts.transpose(order).reshape([*lead, channels * factor**2, rows, columns])


def torch_channel_shuffle(input: paddle.Tensor, groups: int) -> paddle.Tensor:
    """`torch.nn.functional.channel_shuffle`, over any number of dimensions after the channels."""
    batch, channels, *rest = input.shape
    grouped = input.reshape([batch, groups, channels // groups, -1])
    return grouped.transpose([0, 2, 1, 3]).reshape([batch, channels, *rest])


def torch_unfold(
    input: paddle.Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> paddle.Tensor:
    """`torch.nn.functional.unfold`, of images in a batch or alone."""
    sizes = [
        list(each) if isinstance(each, tuple) else each
        for each in (kernel_size, stride, padding, dilation)
    ]
    batched = input if input.ndim == 4 else input.unsqueeze(0)
    output = paddle.nn.functional.unfold(batched, *sizes)
    return output if input.ndim == 4 else output.squeeze(0)


def torch_fold(
    input: paddle.Tensor,
    output_size: Any,
    kernel_size: Any,
    dilation: Any = 1,
    padding: Any = 0,
    stride: Any = 1,
) -> paddle.Tensor:
    """`torch.nn.functional.fold`, of columns in a batch or alone."""
    sizes = [
        list(each) if isinstance(each, tuple) else each
        for each in (output_size, kernel_size, stride, padding, dilation)
    ]
    batched = input if input.ndim == 3 else input.unsqueeze(0)
    output = paddle.nn.functional.fold(batched, *sizes)
    return output if input.ndim == 3 else output.squeeze(0)
