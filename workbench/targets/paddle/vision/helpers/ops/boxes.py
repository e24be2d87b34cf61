"""Boxes of objects in images, as torchvision's operators compute them."""

from __future__ import annotations

from typing import Any

import numpy
import paddle


def torch_wide_boxes(boxes: paddle.Tensor) -> paddle.Tensor:
    """Boxes in a dtype that holds their areas."""
    if boxes.dtype in (paddle.float32, paddle.float64, paddle.int32, paddle.int64):
        return boxes
    return boxes.astype("float32" if boxes.is_floating_point() else "int32")


def torch_box_area(boxes: paddle.Tensor, fmt: str = "xyxy") -> paddle.Tensor:
    """`torchvision.ops.box_area`."""
    if fmt not in ("xyxy", "xywh", "cxcywh"):
        raise ValueError(f"Unsupported Bounding Box area for given format {fmt}")
    first, second, third, fourth = paddle.unbind(torch_wide_boxes(boxes), axis=-1)
    return (third - first) * (fourth - second) if fmt == "xyxy" else third * fourth


def torch_box_corners(boxes: paddle.Tensor, fmt: str) -> paddle.Tensor:
    """The boxes as their left, top, right and bottom."""
    if fmt == "xyxy":
        return boxes
    first, second, width, height = paddle.unbind(boxes, axis=-1)
    if fmt == "xywh":
        corners = [first, second, first + width, second + height]
    else:
        wide, high = 0.5 * width, 0.5 * height
        corners = [first - wide, second - high, first + wide, second + high]
    return paddle.stack(corners, axis=-1)


def torch_box_convert(boxes: paddle.Tensor, in_fmt: str, out_fmt: str) -> paddle.Tensor:
    """`torchvision.ops.box_convert`, between boxes that lie along the axes."""
    known = ("xyxy", "xywh", "cxcywh")
    if in_fmt not in known or out_fmt not in known:
        raise ValueError("Unsupported Bounding Box Conversions for given in_fmt and out_fmt")
    if in_fmt == out_fmt:
        return boxes.clone()
    corners = torch_box_corners(boxes, in_fmt)
    if out_fmt == "xyxy":
        return corners
    left, top, right, bottom = paddle.unbind(corners, axis=-1)
    width, height = right - left, bottom - top
    if out_fmt == "xywh":
        return paddle.stack([left, top, width, height], axis=-1)
    middle = [(left + right) / 2, (top + bottom) / 2]
    return paddle.stack([each.astype(width.dtype) for each in (*middle, width, height)], axis=-1)


def torch_overlap(
    boxes1: paddle.Tensor, boxes2: paddle.Tensor, fmt: str = "xyxy"
) -> tuple[paddle.Tensor, paddle.Tensor]:
    """Areas of the intersection and of the union of each box of one set with each of another."""
    first = torch_box_corners(boxes1, fmt).unsqueeze(-2)
    second = torch_box_corners(boxes2, fmt).unsqueeze(-3)
    lowest = paddle.maximum(first[..., :2], second[..., :2])
    highest = paddle.minimum(first[..., 2:], second[..., 2:])
    sides = paddle.clip(torch_wide_boxes(highest - lowest), min=0)
    shared = sides[..., 0] * sides[..., 1]
    areas = torch_box_area(boxes1, fmt).unsqueeze(-1), torch_box_area(boxes2, fmt).unsqueeze(-2)
    return shared, areas[0] + areas[1] - shared


def torch_box_iou(boxes1: paddle.Tensor, boxes2: paddle.Tensor, fmt: str = "xyxy") -> paddle.Tensor:
    """`torchvision.ops.box_iou`."""
    if fmt not in ("xyxy", "xywh", "cxcywh"):
        raise ValueError(f"Unsupported Box IoU Calculation for given format {fmt}.")
    shared, union = torch_overlap(boxes1, boxes2, fmt)
    if not shared.is_floating_point():
        return shared.astype("float32") / union.astype("float32")
    return shared / union


