"""Pools of regions, convolutions at places of their own and decoders, held against definitions."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from workbench import convert

_SOURCE = """
import torch
from torchvision import io, ops
def decoded(path):
    data = io.read_file(path)
    gray = io.decode_jpeg(data, io.ImageReadMode.GRAY)
    return data, io.decode_jpeg(data), gray, io.decode_jpeg([data], mode="rgb")[0]
def pool(name, x, boxes, *more):
    image, rois = torch.tensor(x), torch.tensor(boxes)
    if name == "ps":
        return ops.ps_roi_pool(image, rois, *more), ops.PSRoIPool(*more)(image, rois)
    return ops.roi_pool(image, rois, *more), ops.RoIPool(*more)(image, rois)
def listed(x, boxes, size):
    return ops.roi_pool(torch.tensor(x), [torch.tensor(each) for each in boxes], size)
def deform(x, offset, weight, bias, mask, *more):
    layer = ops.DeformConv2d(4, 4, (3, 2), *more, groups=2)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor(weight))
        layer.bias.copy_(torch.tensor(bias))
    mask = None if mask is None else torch.tensor(mask)
    whole = torch.tensor(x), torch.tensor(offset)
    found = layer(*whole, mask)
    return found, ops.deform_conv2d(*whole, layer.weight, layer.bias, *more, mask=mask)
