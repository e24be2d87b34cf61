"""Images turned, sheared and seen from aside: functions of torchvision, and random transforms."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.targets.paddle.vision import image_function, keep_members
from workbench.upstream.cases.images import IMAGES, KEPT

rules = RuleSet()

_T = "torchvision.transforms"
_LINEAR = "T.InterpolationMode.BILINEAR"
_EDGE = "a place on the very border between two pixels may show the other one, a byte be one off"


def _function(name: str, *cases: str) -> None:
    image_function(rules, name, f"torch_{name}_image", cases, _EDGE)


_function(
    "rotate",
    "seen(TF.rotate(pil, 30)), seen(TF.rotate(gray, -12.5, T.InterpolationMode.BICUBIC, fill=9))",
    "seen(TF.rotate(pil, angle=45, expand=True, fill=[3])), seen(TF.rotate(pil, 9, center=(1, 2)))",
    f"TF.rotate(img, 30, {_LINEAR}), TF.rotate(bytes3, -17.3), TF.rotate(img, 90.0, fill=0.5)",
    f"TF.rotate(img, 33, {_LINEAR}, expand=True, fill=[1, 2, 3]), "
    "TF.rotate(bytes3, 71, expand=True), TF.rotate(img, 12, center=[1, 2])",
    f"t = img.clone().requires_grad_()\nTF.rotate(t, 31, {_LINEAR}).sum().backward()\ng = t.grad",
    "TF.rotate(img, 30, T.InterpolationMode.BICUBIC)",
)
_function(
    "affine",
    "seen(TF.affine(pil, 30, [1, 2], 1.2, [5, 3])), seen(TF.affine(gray, angle=0, "
    f"translate=(2, 0), scale=0.7, shear=10, interpolation={_LINEAR}, fill=9))",
    "TF.affine(img, 21, [1, 0], 1.3, [5.0, 2.0]), TF.affine(bytes3, -9, (0, 2), 0.8, 7)",
    f"TF.affine(img, 21.0, [1, 0], 1.3, [5.0], {_LINEAR}, fill=[0.5]), "
    f"TF.affine(bytes3, 14, [0, 0], 1, 0, {_LINEAR}, 200, center=[2, 3])",
    "TF.affine(img, 0, [0, 0], -1.0, 0)",
)
_CORNERS = "[[0, 0], [6, 0], [6, 7], [0, 7]], [[1, 0], [5, 1], [6, 6], [0, 5]]"
_function(
    "perspective",
    f"seen(TF.perspective(pil, {_CORNERS})), "
    f"seen(TF.perspective(gray, {_CORNERS}, T.InterpolationMode.NEAREST, 7))",
    f"TF.perspective(img, {_CORNERS}), TF.perspective(bytes3, {_CORNERS}, fill=[9, 8, 7])",
    f"TF.perspective(img, {_CORNERS}, T.InterpolationMode.NEAREST, fill=0.25)",
    "TF.perspective(img, [[0, 0]], [[1, 1]])",
)


def _transform(name: str, made: str, use: str, params: str, *cases: str) -> None:
    helper = f"Torch{name}"
    rules.row(
        f"{_T}.{name}",
        f"{helper}(...)",
        value=helper,
        cases=[IMAGES + KEPT + case for case in cases],
    )
    keep_members(rules, f"{_T}.{name}", made, use)
    rules.row(f"{_T}.{name}.get_params", f"{helper}.get_params(...)", cases=[IMAGES + params])


_transform(
    "RandomRotation",
    "((9, 9))",
    "seen(t(pil))",
    "r = T.RandomRotation.get_params([4.0, 4.0])",
    "r = seen(T.RandomRotation((30, 30))(pil)), seen(T.RandomRotation([9, 9], "
    f"{_LINEAR}, expand=True, fill=(1, 2, 3))(pil))",
    "r = seen(T.RandomRotation(0, center=(2, 3), fill=4)(gray))\nd = T.RandomRotation(15).degrees",
    f"r = T.RandomRotation((30, 30), {_LINEAR}, fill=0.5)(img), T.RandomRotation([9, 9])(bytes3)",
    "T.RandomRotation(-3)",
)
_transform(
    "RandomAffine",
    "(0, scale=(1.5, 1.5))",
    "seen(t(pil))",
    "r = T.RandomAffine.get_params([4.0, 4.0], None, [2.0, 2.0], [1.0, 1.0, 3.0, 3.0], [5, 6])",
    "r = seen(T.RandomAffine((30, 30), shear=(5, 5, 2, 2))(pil)), "
    f"seen(T.RandomAffine([9, 9], scale=(0.5, 0.5), interpolation={_LINEAR}, fill=3)(gray))",
    f"r = T.RandomAffine((14, 14), None, (0.75, 0.75), (6, 6), {_LINEAR}, 0.5)(img), "
    "T.RandomAffine(0, translate=(0, 0), fill=(1, 2, 3), center=(2, 2))(bytes3)",
    "t = T.RandomAffine(15, (0.1, 0.2), (0.9, 1.1), 8)\n"
    "r = t.degrees, t.translate, t.scale, t.shear, t.fill, t(img).shape, t(pil).size",
    "T.RandomAffine(9, translate=(0.1, 1.4))",
    "T.RandomAffine(9, scale=(0.0, 1.4))",
    "T.RandomAffine(-9)",
)
_transform(
    "RandomPerspective",
    "(0.0, p=1.0)",
    "t(img)",
    "r = T.RandomPerspective.get_params(9, 11, 0.0)",
    "r = T.RandomPerspective(0.7, 1.0)(pil).size, seen(T.RandomPerspective(p=0.0)(gray))",
    "r = T.RandomPerspective(0.0, p=1.0, fill=3)(img), T.RandomPerspective(p=0)(bytes3)",
    "t = T.RandomPerspective(0.4, 0.9)\nr = t.p, t.distortion_scale, t.fill, t(img).shape",
)
