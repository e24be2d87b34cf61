"""Rotated, sheared and perspective images: torchvision functions and random transforms."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.targets.paddle.common.vision import image_function, transform

rules = RuleSet()

_T = "torchvision.transforms"
_EDGE = "at the border between two pixels the other one may be taken, and bytes may differ by 1"


def _function(name: str) -> None:
    image_function(rules, name, f"torch_{name}_image", _EDGE)


_function("rotate")
_function("affine")
_function("perspective")


def _transform(name: str) -> None:
    transform(rules, name)
    rules.row(f"{_T}.{name}.get_params", f"Torch{name}.get_params(...)")


_transform("RandomRotation")
_transform("RandomAffine")
_transform("RandomPerspective")