"""


@pytest.fixture(scope="module")
def run() -> dict[str, Any]:
    conversion = convert(_SOURCE)
    assert not conversion.unconverted
    names: dict[str, Any] = {}
    exec(conversion.code, names)
    return names


def _away(value: float) -> int:
    """Rounded, a half away from zero."""
    return int(math.copysign(math.floor(abs(value) + 0.5), value))


def _bin(start: int, size: int, part: int, parts: int, least: int, most: int) -> slice:
    low = math.floor(part * size / parts) + start
    high = math.ceil((part + 1) * size / parts) + start
    return slice(*(min(max(each, least), most) for each in (low, high)))


def _pooled(name: str, x: Any, boxes: Any, size: tuple[int, int], scale: float) -> Any:
    own = name == "ps"
    depth = x.shape[1] // (size[0] * size[1]) if own else x.shape[1]
    found = np.zeros((len(boxes), depth, *size), "float32")
    for place in np.ndindex(found.shape):
        k, c, i, j = place
        left, top, right, bottom = (_away(each * scale) for each in boxes[k][1:])
        high, wide = (max(each + (not own), 1) for each in (bottom - top, right - left))
        rows = _bin(top, high, i, size[0], 0, x.shape[2] - own)
        columns = _bin(left, wide, j, size[1], 0, x.shape[3] - own)
        part = x[int(boxes[k][0]), (c * size[0] + i) * size[1] + j if own else c, rows, columns]
        found[place] = 0 if part.size == 0 else part.mean() if own else part.max()
    return found


@pytest.mark.parametrize("name", ["roi", "ps"])
def test_regions_are_pooled_between_whole_pixels(run: dict[str, Any], name: str) -> None:
    drawn = np.random.default_rng(4)
    for size, scale in (((2, 2), 1.0), ((2, 4), 0.5), ((1, 2), 1.75)):
        x = drawn.standard_normal((2, 8, 7, 9)).astype("float32")
        corners = drawn.integers(-4, 18, (6, 2)) / 2
        boxes = np.hstack(
            [drawn.integers(0, 2, (6, 1)), corners, corners + drawn.integers(-1, 14, (6, 2)) / 2]
        ).astype("float32")
        for found in run["pool"](name, x, boxes, size, scale):
            np.testing.assert_allclose(found, _pooled(name, x, boxes, size, scale), atol=1e-5)


def test_each_image_may_have_boxes_of_its_own(run: dict[str, Any]) -> None:
    x = np.random.default_rng(5).standard_normal((2, 3, 6, 6)).astype("float32")
    boxes = np.array([[1, 0, 0, 3, 3], [1, 2, 2, 5, 4]], "float32")
    found = run["listed"](x, [boxes[:0, 1:], boxes[:, 1:]], 2)
    np.testing.assert_allclose(found, _pooled("roi", x, boxes, (2, 2), 1.0))
    assert run["listed"](x, [boxes[:0, 1:], boxes[:0, 1:]], 2).shape == [0, 3, 2, 2]


def _between(image: Any, y: float, x: float) -> float:
    """Return a value between four pixels, those around the image being zero."""
    if not (-1 < y < image.shape[0] and -1 < x < image.shape[1]):
        return 0.0
    padded = np.pad(image, 1)
    low, left = math.floor(y), math.floor(x)
    high, right = y - low, x - left
    a, b = padded[low + 1 : low + 3, left + 1 : left + 3]
    mixed = a * (1 - high) + b * high
    return float(mixed[0] * (1 - right) + mixed[1] * right)


@pytest.mark.parametrize(("masked", "stride", "padding"), [(True, (1, 1), (1, 0)), (False, 2, 1)])
def test_a_convolution_may_look_elsewhere(
    run: dict[str, Any], masked: bool, stride: Any, padding: Any
) -> None:
    drawn = np.random.default_rng(6)
    steps = stride if isinstance(stride, tuple) else (stride, stride)
    around = padding if isinstance(padding, tuple) else (padding, padding)
    x, weight = (drawn.standard_normal(shape) for shape in ((1, 4, 5, 6), (4, 2, 3, 2)))
    high = (5 + 2 * around[0] - 3) // steps[0] + 1
    wide = (6 + 2 * around[1] - 2) // steps[1] + 1
    offset = drawn.standard_normal((1, 2 * 2 * 6, high, wide)) * 1.5
    mask = drawn.random((1, 2 * 6, high, wide)) if masked else np.ones((1, 12, high, wide))
    bias = drawn.standard_normal(4)
    expected = np.zeros((1, 4, high, wide))
    for _, o, i, j in np.ndindex(expected.shape):
        total = bias[o]
        for c, p, q in np.ndindex(2, 3, 2):
            channel, tap = c + 2 * (o // 2), p * 2 + q
            at = (channel // 2) * 6 + tap  # two groups of offsets, for two channels each
            y = i * steps[0] - around[0] + p + offset[0, 2 * at, i, j]
            z = j * steps[1] - around[1] + q + offset[0, 2 * at + 1, i, j]
            total += weight[o, c, p, q] * mask[0, at, i, j] * _between(x[0, channel], y, z)
        expected[0, o, i, j] = total
    given = [each.astype("float32") for each in (x, offset, weight, bias, mask)]
    given[4] = given[4] if masked else None  # type: ignore[call-overload]
    for found in run["deform"](*given, stride, padding):
        np.testing.assert_allclose(found.detach(), expected, atol=1e-4)


@pytest.mark.parametrize("mode", ["L", "RGB"])
def test_a_file_is_read_as_bytes_and_as_pixels(
    run: dict[str, Any], tmp_path: Path, mode: str
) -> None:
    drawn = np.random.default_rng(7).integers(0, 256, (4, 5, 3)).astype("uint8")
    path = tmp_path / "image.jpg"
    Image.fromarray(drawn.repeat(8, 0).repeat(8, 1)).convert(mode).save(path, quality=90)
    data, plain, gray, coloured = (each.numpy() for each in run["decoded"](str(path)))
    assert data.tobytes() == path.read_bytes()
    kept = np.asarray(Image.open(path))
    expected = kept[None] if mode == "L" else kept.transpose(2, 0, 1)
    assert (plain == expected).all() and plain.dtype == np.uint8
    assert (coloured == expected).all() and coloured.shape == (3, 32, 40)
    assert gray.shape == (1, 32, 40)
    # The luma of the file is the weighted sum of its colours, but for rounding and clipping.
    weighted = expected if mode == "L" else np.tensordot([0.299, 0.587, 0.114], expected, 1)
    assert np.abs(gray - weighted).mean() < 2
