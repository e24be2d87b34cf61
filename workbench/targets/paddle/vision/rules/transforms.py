"""Transforms of torchvision, as classes."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.targets.paddle.common.vision import keep_members

rules = RuleSet()

_T = "torchvision.transforms"


def _transform(name: str, *, helper: str = "") -> None:
    """Add the rules of a transform with a helper class, and of its attributes."""
    helper = helper or f"Torch{name}"
    rules.counterpart(f"{_T}.{name}", helper)
    keep_members(rules, f"{_T}.{name}")


_transform("Compose")
_transform("ToTensor")
_transform("PILToTensor")
_transform("ToPILImage")
_transform("Lambda", helper="TorchImageLambda")
_transform("ConvertImageDtype")
_transform("Normalize", helper="TorchNormalizeImage")
_transform("Resize", helper="TorchResizeImage")
_transform("CenterCrop")
_transform("Pad", helper="TorchPadImage")
_transform("Grayscale")
_transform("FiveCrop")
_transform("TenCrop")
_transform("LinearTransformation")

for _mode in ("NEAREST", "NEAREST_EXACT", "BILINEAR", "BICUBIC", "BOX", "HAMMING", "LANCZOS"):
    rules.row(f"{_T}.InterpolationMode.{_mode}", f"TorchInterpolationMode.{_mode}")
rules.row(
    f"{_T}.InterpolationMode", "TorchInterpolationMode({value})", value="TorchInterpolationMode"
)
