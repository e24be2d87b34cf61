"""Random transforms of torchvision."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.targets.paddle.vision import keep_members
from workbench.upstream.cases.images import IMAGES, KEPT

rules = RuleSet()

_T = "torchvision.transforms"


def _transform(name: str, *cases: str, made: str, use: str = "t(img)") -> None:
    helper = f"Torch{name}"
    full = [IMAGES + case for case in cases]
    rules.row(f"{_T}.{name}", f"{helper}(...)", value=helper, cases=full)
    keep_members(rules, f"{_T}.{name}", made, use)


def _chance(
    name: str, arguments: str = "", images: str = "(pil, gray, img, bytes3)", use: str = "t(img)"
) -> None:
    """A transform that is applied with a probability: never at 0, always at 1."""
    _transform(
        name,
        f"{KEPT}def told(each):\n    return each if torch.is_tensor(each) else seen(each)\n"
        f"r = [told(T.{name}({arguments}p=p)(each)) for p in (0.0, 1.0) for each in {images}]",
        f"r = T.{name}({arguments.replace('=', ' = ')}p=1.0).p",
        f"T.{name}({arguments}p=0)(bytes3)",
        made=f"({arguments}p=1.0)",
        use=use,
    )


_chance("RandomHorizontalFlip")
_chance("RandomVerticalFlip")
_chance("RandomGrayscale")
_chance("RandomInvert", images="(pil, gray, img, bytes3)")
_chance("RandomPosterize", "bits=3, ", "(pil, gray, bytes3)", "t(bytes3)")
_chance("RandomSolarize", "threshold=0.6, ", "(img, bytes3)")
_chance(
    "RandomErasing",
    "scale=(0.5, 0.5), ratio=(1.0, 1.0), value=0, ",
    "(img * 0, bytes3 * 0)",
    "t(img * 0)",
)
rules.refuse(
    f"{_T}.RandomErasing.get_params",
    reason="the helper that erases draws its rectangle itself",
    instead="draw the place, and call torchvision's erase with it",
)
rules.refuse(
    f"{_T}.ColorJitter.get_params",
    reason="the helper that jitters draws its factors itself",
    instead="draw the factors, and call adjust_brightness and the like with them",
)
_transform(
    "RandomApply",
    "r = [T.RandomApply([T.CenterCrop(4), T.RandomHorizontalFlip(1.0)], p=p)(img) for p in (0, "
    "1.0)]",
    "T.RandomApply(nn.ModuleList([T.CenterCrop(4)]), p=1.0)(img)",
    "T.RandomOrder(T.CenterCrop(4))",
    made="([T.CenterCrop(4)], 1.0)",
)
_transform(
    "RandomOrder",
    "import random\nrandom.seed(4)\n"
    "r = T.RandomOrder([T.Lambda(lambda v: v + 1), T.Lambda(lambda v: v * 2)])(x)",
    made="([T.CenterCrop(4)])",
)
_transform(
    "RandomChoice",
    "import random\nrandom.seed(4)\n"
    "t = T.RandomChoice([T.Lambda(lambda v: v + 1), T.Lambda(lambda v: v * 2)], p=[0.2, 0.8])\n"
    "r = [t(x) for _ in range(9)]",
    made="([T.CenterCrop(4)])",
)
_transform(
    "RandomCrop",
    "r = T.RandomCrop(5)(img).shape, T.RandomCrop((3, 6), padding=2)(img).shape, "
    "T.RandomCrop(8)(img)",
    f"{KEPT}r = T.RandomCrop(5)(pil).size, T.RandomCrop((13, 15), padding=2)(pil).size\n"
    "s = seen(T.RandomCrop((9, 11))(pil))\nn = T.RandomCrop(4, padding=1).size",
    "T.RandomCrop(12, pad_if_needed=True, fill=2)(img).shape, T.RandomCrop((8, 12), "
    "pad_if_needed=True,"
    " padding_mode='reflect')(img).shape",
    "T.RandomCrop(30)(img)",
    "T.RandomCrop([8, 8], padding=(0, 0, 0, 0), padding_mode='edge')(img)",
    made="(8)",
)
rules.row(
    f"{_T}.RandomCrop.get_params",
    "TorchRandomCrop.get_params(...)",
    cases=[
        f"{IMAGES}r = T.RandomCrop.get_params(img, (8, 8))\n"
        "s = T.RandomCrop.get_params(pil, output_size=(3, 4))[2:]"
    ],
)
_transform(
    "RandomResizedCrop",
    "r = T.RandomResizedCrop(5)(img).shape, T.RandomResizedCrop((3, 6))(bytes3).shape",
    f"{KEPT}s = seen(T.RandomResizedCrop(5, scale=(1.0, 1.0), ratio=(11 / 9, 11 / 9))(pil))",
    "T.RandomResizedCrop(5, scale=(1.0, 1.0), ratio=(1.0, 1.0), "
    "interpolation=T.InterpolationMode.BICUBIC, antialias=False)(img)",
    "t = T.RandomResizedCrop(5, (3.0, 4.0), (0.5, 0.9))\nr = t(img), t.size, t.scale",
    f"{KEPT}s = seen(T.RandomResizedCrop((4, 5), (9.0, 9.0), (0.5, 0.6))(pil))",
    made="(8, (1.0, 1.0), (1.0, 1.0))",
)
rules.row(
    f"{_T}.RandomResizedCrop.get_params",
    "TorchRandomResizedCrop.get_params(...)",
    cases=[
        f"{IMAGES}r = T.RandomResizedCrop.get_params(img, (1.0, 1.0), (1.0, 1.0))\n"
        "s = T.RandomResizedCrop.get_params(pil, scale=[5.0, 5.0], ratio=[2.0, 3.0])"
    ],
)
_transform(
    "ColorJitter",
    f"{KEPT}r = [seen(T.ColorJitter(**{{each: (0.3, 0.3)}})(pil)) "
    "for each in ('brightness', 'contrast', 'saturation', 'hue')]",
    "c = img.clamp(0, 1)\n"
    "r = [T.ColorJitter(**{each: (0.3, 0.3)})(c) "
    "for each in ('brightness', 'contrast', 'saturation', 'hue')]",
    f"{KEPT}t = T.ColorJitter(0.4, 0.3, 0.2, 0.1)\n"
    "r = t.brightness, t.contrast, t.saturation, t.hue, t(bytes3).shape, t(pil).size",
    f"{KEPT}t = T.ColorJitter()\nr = seen(t(pil)), t(bytes3), t.hue, T.ColorJitter(2).brightness",
    "T.ColorJitter(hue=0.7)",
    "T.ColorJitter(-1)",
    made="((0.4, 0.4))",
    use="t(img.clamp(0, 1))",
)
