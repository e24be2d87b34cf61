"""Fields of any type, whose dtypes the program shows where it makes the object."""

from __future__ import annotations

import pytest

from tests.workbench.targets.paddle.both_sides import assert_prints_the_same

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
