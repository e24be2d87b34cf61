"""Names of torchvision without an equivalent in Paddle, with alternatives."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.targets.paddle.vision.rules import (
    compiled,
    datasets,
    files,
    filter,
    functional,
    networks,
    networks_small,
    ops,
    random,
    resnet,
    transforms,
    warp,
    weights,
)
from workbench.upstream.facts import load

rules = RuleSet()

_OTHERS = (
    compiled,
    datasets,
    files,
    filter,
    functional,
    networks,
    networks_small,
    ops,
    random,
    resnet,
    transforms,
    warp,
    weights,
)
_RULED = {rule.name for one in _OTHERS for rule in one.rules.rules}
_CARRY = "load the model in torch, and convert it as a graph: `torchferry trace FILE:NAME`"

# The last part of a name in torchvision, the reason, and the alternative.
_SINGLE: dict[str, tuple[str, str]] = {
    "io.read_image": (
        "Paddle decodes images through Pillow",
        "paddle.to_tensor(numpy.asarray(PIL.Image.open(path)).transpose(2, 0, 1))",
    ),
    "datasets.Flowers102": (
        "Paddle's dataset takes a mode and archive files instead of a folder",
        "paddle.vision.datasets.Flowers(mode='train', transform=…, backend='pil')",
    ),
    "datasets.VOCSegmentation": (
        "Paddle has only the dataset of 2012, which takes a mode and an archive file",
        "paddle.vision.datasets.VOC2012(mode='train', transform=…, backend='pil')",
    ),
}
# Prefixes of names, the longest first.
_FAMILIES: dict[str, tuple[str, str | None]] = {
    "torchvision.transforms.v2.": (
        "Paddle has no counterpart of transforms v2, which also transform labels and boxes",
        "for images only, the class of torchvision.transforms",
    ),
    "torchvision.transforms.": (
        "Paddle has no counterpart",
        "your own function of the pixels, or albumentations, which accepts arrays",
    ),
    "torchvision.datasets.": (
        "Paddle has no such dataset",
        "a class derived from paddle.io.Dataset that reads the files",
    ),
    "torchvision.ops.": ("Paddle has no such operator", None),
    "torchvision.utils.": ("it draws on image tensors of torch", "PIL.ImageDraw"),
    "torchvision.io.": ("Paddle cannot read such files", "Pillow for images, PyAV for videos"),
    "torchvision.models.feature_extraction.": (
        "Paddle cannot extract parts of a model's graph",
        "a hook: layer.register_forward_post_hook(…)",
    ),
    "torchvision.models.": ("Paddle has no counterpart of this model with torch's weights", _CARRY),
    "torchvision.": ("Paddle has no counterpart", None),
}


def _why(name: str) -> tuple[str, str | None]:
    short = name.removeprefix("torchvision.")
    if short in _SINGLE:
        return _SINGLE[short]
    family, _, model = short.partition(".")
    if family == "models" and "_Weights" in model:
        return (
            "these are weights of torch",
            "load them in torch, and convert them with `torchferry weights`",
        )
    return next(why for prefix, why in _FAMILIES.items() if name.startswith(prefix))


for _name in sorted(load().vision_names - _RULED):
    if not load().is_module(_name):
        _reason, _instead = _why(_name)
        rules.refuse(_name, reason=_reason, instead=_instead)
