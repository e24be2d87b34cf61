"""Blurred, sharpened and contrast-stretched images: torchvision functions and transforms."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.targets.paddle.common.vision import image_function, keep_members

rules = RuleSet()

_T = "torchvision.transforms"


def _function(name: str) -> None:
    image_function(rules, name, f"torch_{name}")


_function("gaussian_blur")
_function("adjust_sharpness")
_function("autocontrast")
_function("equalize")


def _transform(name: str) -> None:
    helper = f"Torch{name}"
    rules.row(f"{_T}.{name}", f"{helper}(...)", value=helper)
    keep_members(rules, f"{_T}.{name}")


_transform("GaussianBlur")
rules.row(f"{_T}.GaussianBlur.get_params", "TorchGaussianBlur.get_params(...)")
_transform("RandomAdjustSharpness")
for _name in ("RandomAutocontrast", "RandomEqualize"):
    _transform(_name)
