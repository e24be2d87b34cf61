"""Rotated, sheared and perspective images: torchvision functions and random transforms."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike
from workbench.upstream.cases.preludes import FUNCTIONAL, IMAGES, KEPT

CASES: dict[str, tuple[str, ...]] = {
    "torchvision.transforms.functional.rotate": (
        (
            FUNCTIONAL + "seen(TF.rotate(pil, 30)), seen(TF.rotate(gray, -12.5, "
            "T.InterpolationMode.BICUBIC, fill=9))"
        ),
        (
            FUNCTIONAL + "seen(TF.rotate(pil, angle=45, expand=True, fill=[3])), "
            "seen(TF.rotate(pil, 9, center=(1, 2)))"
        ),
        (
            FUNCTIONAL + "TF.rotate(img, 30, T.InterpolationMode.BILINEAR), TF.rotate(bytes3, "
            "-17.3), TF.rotate(img, 90.0, fill=0.5)"
        ),
        (
            FUNCTIONAL
            + "TF.rotate(img, 33, T.InterpolationMode.BILINEAR, expand=True, fill=[1, 2, "
            "3]), TF.rotate(bytes3, 71, expand=True), TF.rotate(img, 12, center=[1, 2])"
        ),
        (
            FUNCTIONAL + "t = img.clone().requires_grad_()\n"
            "TF.rotate(t, 31, T.InterpolationMode.BILINEAR).sum().backward()\ng = t.grad"
        ),
        (FUNCTIONAL + "TF.rotate(img, 30, T.InterpolationMode.BICUBIC)"),
    ),
    "torchvision.transforms.functional.affine": (
        (
            FUNCTIONAL + "seen(TF.affine(pil, 30, [1, 2], 1.2, [5, 3])), seen(TF.affine(gray, "
            "angle=0, translate=(2, 0), scale=0.7, shear=10, "
            "interpolation=T.InterpolationMode.BILINEAR, fill=9))"
        ),
        (
            FUNCTIONAL
            + "TF.affine(img, 21, [1, 0], 1.3, [5.0, 2.0]), TF.affine(bytes3, -9, (0, 2), 0.8, 7)"
        ),
        (
            FUNCTIONAL + "TF.affine(img, 21.0, [1, 0], 1.3, [5.0], T.InterpolationMode.BILINEAR, "
            "fill=[0.5]), TF.affine(bytes3, 14, [0, 0], 1, 0, "
            "T.InterpolationMode.BILINEAR, 200, center=[2, 3])"
        ),
        (FUNCTIONAL + "TF.affine(img, 0, [0, 0], -1.0, 0)"),
    ),
    "torchvision.transforms.functional.perspective": (
        (
            FUNCTIONAL + "seen(TF.perspective(pil, [[0, 0], [6, 0], [6, 7], [0, 7]], [[1, 0], [5, "
            "1], [6, 6], [0, 5]])), seen(TF.perspective(gray, [[0, 0], [6, 0], [6, 7], "
            "[0, 7]], [[1, 0], [5, 1], [6, 6], [0, 5]], T.InterpolationMode.NEAREST, 7))"
        ),
        (
            FUNCTIONAL + "TF.perspective(img, [[0, 0], [6, 0], [6, 7], [0, 7]], [[1, 0], [5, 1], "
            "[6, 6], [0, 5]]), TF.perspective(bytes3, [[0, 0], [6, 0], [6, 7], [0, "
            "7]], [[1, 0], [5, 1], [6, 6], [0, 5]], fill=[9, 8, 7])"
        ),
        (
            FUNCTIONAL + "TF.perspective(img, [[0, 0], [6, 0], [6, 7], [0, 7]], [[1, 0], [5, 1], "
            "[6, 6], [0, 5]], T.InterpolationMode.NEAREST, fill=0.25)"
        ),
        (FUNCTIONAL + "TF.perspective(img, [[0, 0]], [[1, 1]])"),
    ),
    "torchvision.transforms.RandomRotation": (
        (
            IMAGES
            + KEPT
            + "r = seen(T.RandomRotation((30, 30))(pil)), seen(T.RandomRotation([9, 9], "
            "T.InterpolationMode.BILINEAR, expand=True, fill=(1, 2, 3))(pil))"
        ),
        (
            IMAGES + KEPT + "r = seen(T.RandomRotation(0, center=(2, 3), fill=4)(gray))\n"
            "d = T.RandomRotation(15).degrees"
        ),
        (
            IMAGES + KEPT + "r = T.RandomRotation((30, 30), T.InterpolationMode.BILINEAR, "
            "fill=0.5)(img), T.RandomRotation([9, 9])(bytes3)"
        ),
        (IMAGES + KEPT + "T.RandomRotation(-3)"),
    ),
    "torchvision.transforms.RandomRotation.__init__": (
        (
            IMAGES + KEPT + "class Mine(T.RandomRotation):\n    def __init__(self):\n"
            "        return super().__init__((9, 9))\nt = Mine()\nr = seen(t(pil))"
        ),
    ),
    **alike(
        "torchvision.transforms.RandomRotation",
        "center degrees expand fill interpolation",
        (IMAGES + KEPT + "r = T.RandomRotation((9, 9)).{name}"),
    ),
    "torchvision.transforms.RandomRotation.forward": (
        (
            IMAGES + KEPT + "class Mine(T.RandomRotation):\n    def forward(self, each):\n"
            "        return super().forward(each)\nt = Mine((9, 9))\nr = seen(t(pil))"
        ),
    ),
    "torchvision.transforms.RandomRotation.get_params": (
        (IMAGES + "r = T.RandomRotation.get_params([4.0, 4.0])"),
    ),
    "torchvision.transforms.RandomAffine": (
        (
            IMAGES + KEPT + "r = seen(T.RandomAffine((30, 30), shear=(5, 5, 2, 2))(pil)), "
            "seen(T.RandomAffine([9, 9], scale=(0.5, 0.5), "
            "interpolation=T.InterpolationMode.BILINEAR, fill=3)(gray))"
        ),
        (
            IMAGES + KEPT + "r = T.RandomAffine((14, 14), None, (0.75, 0.75), (6, 6), "
            "T.InterpolationMode.BILINEAR, 0.5)(img), T.RandomAffine(0, translate=(0, "
            "0), fill=(1, 2, 3), center=(2, 2))(bytes3)"
        ),
        (
            IMAGES + KEPT + "t = T.RandomAffine(15, (0.1, 0.2), (0.9, 1.1), 8)\n"
            "r = t.degrees, t.translate, t.scale, t.shear, t.fill, t(img).shape, t(pil).size"
        ),
        (IMAGES + KEPT + "T.RandomAffine(9, translate=(0.1, 1.4))"),
        (IMAGES + KEPT + "T.RandomAffine(9, scale=(0.0, 1.4))"),
        (IMAGES + KEPT + "T.RandomAffine(-9)"),
    ),
    "torchvision.transforms.RandomAffine.__init__": (
        (
            IMAGES + KEPT + "class Mine(T.RandomAffine):\n    def __init__(self):\n"
            "        return super().__init__(0, scale=(1.5, 1.5))\nt = Mine()\nr = seen(t(pil))"
        ),
    ),
    **alike(
        "torchvision.transforms.RandomAffine",
        "center degrees fill interpolation shear translate",
        (IMAGES + KEPT + "r = T.RandomAffine(0, scale=(1.5, 1.5)).{name}"),
    ),
    "torchvision.transforms.RandomAffine.forward": (
        (
            IMAGES + KEPT + "class Mine(T.RandomAffine):\n    def forward(self, each):\n"
            "        return super().forward(each)\nt = Mine(0, scale=(1.5, 1.5))\n"
            "r = seen(t(pil))"
        ),
    ),
    "torchvision.transforms.RandomAffine.scale": (
        (IMAGES + KEPT + "r = T.RandomAffine(0, scale=(1.5, 1.5)).scale"),
    ),
    "torchvision.transforms.RandomAffine.get_params": (
        (
            IMAGES + "r = T.RandomAffine.get_params([4.0, 4.0], None, [2.0, 2.0], [1.0, 1.0, "
            "3.0, 3.0], [5, 6])"
        ),
    ),
    "torchvision.transforms.RandomPerspective": (
        (
            IMAGES + KEPT + "r = T.RandomPerspective(0.7, 1.0)(pil).size, "
            "seen(T.RandomPerspective(p=0.0)(gray))"
        ),
        (
            IMAGES
            + KEPT
            + "r = T.RandomPerspective(0.0, p=1.0, fill=3)(img), T.RandomPerspective(p=0)(bytes3)"
        ),
        (
            IMAGES + KEPT + "t = T.RandomPerspective(0.4, 0.9)\n"
            "r = t.p, t.distortion_scale, t.fill, t(img).shape"
        ),
    ),
    "torchvision.transforms.RandomPerspective.__init__": (
        (
            IMAGES + KEPT + "class Mine(T.RandomPerspective):\n    def __init__(self):\n"
            "        return super().__init__(0.0, p=1.0)\nt = Mine()\nr = t(img)"
        ),
    ),
    **alike(
        "torchvision.transforms.RandomPerspective",
        "distortion_scale fill interpolation",
        (IMAGES + KEPT + "r = T.RandomPerspective(0.0, p=1.0).{name}"),
    ),
    "torchvision.transforms.RandomPerspective.forward": (
        (
            IMAGES + KEPT + "class Mine(T.RandomPerspective):\n    def forward(self, each):\n"
            "        return super().forward(each)\nt = Mine(0.0, p=1.0)\nr = t(img)"
        ),
    ),
    "torchvision.transforms.RandomPerspective.p": (
        (IMAGES + KEPT + "r = T.RandomPerspective(0.0, p=1.0).p"),
    ),
    "torchvision.transforms.RandomPerspective.get_params": (
        (IMAGES + "r = T.RandomPerspective.get_params(9, 11, 0.0)"),
    ),
}
