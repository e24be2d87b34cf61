"""Images blurred, sharpened and spread in contrast: functions of torchvision, and transforms."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.targets.paddle.vision import image_function, keep_members
from workbench.upstream.cases.images import IMAGES, KEPT

rules = RuleSet()

_T = "torchvision.transforms"


def _function(name: str, *cases: str) -> None:
    image_function(rules, name, f"torch_{name}", cases)


_function(
    "gaussian_blur",
    "TF.gaussian_blur(img, 3), TF.gaussian_blur(bytes3, [3, 5], sigma=[0.7, 1.1])",
    "seen(TF.gaussian_blur(pil, 5, 0.8)), seen(TF.gaussian_blur(gray, kernel_size=(3, 3)))",
    "t = img.clone().requires_grad_()\nTF.gaussian_blur(t, 3, [1.0]).sum().backward()\ng = t.grad",
    "TF.gaussian_blur(img, 4)",
    "TF.gaussian_blur(img, 3, -1.0)",
)
_function(
    "adjust_sharpness",
    "[TF.adjust_sharpness(each, f) for f in (0, 0.4, 1.7) for each in (img.clamp(0, 1), bytes3)]",
    "[seen(TF.adjust_sharpness(each, f)) for f in (0, 1.7) for each in (pil, gray)]",
    "TF.adjust_sharpness(img[:, :, :2], 0.3)",
    "TF.adjust_sharpness(img, -1)",
)
_function(
    "autocontrast",
    "TF.autocontrast(img.clamp(0, 1)), TF.autocontrast(bytes3), seen(TF.autocontrast(pil))",
    "TF.autocontrast(bytes3 * 0 + 9), TF.autocontrast(img[:, :1] * 0)",
)
_function(
    "equalize",
    "TF.equalize(bytes3), seen(TF.equalize(pil)), TF.equalize(bytes3.repeat(2, 9, 9)[None, :3])",
    "TF.equalize(img)",
)


def _transform(name: str, made: str, use: str, *cases: str) -> None:
    helper = f"Torch{name}"
    rules.row(
        f"{_T}.{name}",
        f"{helper}(...)",
        value=helper,
        cases=[IMAGES + KEPT + case for case in cases],
    )
    keep_members(rules, f"{_T}.{name}", made, use)


_transform(
    "GaussianBlur",
    "(3, 1.0)",
    "t(img)",
    "r = T.GaussianBlur(3, 0.9)(img), seen(T.GaussianBlur((5, 3), sigma=(1.5, 1.5))(pil))",
    "t = T.GaussianBlur(kernel_size=5)\nr = t.sigma, t.kernel_size, t(bytes3).shape",
    "T.GaussianBlur(4)",
    "T.GaussianBlur(3, (2.0, 1.0))",
)
rules.row(
    f"{_T}.GaussianBlur.get_params",
    "TorchGaussianBlur.get_params(...)",
    cases=[f"{IMAGES}r = T.GaussianBlur.get_params(2.0, 2.0)"],
)
_transform(
    "RandomAdjustSharpness",
    "(0.3, p=1.0)",
    "t(bytes3)",
    "r = T.RandomAdjustSharpness(0.3, 1.0)(bytes3), seen(T.RandomAdjustSharpness(2, p=0.0)(pil))",
    "t = T.RandomAdjustSharpness(sharpness_factor=2)\nr = t.p, t.sharpness_factor",
)
for _name in ("RandomAutocontrast", "RandomEqualize"):
    _transform(
        _name,
        "(p=1.0)",
        "t(bytes3)",
        f"r = T.{_name}(1.0)(bytes3), seen(T.{_name}(p=0.0)(pil)), T.{_name}().p",
    )
