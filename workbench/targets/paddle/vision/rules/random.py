"""Random transforms of torchvision."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.targets.paddle.common.vision import transform

rules = RuleSet()

_T = "torchvision.transforms"


transform(rules, "RandomHorizontalFlip")
transform(rules, "RandomVerticalFlip")
transform(rules, "RandomGrayscale")
transform(rules, "RandomInvert")
transform(rules, "RandomPosterize")
transform(rules, "RandomSolarize")
transform(rules, "RandomErasing")
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
transform(rules, "RandomApply")
transform(rules, "RandomOrder")
transform(rules, "RandomChoice")
transform(rules, "RandomCrop")
rules.row(f"{_T}.RandomCrop.get_params", "TorchRandomCrop.get_params(...)")
transform(rules, "RandomResizedCrop")
rules.row(f"{_T}.RandomResizedCrop.get_params", "TorchRandomResizedCrop.get_params(...)")
transform(rules, "ColorJitter")
