"""Regions of images brought to one size, as torchvision's operators compute them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import paddle

from workbench.targets.paddle.modules.helpers.class_names import torch_named


def torch_roi_shares(
    start: paddle.Tensor, size: paddle.Tensor, bins: int, samples: Any, length: int
) -> paddle.Tensor:
    """How much each of `length` pixels has in each of `bins` parts of a stretch, for each region.

    A part is the mean of samples, of which each region has its own number; each of them lies
    between two pixels, or has nothing of any where it is more than a pixel away.
    """
    most = int(samples.max()) if samples.size else 0
    step = (size / bins).reshape([-1, 1, 1])
    taken = samples.reshape([-1, 1, 1]).astype(size.dtype)
    number = paddle.clip(taken, min=1.0)
    part = paddle.arange(bins, dtype=size.dtype).reshape([1, -1, 1])
    sample = paddle.arange(most, dtype=size.dtype).reshape([1, 1, -1])
    place = start.reshape([-1, 1, 1]) + part * step + (sample + 0.5) * step / number
    counted = (sample < taken) & (place >= -1.0) & (place <= length)
    inside = paddle.clip(place, 0, length - 1)
    low = inside.floor()
    share = inside - low
    pixel = paddle.arange(length, dtype=size.dtype)
    low, share = low.unsqueeze(-1), share.unsqueeze(-1)
    at_low, at_high = (pixel == low).astype(size.dtype), (pixel == low + 1).astype(size.dtype)
    weights = at_low * (1 - share) + at_high * share
    weights = weights * counted.astype(size.dtype).unsqueeze(-1)
    return weights.sum(axis=2) / number


def torch_regions(boxes: Any) -> paddle.Tensor:
    """Boxes with their image in front, also where each image has its own."""
    if not isinstance(boxes, paddle.Tensor):
        owners = [paddle.full([each.shape[0], 1], i, each.dtype) for i, each in enumerate(boxes)]
        boxes = paddle.concat([paddle.concat(owners), paddle.concat(list(boxes))], axis=1)
    if boxes.shape[-1] != 5:
        raise ValueError("The boxes tensor shape is not correct as Tensor[K, 5]")
    return boxes


def torch_roi_align(
    input: paddle.Tensor,
    boxes: Any,
    output_size: int | Sequence[int],
    spatial_scale: float = 1.0,
    sampling_ratio: int = -1,
    aligned: bool = False,
) -> paddle.Tensor:
    """`torchvision.ops.roi_align`: boxes with their image in front, or a list for each image."""
    boxes = torch_regions(boxes)
    high, wide = [output_size] * 2 if isinstance(output_size, int) else output_size
    corners = boxes[:, 1:] * spatial_scale - (0.5 if aligned else 0.0)
    left, top, right, bottom = paddle.unbind(corners, axis=1)
    shares = []
    for start, end, bins, length in (
        (top, bottom, high, input.shape[2]),
        (left, right, wide, input.shape[3]),
    ):
        size = end - start if aligned else paddle.clip(end - start, min=1.0)
        if sampling_ratio > 0:
            samples = paddle.full_like(size, sampling_ratio)
        else:
            samples = paddle.clip((size / bins).ceil(), min=0.0)
        shares.append(torch_roi_shares(start, size, bins, samples.astype("int64"), length))
    rows, columns = (each.unsqueeze(1) for each in shares)
    images = paddle.index_select(input, boxes[:, 0].astype("int64"), axis=0)
    return rows @ images @ columns.mT


@torch_named
class TorchRoIAlign(paddle.nn.Layer):
    """`torchvision.ops.RoIAlign`."""

    def __init__(
        self,
        output_size: int | Sequence[int],
        spatial_scale: float,
        sampling_ratio: int,
        aligned: bool = False,
    ) -> None:
        super().__init__()
        self.output_size = output_size
        self.spatial_scale = spatial_scale
        self.sampling_ratio = sampling_ratio
        self.aligned = aligned

    def forward(self, input: paddle.Tensor, rois: Any) -> paddle.Tensor:
        return torch_roi_align(
            input, rois, self.output_size, self.spatial_scale, self.sampling_ratio, self.aligned
        )

    def extra_repr(self) -> str:
        return (
            f"output_size={self.output_size}, spatial_scale={self.spatial_scale}, "
            f"sampling_ratio={self.sampling_ratio}, aligned={self.aligned}"
        )