def torch_generalized_box_iou(boxes1: paddle.Tensor, boxes2: paddle.Tensor) -> paddle.Tensor:
    """`torchvision.ops.generalized_box_iou`."""
    shared, union = torch_overlap(boxes1, boxes2)
    lowest = paddle.minimum(boxes1.unsqueeze(-2)[..., :2], boxes2.unsqueeze(-3)[..., :2])
    highest = paddle.maximum(boxes1.unsqueeze(-2)[..., 2:], boxes2.unsqueeze(-3)[..., 2:])
    sides = paddle.clip(torch_wide_boxes(highest - lowest), min=0)
    around = sides[..., 0] * sides[..., 1]
    return shared / union - (around - union) / around


def torch_clip_boxes(boxes: paddle.Tensor, size: Any) -> paddle.Tensor:
    """`torchvision.ops.clip_boxes_to_image`; the size is height and width."""
    height, width = size
    across = paddle.clip(boxes[..., 0::2], min=0, max=width)
    down = paddle.clip(boxes[..., 1::2], min=0, max=height)
    return paddle.stack([across, down], axis=boxes.ndim).reshape(boxes.shape)


def torch_remove_small_boxes(boxes: paddle.Tensor, min_size: float) -> paddle.Tensor:
    """`torchvision.ops.remove_small_boxes`: the places of the boxes that stay."""
    sides = boxes[:, 2:] - boxes[:, :2]
    return paddle.nonzero((sides >= min_size).all(axis=1)).flatten()


def torch_masks_to_boxes(masks: paddle.Tensor) -> paddle.Tensor:
    """`torchvision.ops.masks_to_boxes`."""
    if masks.shape[0] == 0:
        return paddle.zeros([0, 4], dtype="float32")
    boxes = []
    for mask in masks.astype("bool").numpy():
        rows, columns = mask.any(axis=1).nonzero()[0], mask.any(axis=0).nonzero()[0]
        found = [columns[0], rows[0], columns[-1], rows[-1]] if len(rows) else [0, 0, 0, 0]
        boxes.append([float(place) for place in found])
    return paddle.to_tensor(boxes, dtype="float32")


def torch_suppressed_boxes(
    boxes: paddle.Tensor, scores: paddle.Tensor, iou_threshold: float
) -> paddle.Tensor:
    """`torchvision.ops.nms`: the best box, and each next that overlaps with none before it.

    The boxes' own dtype decides on what is just at the threshold, as it does in torchvision.
    """
    corners, weights = boxes.detach().numpy(), scores.detach().numpy()
    order = numpy.argsort(-weights, kind="stable")
    left, top, right, bottom = corners.T
    areas = (right - left) * (bottom - top)
    kept = []
    while order.size:
        best, rest = order[0], order[1:]
        kept.append(int(best))
        wide = numpy.minimum(right[best], right[rest]) - numpy.maximum(left[best], left[rest])
        high = numpy.minimum(bottom[best], bottom[rest]) - numpy.maximum(top[best], top[rest])
        inter = numpy.maximum(wide, 0) * numpy.maximum(high, 0)
        with numpy.errstate(divide="ignore", invalid="ignore"):
            overlap = inter / (areas[best] + areas[rest] - inter)
        order = rest[~(overlap.astype("float64") > iou_threshold)]
    return paddle.to_tensor(kept, dtype="int64")


def torch_suppressed_by_class(
    boxes: paddle.Tensor, scores: paddle.Tensor, idxs: paddle.Tensor, iou_threshold: float
) -> paddle.Tensor:
    """`torchvision.ops.batched_nms`: boxes of different classes leave each other alone."""
    if boxes.size == 0:
        return paddle.zeros([0], dtype="int64")
    if boxes.size <= 4000:  # torchvision moves classes apart, which rounds, while there are few
        apart = idxs.astype(boxes.dtype) * (boxes.max() + 1)
        return torch_suppressed_boxes(boxes + apart[:, None], scores, iou_threshold)
    kept = []
    for number in paddle.unique(idxs):
        mine = paddle.nonzero(idxs == number).flatten()
        kept.append(mine[torch_suppressed_boxes(boxes[mine], scores[mine], iou_threshold)])
    every = paddle.sort(paddle.concat(kept))
    return every[paddle.argsort(scores[every], descending=True)]
