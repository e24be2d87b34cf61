"""Suppression of overlapping boxes, held against its definition in plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from workbench import convert

_SOURCE = """
import torch
from torchvision.ops import {name}
def run(boxes, scores, *more):
    return {name}(torch.tensor(boxes), torch.tensor(scores), *more)
def classes(numbers):
    return torch.tensor(numbers)
"""


def _converted(name: str) -> dict[str, Any]:
    conversion = convert(_SOURCE.format(name=name))
    assert not conversion.unconverted
    names: dict[str, Any] = {}
    exec(conversion.code, names)
    return names


def _by_definition(boxes: Any, scores: Any, limit: float) -> list[int]:
    """Greedily by score, the earlier of equal ones first."""
    kept: list[int] = []
    for one in sorted(range(len(boxes)), key=lambda place: (-scores[place], place)):
        for other in kept:
            (a, b, c, d), (e, f, g, h) = boxes[one], boxes[other]
            inter = max(min(c, g) - max(a, e), 0) * max(min(d, h) - max(b, f), 0)
            if inter > limit * ((c - a) * (d - b) + (g - e) * (h - f) - inter):
                break
        else:
            kept.append(one)
    return kept


def _boxes(count: int, seed: int) -> tuple[Any, Any, Any]:
    # Whole numbers and a limit between the fractions that they make: no rounding decides.
    drawn = np.random.default_rng(seed)
    corners = drawn.integers(0, 20, (count, 2))
    boxes = np.hstack([corners, corners + drawn.integers(1, 12, (count, 2))]).astype("float32")
    scores = (drawn.integers(0, 30, count) / 32).astype("float32")
    return boxes, scores, drawn.integers(0, 3, count)


@pytest.mark.parametrize("count", [0, 1, 60])
def test_boxes_that_overlap_with_a_better_one_go(count: int) -> None:
    run = _converted("nms")["run"]
    for seed in range(3):
        boxes, scores, _ = _boxes(count, seed)
        found = run(boxes, scores, 0.4937)
        assert found.tolist() == _by_definition(boxes.tolist(), scores.tolist(), 0.4937)
        assert str(found.dtype) == "paddle.int64"


@pytest.mark.parametrize("count", [0, 80, 1100])
def test_classes_leave_each_other_alone(count: int) -> None:
    names = _converted("batched_nms")
    boxes, scores, classes = _boxes(count, 7)
    found = names["run"](boxes, scores, names["classes"](classes), 0.4937).tolist()
    expected: list[int] = []
    for number in range(3):
        places = np.flatnonzero(classes == number)
        kept = _by_definition(boxes[places].tolist(), scores[places].tolist(), 0.4937)
        expected += [int(places[place]) for place in kept]
    assert sorted(found) == sorted(expected)
    assert [scores[place] for place in found] == sorted(scores[found], reverse=True)


_REGIONS = """
import torch
from torchvision.ops import roi_align
def run(image, boxes, size, ratio, aligned):
    return roi_align(torch.tensor(image), torch.tensor(boxes), size, 0.5, ratio, aligned).tolist()
"""


def _sampled(image: Any, y: float, x: float) -> Any:
    """Return the image between four pixels; nothing where it is more than one away from all."""
    height, width = image.shape[-2:]
    if not (-1 <= y <= height and -1 <= x <= width):
        return np.zeros(len(image))
    y, x = min(max(y, 0), height - 1), min(max(x, 0), width - 1)
    top, left = int(y), int(x)
    bottom, right = min(top + 1, height - 1), min(left + 1, width - 1)
    down, along = y - top, x - left
    upper = image[:, top, left] * (1 - along) + image[:, top, right] * along
    lower = image[:, bottom, left] * (1 - along) + image[:, bottom, right] * along
    return upper * (1 - down) + lower * down


@pytest.mark.parametrize(("ratio", "aligned"), [(2, True), (-1, False), (0, True)])
def test_regions_are_the_means_of_samples_also_beyond_the_image(ratio: int, aligned: bool) -> None:
    names: dict[str, Any] = {}
    exec(convert(_REGIONS).code, names)
    image = np.random.default_rng(0).random((2, 3, 7, 6))
    boxes = [[1.0, -5, -3, 9, 14], [0.0, 2, 2, 30, 11], [0.0, 3, 3, 3, 3]]
    found = names["run"](image, boxes, (3, 2), ratio, aligned)
    for region, box in zip(found, boxes, strict=True):
        left, top, right, bottom = (edge * 0.5 - 0.5 * aligned for edge in box[1:])
        sizes = [bottom - top, right - left]
        high, wide = (size if aligned else max(size, 1) for size in sizes)
        rows = ratio if ratio > 0 else int(np.ceil(high / 3))
        columns = ratio if ratio > 0 else int(np.ceil(wide / 2))
        for row in range(3):
            for column in range(2):
                samples = [
                    _sampled(
                        image[int(box[0])],
                        top + (row + (i + 0.5) / rows) * high / 3,
                        left + (column + (j + 0.5) / columns) * wide / 2,
                    )
                    for i in range(rows)
                    for j in range(columns)
                ]
                wanted = sum(samples, np.zeros(3)) / max(len(samples), 1)
                assert np.allclose(np.array(region)[:, row, column], wanted)
