"""Random transforms of torchvision."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.targets.paddle.common.vision import keep_members

rules = RuleSet()

_T = "torchvision.transforms"


def _transform(name: str) -> None:
    helper = f"Torch{name}"
    rules.row(f"{_T}.{name}", f"{helper}(...)", value=helper)
    keep_members(rules, f"{_T}.{name}")


_transform("RandomHorizontalFlip")
_transform("RandomVerticalFlip")
_transform("RandomGrayscale")
_transform("RandomInvert")
_transform("RandomPosterize")
_transform("RandomSolarize")
_transform("RandomErasing")
rules.refuse(
    f"{_T}.RandomErasing.get_params",
    reason="the converted transform draws its rectangle itself",
    instead="draw the rectangle in your code, and pass it to torchvision's erase",
)
rules.refuse(
    f"{_T}.ColorJitter.get_params",
    reason="the converted transform draws its factors itself",
    instead="draw the factors in your code, and pass them to adjust_brightness and the similar"
    " functions",
)
_transform("RandomApply")
_transform("RandomOrder")
_transform("RandomChoice")
_transform("RandomCrop")
rules.row(f"{_T}.RandomCrop.get_params", "TorchRandomCrop.get_params(...)")
_transform("RandomResizedCrop")
rules.row(f"{_T}.RandomResizedCrop.get_params", "TorchRandomResizedCrop.get_params(...)")
_transform("ColorJitter")
