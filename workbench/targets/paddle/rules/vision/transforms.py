"""Transforms of torchvision, as classes."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.targets.paddle.vision import keep_members
from workbench.upstream.cases.images import IMAGES, KEPT

rules = RuleSet()

_T = "torchvision.transforms"
_ALWAYS = "import torchvision.transforms as T\n"


def _transform(
    name: str, *cases: str, made: str = "()", use: str = "t(img)", helper: str = ""
) -> None:
    """A transform that a helper class stands for, with its attributes."""
    helper = helper or f"Torch{name}"
    rules.row(
        f"{_T}.{name}", f"{helper}(...)", value=helper, cases=[IMAGES + case for case in cases]
    )
    keep_members(rules, f"{_T}.{name}", made, use)


_transform(
    "Compose",
    "t = T.Compose([T.Resize(6), T.CenterCrop(5), T.ToTensor(), "
    "T.Normalize((0.5, 0.4, 0.3), (0.2, 0.3, 0.4))])\nr = t(pil)\nn = len(t.transforms)",
    "r = str(T.Compose([T.Resize(6), T.CenterCrop(5), T.Pad((1, 2), 3), T.ToTensor(), "
    "T.FiveCrop(3), T.Normalize([0.5], [0.2]), T.Lambda(len), T.ToPILImage('L'), T.Grayscale(3), "
    "T.TenCrop(3), "
    "T.LinearTransformation(torch.eye(2), torch.zeros(2)), T.ConvertImageDtype(torch.float32)])), "
    "str(T.RandomApply([T.RandomCrop(3), T.RandomResizedCrop(3), T.RandomRotation(10), "
    "T.RandomAffine(5, (0.1, 0.2), fill=3), T.ColorJitter(0.4), T.RandomErasing(), "
    "T.GaussianBlur(3), "
    "T.RandomPerspective(), T.RandomPosterize(2), T.RandomHorizontalFlip()], 0.3)), "
    "str(T.RandomChoice([T.RandomEqualize(), T.RandomRotation((1, 2), center=(1, 1))]))",
    made="([T.CenterCrop(4)])",
)
_transform(
    "ToTensor",
    "r = [T.ToTensor()(each) for each in (pil, gray, array, array[:, :, 0])]",
    "T.ToTensor()(np.ones((2, 3, 1), dtype='float64'))",
    "T.ToTensor()(x)",
    "T.ToTensor()(pil.convert('1')), T.ToTensor()(gray.convert('F'))",
    use="t(pil)",
)
_transform(
    "PILToTensor", "T.PILToTensor()(pil), T.PILToTensor()(gray)", "T.PILToTensor()(x)", use="t(pil)"
)
_transform(
    "ToPILImage",
    f"p1, p2 = T.ToPILImage()(torch.rand(3, 4, 5).round()), T.ToPILImage(mode='F')(x)\n{KEPT}"
    "r = seen(p1)[1], seen(p2)",
    f"{KEPT}seen(T.ToPILImage()(bytes3)), seen(T.ToPILImage()(array)), "
    "seen(T.ToPILImage('HSV')(array))",
    f"{KEPT}seen(T.ToPILImage()((img[0].clamp(0, 1))))",
    "T.ToPILImage()(img)",
    made="('L')",
    use="seen(t(bytes3[:1]))",
)
_transform(
    "Lambda",
    "T.Lambda(lambda each: each * 2)(x)",
    "T.Lambda(3)",
    helper="TorchImageLambda",
    made="(torch.abs)",
)
_transform(
    "ConvertImageDtype",
    "c = T.ConvertImageDtype(torch.float32)\nr = c(bytes3), c(i), c(d)",
    "c = T.ConvertImageDtype(torch.uint8)\nr = c(p), c(bytes3)",
    "T.ConvertImageDtype(torch.int32)(p)",
    made="(torch.float32)",
    use="t(bytes3)",
)
_transform(
    "Normalize",
    "t = T.Normalize(mean=[0.1, 0.2, 0.3], std=[0.5, 0.6, 0.7])\nr = t(img), t(img[0])\n"
    "m = t.mean, t.std",
    "T.Normalize(0.5, 0.25)(img), T.Normalize((0.5,), (0.5,), inplace=True)(img[:, :1])",
    "T.Normalize([0.1], [0.0])(img)",
    "T.Normalize([0.1], [1.0])(i[None])",
    helper="TorchNormalizeImage",
    made="((0.5,), (0.3,), True)",
    use="t(img.clone())",
)
_transform(
    "Resize",
    f"{KEPT}r = [seen(T.Resize(s)(pil)) for s in (6, (5, 12), [7], 8)]",
    "r = [T.Resize(s)(img) for s in (6, (5, 12), [7], 8)], T.Resize((3, 3))(img[0])",
    "T.Resize((4, 5), antialias=False)(img), T.Resize((5, 6), antialias=None)(img)",
    "T.Resize((5, 6), interpolation=T.InterpolationMode.BICUBIC)(img)",
    "T.Resize((5, 16), T.InterpolationMode.NEAREST)(img)",
    "T.Resize((5, 6), T.InterpolationMode.NEAREST_EXACT)(bytes3)",
    f"{KEPT}[seen(T.Resize((5, 6), m)(pil)) for m in (T.InterpolationMode.LANCZOS, "
    "T.InterpolationMode.BOX, T.InterpolationMode.NEAREST, T.InterpolationMode.BICUBIC)]",
    f"{KEPT}seen(T.Resize(6, max_size=7)(pil)), T.Resize(20, max_size=21)(img[..., :5]).shape[-1]",
    "T.Resize((5, 6))(bytes3), T.Resize(20, T.InterpolationMode.BICUBIC)(bytes3)",
    "T.Resize(6, max_size=5)(pil)",
    helper="TorchResizeImage",
    made="((5, 6))",
)
_transform(
    "CenterCrop",
    f"{KEPT}r = [seen(T.CenterCrop(s)(pil)) for s in (4, (3, 6), [5], 15, (4, 20))]",
    "[T.CenterCrop(s)(img) for s in (4, (3, 6), [5], 15, (4, 13))], T.CenterCrop(5)(bytes3)",
    "str(T.CenterCrop([2, 3])), T.CenterCrop((2, 3)).size, T.RandomCrop([2, 3]).size",
    made="(4)",
)
_transform(
    "Pad",
    f"{KEPT}r = [seen(T.Pad(s, fill=7)(pil)) for s in (2, (1, 3), (1, 2, 3, 4))]",
    f"{KEPT}r = [seen(T.Pad((1, 2, 3, 2), padding_mode=m)(each)) "
    "for m in ('edge', 'reflect', 'symmetric') for each in (pil, gray)]",
    "r = [T.Pad((1, 2, 3, 2), padding_mode=m)(each) "
    "for m in ('edge', 'reflect', 'symmetric') for each in (img, bytes3)]",
    "T.Pad(2, fill=3)(img), T.Pad((1, 2))(bytes3), T.Pad([1])(i[None])",
    f"{KEPT}seen(T.Pad(2, fill=(1, 2, 3))(pil)), seen(T.Pad(1, fill=9)(gray))",
    "T.Pad((1, 2, 3))(img)",
    helper="TorchPadImage",
    made="((1, 2), 3)",
)
_transform(
    "Grayscale",
    f"{KEPT}r = [seen(T.Grayscale(c)(each)) for c in (1, 3) for each in (pil, gray)]",
    "T.Grayscale()(img), T.Grayscale(3)(img), T.Grayscale(num_output_channels=3)(bytes3)",
    "T.Grayscale()(bytes3), T.Grayscale()(img[:, :1])",
    made="(3)",
)
_transform(
    "FiveCrop",
    "T.FiveCrop(3)(img), T.FiveCrop((3, "
    f"4))(bytes3)\n{KEPT}r = [seen(p) for p in T.FiveCrop(5)(pil)]",
    "T.FiveCrop(30)(img)",
    made="(4)",
)
_transform(
    "TenCrop",
    "T.TenCrop(3)(img), T.TenCrop((3, 4), vertical_flip=True)(bytes3)",
    "T.Compose([T.TenCrop(5), "
    "T.Lambda(lambda cs: torch.stack([T.ToTensor()(c) for c in cs]))])(pil)",
    made="((3, 4), True)",
)
_transform(
    "LinearTransformation",
    "T.LinearTransformation(torch.eye(12) * 2, x.reshape(-1))(img[:, :, :2, :2].contiguous())",
    "T.LinearTransformation(torch.eye(12), x.reshape(-1))(img)",
    made="(torch.eye(4), torch.zeros(4))",
    use="t(sq.reshape(4, 1, 2, 2))",
)

for _mode in ("NEAREST", "NEAREST_EXACT", "BILINEAR", "BICUBIC", "BOX", "HAMMING", "LANCZOS"):
    rules.row(
        f"{_T}.InterpolationMode.{_mode}",
        f"TorchInterpolationMode.{_mode}",
        cases=[
            f"{_ALWAYS}r = T.InterpolationMode.{_mode} is T.InterpolationMode("
            f"{_mode.lower().replace('_', '-')!r})"
        ],
    )
rules.row(
    f"{_T}.InterpolationMode",
    "TorchInterpolationMode({value})",
    value="TorchInterpolationMode",
    cases=[f"{_ALWAYS}r = T.InterpolationMode('bicubic') is T.InterpolationMode.BICUBIC"],
)
