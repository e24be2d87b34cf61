"""Fields of any type, whose dtypes the program shows where it makes the object."""

from __future__ import annotations

import pytest

import workbench
from tests.workbench.targets.paddle.both_sides import assert_prints_the_same, printed

_HEAD = """\
import torch
from dataclasses import dataclass
from typing import Any, NamedTuple
"""
_MADE = "box = Box(torch.tensor([1, 2]), h=torch.tensor([0.5, 0.25]))\n"


@pytest.mark.parametrize("head", ["class Box(NamedTuple):", "@dataclass\nclass Box:"])
def test_a_product_of_fields_promotes_as_in_torch(head: str) -> None:
    cls = f"{head}\n    w: Any\n    h: Any\n    def area(self):\n        return self.w * self.h\n"
    shown = "print(box.area().sum().item(), (box.w + box.h).sum().item())\n"
    assert_prints_the_same(_HEAD + cls + _MADE + shown)


@pytest.mark.parametrize(
    "made",
    [
        'Box = namedtuple("Box", ["w", "h"])',
        'Box = collections.namedtuple("Box", "w, h", defaults=[None])',
        'Box = NamedTuple("Box", [("w", torch.Tensor), ("h", Any)])',
        'class Box(namedtuple("Box", ("w", "h"))):\n    """Two sizes."""',
    ],
)
@pytest.mark.parametrize("style", ["plain", "exact"])
def test_fields_of_a_named_tuple_promote_as_in_torch(made: str, style: str) -> None:
    head = f"import collections\nfrom collections import namedtuple\n{_HEAD}{made}\n"
    shown = (
        "def area(box):\n    return box.w * box.h\n"
        "def sides(box):\n    w, h = box\n    return w + h\n"
        "print(area(box).sum().item(), (box.w - box.h).sum().item(), sides(box).sum().item())\n"
    )
    text = f"{head}{_MADE}{shown}"
    if style == "plain":
        assert_prints_the_same(text)
    else:
        assert float(printed(workbench.convert(text, style=style).code).split()[0]) == 1.0


def test_names_of_fields_that_are_computed_are_left() -> None:
    text = f"{_HEAD}from collections import namedtuple\nBox = namedtuple('Box', names)\n{_MADE}"
    assert "Box = namedtuple('Box', names)" in workbench.convert(text).code
