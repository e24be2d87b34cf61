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
