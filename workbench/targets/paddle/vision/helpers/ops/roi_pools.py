"""Regions of images pooled between whole pixels, as torchvision's operators do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import paddle

from workbench.targets.paddle.modules.helpers.class_names import torch_named
from workbench.targets.paddle.vision.helpers.ops.rois import torch_regions


def torch_roi_pool(
    input: paddle.Tensor,
    boxes: Any,
    output_size: int | Sequence[int],
    spatial_scale: float = 1.0,
) -> paddle.Tensor:
    """`torchvision.ops.roi_pool`; Paddle's own takes the boxes in the order of their images."""
    boxes = torch_regions(boxes)
    high, wide = [output_size] * 2 if isinstance(output_size, int) else output_size
    if boxes.shape[0] == 0:
        return paddle.zeros([0, input.shape[1], high, wide], dtype=input.dtype)
    owners = boxes[:, 0].astype("int64")
    order = paddle.argsort(owners, stable=True)
    counts = paddle.bincount(owners, minlength=input.shape[0]).astype("int32")
    pooled = paddle.vision.ops.roi_pool(
        input, boxes[:, 1:][order], counts, (high, wide), spatial_scale
    )
    return pooled[paddle.argsort(order)]


def torch_bins(
    start: paddle.Tensor, end: paddle.Tensor, bins: int, length: int
) -> tuple[paddle.Tensor, paddle.Tensor]:
    """Which of `length` pixels lie in each of `bins` parts of a stretch, and how many do."""
    size = paddle.clip(end - start, min=1.0) / bins
    part = paddle.arange(bins, dtype=size.dtype)
    start, size = start.unsqueeze(-1), size.unsqueeze(-1)
    low = paddle.clip((part * size).floor() + start, 0, length - 1)
    high = paddle.clip(((part + 1) * size).ceil() + start, 0, length - 1)
    pixel = paddle.arange(length, dtype=size.dtype)
    inside = (pixel >= low.unsqueeze(-1)) & (pixel < high.unsqueeze(-1))
    return inside, paddle.clip(high - low, min=0.0)


def torch_ps_roi_pool(
    input: paddle.Tensor,
    boxes: Any,
    output_size: int | Sequence[int],
    spatial_scale: float = 1.0,
) -> paddle.Tensor:
    """`torchvision.ops.ps_roi_pool`: each part of a region is the mean of a channel of its own."""
    boxes = torch_regions(boxes)
    high, wide = [output_size] * 2 if isinstance(output_size, int) else output_size
    if input.shape[1] % (high * wide):
        raise RuntimeError("input channels must be a multiple of pooling height * pooling width")
    corners = boxes[:, 1:] * spatial_scale
    corners = corners.sign() * (corners.abs() + 0.5).floor()  # a half goes away from zero
    left, top, right, bottom = paddle.unbind(corners, axis=1)
    rows, heights = torch_bins(top, bottom, high, input.shape[2])
    columns, widths = torch_bins(left, right, wide, input.shape[3])
    images = paddle.index_select(input, boxes[:, 0].astype("int64"), axis=0)
    images = images.reshape([boxes.shape[0], -1, high, wide, *input.shape[2:]])
    found = []
    for i in range(high):
        for j in range(wide):
            inside = (rows[:, i].unsqueeze(-1) & columns[:, j].unsqueeze(-2)).unsqueeze(1)
            part = images[:, :, i, j]
            total = paddle.where(inside, part, paddle.zeros_like(part)).sum(axis=[-2, -1])
            area = (heights[:, i] * widths[:, j]).unsqueeze(-1)
            found.append(total / paddle.clip(area, min=1.0).astype(total.dtype))
    return paddle.stack(found, axis=-1).reshape([boxes.shape[0], -1, high, wide])


@torch_named
class TorchRoIPool(paddle.nn.Layer):
    """`torchvision.ops.RoIPool`."""

    def __init__(self, output_size: int | Sequence[int], spatial_scale: float) -> None:
        super().__init__()
        self.output_size = output_size
        self.spatial_scale = spatial_scale

    def forward(self, input: paddle.Tensor, rois: Any) -> paddle.Tensor:
        return torch_roi_pool(input, rois, self.output_size, self.spatial_scale)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}, spatial_scale={self.spatial_scale}"


@torch_named
class TorchPSRoIPool(TorchRoIPool):
    """`torchvision.ops.PSRoIPool`."""

    def forward(self, input: paddle.Tensor, rois: Any) -> paddle.Tensor:
        return torch_ps_roi_pool(input, rois, self.output_size, self.spatial_scale)
