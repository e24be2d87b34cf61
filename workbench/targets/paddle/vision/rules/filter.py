"""Blurred, sharpened and contrast-stretched images: torchvision functions and transforms."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.targets.paddle.common.vision import image_function, transform

rules = RuleSet()

_T = "torchvision.transforms"


def _function(name: str) -> None:
    image_function(rules, name, f"torch_{name}")


_function("gaussian_blur")
_function("adjust_sharpness")
_function("autocontrast")
_function("equalize")


transform(rules, "GaussianBlur")
rules.row(f"{_T}.GaussianBlur.get_params", "TorchGaussianBlur.get_params(...)")
transform(rules, "RandomAdjustSharpness")
for _name in ("RandomAutocontrast", "RandomEqualize"):
    transform(rules, _name)
