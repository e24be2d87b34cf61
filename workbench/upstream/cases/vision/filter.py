"""Blurred, sharpened and contrast-stretched images: torchvision functions and transforms."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike
from workbench.upstream.cases.preludes import FUNCTIONAL, IMAGES, KEPT

CASES: dict[str, tuple[str, ...]] = {
    "torchvision.transforms.functional.gaussian_blur": (
        (
            FUNCTIONAL
            + "TF.gaussian_blur(img, 3), TF.gaussian_blur(bytes3, [3, 5], sigma=[0.7, 1.1])"
        ),
        (
            FUNCTIONAL + "seen(TF.gaussian_blur(pil, 5, 0.8)), seen(TF.gaussian_blur(gray, "
            "kernel_size=(3, 3)))"
        ),
        (
            FUNCTIONAL
            + "t = img.clone().requires_grad_()\nTF.gaussian_blur(t, 3, [1.0]).sum().backward()\n"
            "g = t.grad"
        ),
        (FUNCTIONAL + "TF.gaussian_blur(img, 4)"),
        (FUNCTIONAL + "TF.gaussian_blur(img, 3, -1.0)"),
    ),
    "torchvision.transforms.functional.adjust_sharpness": (
        (
            FUNCTIONAL + "[TF.adjust_sharpness(each, f) for f in (0, 0.4, 1.7) for each in "
            "(img.clamp(0, 1), bytes3)]"
        ),
        (
            FUNCTIONAL
            + "[seen(TF.adjust_sharpness(each, f)) for f in (0, 1.7) for each in (pil, gray)]"
        ),
        (FUNCTIONAL + "TF.adjust_sharpness(img[:, :, :2], 0.3)"),
        (FUNCTIONAL + "TF.adjust_sharpness(img, -1)"),
    ),
    "torchvision.transforms.functional.autocontrast": (
        (
            FUNCTIONAL + "TF.autocontrast(img.clamp(0, 1)), TF.autocontrast(bytes3), "
            "seen(TF.autocontrast(pil))"
        ),
        (FUNCTIONAL + "TF.autocontrast(bytes3 * 0 + 9), TF.autocontrast(img[:, :1] * 0)"),
    ),
    "torchvision.transforms.functional.equalize": (
        (
            FUNCTIONAL
            + "TF.equalize(bytes3), seen(TF.equalize(pil)), TF.equalize(bytes3.repeat(2, "
            "9, 9)[None, :3])"
        ),
        (FUNCTIONAL + "TF.equalize(img)"),
    ),
    "torchvision.transforms.GaussianBlur": (
        (
            IMAGES
            + KEPT
            + "r = T.GaussianBlur(3, 0.9)(img), seen(T.GaussianBlur((5, 3), sigma=(1.5, "
            "1.5))(pil))"
        ),
        (
            IMAGES
            + KEPT
            + "t = T.GaussianBlur(kernel_size=5)\nr = t.sigma, t.kernel_size, t(bytes3).shape"
        ),
        (IMAGES + KEPT + "T.GaussianBlur(4)"),
        (IMAGES + KEPT + "T.GaussianBlur(3, (2.0, 1.0))"),
    ),
    "torchvision.transforms.GaussianBlur.__init__": (
        (
            IMAGES + KEPT + "class Mine(T.GaussianBlur):\n    def __init__(self):\n"
            "        return super().__init__(3, 1.0)\nt = Mine()\nr = t(img)"
        ),
    ),
    "torchvision.transforms.GaussianBlur.forward": (
        (
            IMAGES + KEPT + "class Mine(T.GaussianBlur):\n    def forward(self, each):\n"
            "        return super().forward(each)\nt = Mine(3, 1.0)\nr = t(img)"
        ),
    ),
    **alike(
        "torchvision.transforms.GaussianBlur",
        "kernel_size sigma",
        (IMAGES + KEPT + "r = T.GaussianBlur(3, 1.0).{name}"),
    ),
    "torchvision.transforms.GaussianBlur.get_params": (
        (IMAGES + "r = T.GaussianBlur.get_params(2.0, 2.0)"),
    ),
    "torchvision.transforms.RandomAdjustSharpness": (
        (
            IMAGES + KEPT + "r = T.RandomAdjustSharpness(0.3, 1.0)(bytes3), "
            "seen(T.RandomAdjustSharpness(2, p=0.0)(pil))"
        ),
        (
            IMAGES
            + KEPT
            + "t = T.RandomAdjustSharpness(sharpness_factor=2)\nr = t.p, t.sharpness_factor"
        ),
    ),
    "torchvision.transforms.RandomAdjustSharpness.__init__": (
        (
            IMAGES + KEPT + "class Mine(T.RandomAdjustSharpness):\n    def __init__(self):\n"
            "        return super().__init__(0.3, p=1.0)\nt = Mine()\nr = t(bytes3)"
        ),
    ),
    "torchvision.transforms.RandomAdjustSharpness.forward": (
        (
            IMAGES + KEPT + "class Mine(T.RandomAdjustSharpness):\n    def forward(self, each):\n"
            "        return super().forward(each)\nt = Mine(0.3, p=1.0)\nr = t(bytes3)"
        ),
    ),
    "torchvision.transforms.RandomAdjustSharpness.p": (
        (IMAGES + KEPT + "r = T.RandomAdjustSharpness(0.3, p=1.0).p"),
    ),
    "torchvision.transforms.RandomAdjustSharpness.sharpness_factor": (
        (IMAGES + KEPT + "r = T.RandomAdjustSharpness(0.3, p=1.0).sharpness_factor"),
    ),
    **alike(
        "torchvision.transforms",
        "RandomAutocontrast RandomEqualize",
        (IMAGES + KEPT + "r = T.{name}(1.0)(bytes3), seen(T.{name}(p=0.0)(pil)), T.{name}().p"),
    ),
    **alike(
        "torchvision.transforms",
        "RandomAutocontrast.__init__ RandomEqualize.__init__",
        (
            IMAGES + KEPT + "class Mine(T.{owner}):\n    def __init__(self):\n"
            "        return super().__init__(p=1.0)\nt = Mine()\nr = t(bytes3)"
        ),
    ),
    **alike(
        "torchvision.transforms",
        "RandomAutocontrast.forward RandomEqualize.forward",
        (
            IMAGES + KEPT + "class Mine(T.{owner}):\n    def forward(self, each):\n"
            "        return super().forward(each)\nt = Mine(p=1.0)\nr = t(bytes3)"
        ),
    ),
    **alike(
        "torchvision.transforms",
        "RandomAutocontrast.p RandomEqualize.p",
        (IMAGES + KEPT + "r = T.{owner}(p=1.0).p"),
    ),
}
