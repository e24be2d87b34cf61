"""Transforms of torchvision, as classes."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike
from workbench.upstream.cases.preludes import IMAGES, KEPT

_ALWAYS = "import torchvision.transforms as T\n"

CASES: dict[str, tuple[str, ...]] = {
    "torchvision.transforms.Compose": (
        (
            IMAGES + "t = T.Compose([T.Resize(6), T.CenterCrop(5), T.ToTensor(), "
            "T.Normalize((0.5, 0.4, 0.3), (0.2, 0.3, 0.4))])\nr = t(pil)\nn = len(t.transforms)"
        ),
        (
            IMAGES + "r = str(T.Compose([T.Resize(6), T.CenterCrop(5), T.Pad((1, 2), 3), "
            "T.ToTensor(), T.FiveCrop(3), T.Normalize([0.5], [0.2]), T.Lambda(len), "
            "T.ToPILImage('L'), T.Grayscale(3), T.TenCrop(3), "
            "T.LinearTransformation(torch.eye(2), torch.zeros(2)), "
            "T.ConvertImageDtype(torch.float32)])), "
            "str(T.RandomApply([T.RandomCrop(3), T.RandomResizedCrop(3), "
            "T.RandomRotation(10), T.RandomAffine(5, (0.1, 0.2), fill=3), "
            "T.ColorJitter(0.4), T.RandomErasing(), T.GaussianBlur(3), "
            "T.RandomPerspective(), T.RandomPosterize(2), T.RandomHorizontalFlip()], "
            "0.3)), str(T.RandomChoice([T.RandomEqualize(), T.RandomRotation((1, 2), "
            "center=(1, 1))]))"
        ),
    ),
    "torchvision.transforms.Compose.__call__": (
        (
            IMAGES + KEPT + "class Mine(T.Compose):\n    def __call__(self, each):\n"
            "        return super().__call__(each)\nt = Mine([T.CenterCrop(4)])\nr = t(img)"
        ),
    ),
    "torchvision.transforms.Compose.__init__": (
        (
            IMAGES + KEPT + "class Mine(T.Compose):\n    def __init__(self):\n"
            "        return super().__init__([T.CenterCrop(4)])\nt = Mine()\nr = t(img)"
        ),
    ),
    "torchvision.transforms.Compose.transforms": (
        (IMAGES + KEPT + "r = T.Compose([T.CenterCrop(4)]).transforms"),
    ),
    "torchvision.transforms.ToTensor": (
        (IMAGES + "r = [T.ToTensor()(each) for each in (pil, gray, array, array[:, :, 0])]"),
        (IMAGES + "T.ToTensor()(np.ones((2, 3, 1), dtype='float64'))"),
        (IMAGES + "T.ToTensor()(x)"),
        (IMAGES + "T.ToTensor()(pil.convert('1')), T.ToTensor()(gray.convert('F'))"),
    ),
    **alike(
        "torchvision.transforms",
        "ToTensor.__call__ PILToTensor.__call__",
        (
            IMAGES + KEPT + "class Mine(T.{owner}):\n    def __call__(self, each):\n"
            "        return super().__call__(each)\nt = Mine()\nr = t(pil)"
        ),
    ),
    **alike(
        "torchvision.transforms",
        "ToTensor.__init__ PILToTensor.__init__",
        (
            IMAGES + KEPT + "class Mine(T.{owner}):\n    def __init__(self):\n"
            "        return super().__init__()\nt = Mine()\nr = t(pil)"
        ),
    ),
    "torchvision.transforms.PILToTensor": (
        (IMAGES + "T.PILToTensor()(pil), T.PILToTensor()(gray)"),
        (IMAGES + "T.PILToTensor()(x)"),
    ),
    "torchvision.transforms.ToPILImage": (
        (
            IMAGES
            + "p1, p2 = T.ToPILImage()(torch.rand(3, 4, 5).round()), T.ToPILImage(mode='F')(x)\n"
            "def seen(each):\n    return each.mode, each.size, np.asarray(each).tolist()\n"
            "r = seen(p1)[1], seen(p2)"
        ),
        (
            IMAGES + KEPT + "seen(T.ToPILImage()(bytes3)), seen(T.ToPILImage()(array)), "
            "seen(T.ToPILImage('HSV')(array))"
        ),
        (IMAGES + KEPT + "seen(T.ToPILImage()((img[0].clamp(0, 1))))"),
        (IMAGES + "T.ToPILImage()(img)"),
    ),
    "torchvision.transforms.ToPILImage.__call__": (
        (
            IMAGES + KEPT + "class Mine(T.ToPILImage):\n    def __call__(self, each):\n"
            "        return super().__call__(each)\nt = Mine('L')\nr = seen(t(bytes3[:1]))"
        ),
    ),
    "torchvision.transforms.ToPILImage.__init__": (
        (
            IMAGES + KEPT + "class Mine(T.ToPILImage):\n    def __init__(self):\n"
            "        return super().__init__('L')\nt = Mine()\nr = seen(t(bytes3[:1]))"
        ),
    ),
    "torchvision.transforms.ToPILImage.mode": ((IMAGES + KEPT + "r = T.ToPILImage('L').mode"),),
    "torchvision.transforms.Lambda": (
        (IMAGES + "T.Lambda(lambda each: each * 2)(x)"),
        (IMAGES + "T.Lambda(3)"),
    ),
    "torchvision.transforms.Lambda.__call__": (
        (
            IMAGES + KEPT + "class Mine(T.Lambda):\n    def __call__(self, each):\n"
            "        return super().__call__(each)\nt = Mine(torch.abs)\nr = t(img)"
        ),
    ),
    "torchvision.transforms.Lambda.__init__": (
        (
            IMAGES + KEPT + "class Mine(T.Lambda):\n    def __init__(self):\n"
            "        return super().__init__(torch.abs)\nt = Mine()\nr = t(img)"
        ),
    ),
    "torchvision.transforms.Lambda.lambd": ((IMAGES + KEPT + "r = T.Lambda(torch.abs).lambd"),),
    "torchvision.transforms.ConvertImageDtype": (
        (IMAGES + "c = T.ConvertImageDtype(torch.float32)\nr = c(bytes3), c(i), c(d)"),
        (IMAGES + "c = T.ConvertImageDtype(torch.uint8)\nr = c(p), c(bytes3)"),
        (IMAGES + "T.ConvertImageDtype(torch.int32)(p)"),
    ),
    "torchvision.transforms.ConvertImageDtype.__init__": (
        (
            IMAGES + KEPT + "class Mine(T.ConvertImageDtype):\n    def __init__(self):\n"
            "        return super().__init__(torch.float32)\nt = Mine()\nr = t(bytes3)"
        ),
    ),
    "torchvision.transforms.ConvertImageDtype.dtype": (
        (IMAGES + KEPT + "r = T.ConvertImageDtype(torch.float32).dtype"),
    ),
    "torchvision.transforms.ConvertImageDtype.forward": (
        (
            IMAGES + KEPT + "class Mine(T.ConvertImageDtype):\n    def forward(self, each):\n"
            "        return super().forward(each)\nt = Mine(torch.float32)\nr = t(bytes3)"
        ),
    ),
    "torchvision.transforms.Normalize": (
        (
            IMAGES + "t = T.Normalize(mean=[0.1, 0.2, 0.3], std=[0.5, 0.6, 0.7])\n"
            "r = t(img), t(img[0])\nm = t.mean, t.std"
        ),
        (
            IMAGES
            + "T.Normalize(0.5, 0.25)(img), T.Normalize((0.5,), (0.5,), inplace=True)(img[:, :1])"
        ),
        (IMAGES + "T.Normalize([0.1], [0.0])(img)"),
        (IMAGES + "T.Normalize([0.1], [1.0])(i[None])"),
    ),
    "torchvision.transforms.Normalize.__init__": (
        (
            IMAGES + KEPT + "class Mine(T.Normalize):\n    def __init__(self):\n"
            "        return super().__init__((0.5,), (0.3,), True)\nt = Mine()\n"
            "r = t(img.clone())"
        ),
    ),
    "torchvision.transforms.Normalize.forward": (
        (
            IMAGES + KEPT + "class Mine(T.Normalize):\n    def forward(self, each):\n"
            "        return super().forward(each)\nt = Mine((0.5,), (0.3,), True)\n"
            "r = t(img.clone())"
        ),
    ),
    **alike(
        "torchvision.transforms.Normalize",
        "inplace mean std",
        (IMAGES + KEPT + "r = T.Normalize((0.5,), (0.3,), True).{name}"),
    ),
    "torchvision.transforms.Resize": (
        (IMAGES + KEPT + "r = [seen(T.Resize(s)(pil)) for s in (6, (5, 12), [7], 8)]"),
        (IMAGES + "r = [T.Resize(s)(img) for s in (6, (5, 12), [7], 8)], T.Resize((3, 3))(img[0])"),
        (IMAGES + "T.Resize((4, 5), antialias=False)(img), T.Resize((5, 6), antialias=None)(img)"),
        (IMAGES + "T.Resize((5, 6), interpolation=T.InterpolationMode.BICUBIC)(img)"),
        (IMAGES + "T.Resize((5, 16), T.InterpolationMode.NEAREST)(img)"),
        (IMAGES + "T.Resize((5, 6), T.InterpolationMode.NEAREST_EXACT)(bytes3)"),
        (
            IMAGES
            + KEPT
            + "[seen(T.Resize((5, 6), m)(pil)) for m in (T.InterpolationMode.LANCZOS, "
            "T.InterpolationMode.BOX, T.InterpolationMode.NEAREST, "
            "T.InterpolationMode.BICUBIC)]"
        ),
        (
            IMAGES
            + KEPT
            + "seen(T.Resize(6, max_size=7)(pil)), T.Resize(20, max_size=21)(img[..., "
            ":5]).shape[-1]"
        ),
        (IMAGES + "T.Resize((5, 6))(bytes3), T.Resize(20, T.InterpolationMode.BICUBIC)(bytes3)"),
        (IMAGES + "T.Resize(6, max_size=5)(pil)"),
    ),
    "torchvision.transforms.Resize.__init__": (
        (
            IMAGES + KEPT + "class Mine(T.Resize):\n    def __init__(self):\n"
            "        return super().__init__((5, 6))\nt = Mine()\nr = t(img)"
        ),
    ),
    **alike(
        "torchvision.transforms.Resize",
        "antialias interpolation max_size",
        (IMAGES + KEPT + "r = T.Resize((5, 6)).{name}"),
    ),
    "torchvision.transforms.Resize.forward": (
        (
            IMAGES + KEPT + "class Mine(T.Resize):\n    def forward(self, each):\n"
            "        return super().forward(each)\nt = Mine((5, 6))\nr = t(img)"
        ),
    ),
    "torchvision.transforms.Resize.size": ((IMAGES + KEPT + "r = T.Resize((5, 6)).size"),),
    "torchvision.transforms.CenterCrop": (
        (IMAGES + KEPT + "r = [seen(T.CenterCrop(s)(pil)) for s in (4, (3, 6), [5], 15, (4, 20))]"),
        (
            IMAGES + "[T.CenterCrop(s)(img) for s in (4, (3, 6), [5], 15, (4, 13))], "
            "T.CenterCrop(5)(bytes3)"
        ),
        (
            IMAGES
            + "str(T.CenterCrop([2, 3])), T.CenterCrop((2, 3)).size, T.RandomCrop([2, 3]).size"
        ),
    ),
    **alike(
        "torchvision.transforms",
        "CenterCrop.__init__ FiveCrop.__init__",
        (
            IMAGES + KEPT + "class Mine(T.{owner}):\n    def __init__(self):\n"
            "        return super().__init__(4)\nt = Mine()\nr = t(img)"
        ),
    ),
    **alike(
        "torchvision.transforms",
        "CenterCrop.forward FiveCrop.forward",
        (
            IMAGES + KEPT + "class Mine(T.{owner}):\n    def forward(self, each):\n"
            "        return super().forward(each)\nt = Mine(4)\nr = t(img)"
        ),
    ),
    **alike(
        "torchvision.transforms",
        "CenterCrop.size FiveCrop.size",
        (IMAGES + KEPT + "r = T.{owner}(4).size"),
    ),
    "torchvision.transforms.Pad": (
        (IMAGES + KEPT + "r = [seen(T.Pad(s, fill=7)(pil)) for s in (2, (1, 3), (1, 2, 3, 4))]"),
        (
            IMAGES
            + KEPT
            + "r = [seen(T.Pad((1, 2, 3, 2), padding_mode=m)(each)) for m in ('edge', "
            "'reflect', 'symmetric') for each in (pil, gray)]"
        ),
        (
            IMAGES + "r = [T.Pad((1, 2, 3, 2), padding_mode=m)(each) for m in ('edge', "
            "'reflect', 'symmetric') for each in (img, bytes3)]"
        ),
        (IMAGES + "T.Pad(2, fill=3)(img), T.Pad((1, 2))(bytes3), T.Pad([1])(i[None])"),
        (IMAGES + KEPT + "seen(T.Pad(2, fill=(1, 2, 3))(pil)), seen(T.Pad(1, fill=9)(gray))"),
        (IMAGES + "T.Pad((1, 2, 3))(img)"),
    ),
    "torchvision.transforms.Pad.__init__": (
        (
            IMAGES + KEPT + "class Mine(T.Pad):\n    def __init__(self):\n"
            "        return super().__init__((1, 2), 3)\nt = Mine()\nr = t(img)"
        ),
    ),
    **alike(
        "torchvision.transforms.Pad",
        "fill padding padding_mode",
        (IMAGES + KEPT + "r = T.Pad((1, 2), 3).{name}"),
    ),
    "torchvision.transforms.Pad.forward": (
        (
            IMAGES + KEPT + "class Mine(T.Pad):\n    def forward(self, each):\n"
            "        return super().forward(each)\nt = Mine((1, 2), 3)\nr = t(img)"
        ),
    ),
    "torchvision.transforms.Grayscale": (
        (
            IMAGES
            + KEPT
            + "r = [seen(T.Grayscale(c)(each)) for c in (1, 3) for each in (pil, gray)]"
        ),
        (
            IMAGES + "T.Grayscale()(img), T.Grayscale(3)(img), "
            "T.Grayscale(num_output_channels=3)(bytes3)"
        ),
        (IMAGES + "T.Grayscale()(bytes3), T.Grayscale()(img[:, :1])"),
    ),
    "torchvision.transforms.Grayscale.__init__": (
        (
            IMAGES + KEPT + "class Mine(T.Grayscale):\n    def __init__(self):\n"
            "        return super().__init__(3)\nt = Mine()\nr = t(img)"
        ),
    ),
    "torchvision.transforms.Grayscale.forward": (
        (
            IMAGES + KEPT + "class Mine(T.Grayscale):\n    def forward(self, each):\n"
            "        return super().forward(each)\nt = Mine(3)\nr = t(img)"
        ),
    ),
    "torchvision.transforms.Grayscale.num_output_channels": (
        (IMAGES + KEPT + "r = T.Grayscale(3).num_output_channels"),
    ),
    "torchvision.transforms.FiveCrop": (
        (
            IMAGES + "T.FiveCrop(3)(img), T.FiveCrop((3, 4))(bytes3)\ndef seen(each):\n"
            "    return each.mode, each.size, np.asarray(each).tolist()\n"
            "r = [seen(p) for p in T.FiveCrop(5)(pil)]"
        ),
        (IMAGES + "T.FiveCrop(30)(img)"),
    ),
    "torchvision.transforms.TenCrop": (
        (IMAGES + "T.TenCrop(3)(img), T.TenCrop((3, 4), vertical_flip=True)(bytes3)"),
        (
            IMAGES + "T.Compose([T.TenCrop(5), T.Lambda(lambda cs: torch.stack([T.ToTensor()(c) "
            "for c in cs]))])(pil)"
        ),
    ),
    "torchvision.transforms.TenCrop.__init__": (
        (
            IMAGES + KEPT + "class Mine(T.TenCrop):\n    def __init__(self):\n"
            "        return super().__init__((3, 4), True)\nt = Mine()\nr = t(img)"
        ),
    ),
    "torchvision.transforms.TenCrop.forward": (
        (
            IMAGES + KEPT + "class Mine(T.TenCrop):\n    def forward(self, each):\n"
            "        return super().forward(each)\nt = Mine((3, 4), True)\nr = t(img)"
        ),
    ),
    "torchvision.transforms.TenCrop.size": ((IMAGES + KEPT + "r = T.TenCrop((3, 4), True).size"),),
    "torchvision.transforms.TenCrop.vertical_flip": (
        (IMAGES + KEPT + "r = T.TenCrop((3, 4), True).vertical_flip"),
    ),
    "torchvision.transforms.LinearTransformation": (
        (
            IMAGES + "T.LinearTransformation(torch.eye(12) * 2, x.reshape(-1))(img[:, :, :2, "
            ":2].contiguous())"
        ),
        (IMAGES + "T.LinearTransformation(torch.eye(12), x.reshape(-1))(img)"),
    ),
    "torchvision.transforms.LinearTransformation.__init__": (
        (
            IMAGES + KEPT + "class Mine(T.LinearTransformation):\n    def __init__(self):\n"
            "        return super().__init__(torch.eye(4), torch.zeros(4))\nt = Mine()\n"
            "r = t(sq.reshape(4, 1, 2, 2))"
        ),
    ),
    "torchvision.transforms.LinearTransformation.forward": (
        (
            IMAGES + KEPT + "class Mine(T.LinearTransformation):\n    def forward(self, each):\n"
            "        return super().forward(each)\nt = Mine(torch.eye(4), torch.zeros(4))\n"
            "r = t(sq.reshape(4, 1, 2, 2))"
        ),
    ),
    **alike(
        "torchvision.transforms.LinearTransformation",
        "mean_vector transformation_matrix",
        (IMAGES + KEPT + "r = T.LinearTransformation(torch.eye(4), torch.zeros(4)).{name}"),
    ),
    "torchvision.transforms.InterpolationMode.NEAREST": (
        (_ALWAYS + "r = T.InterpolationMode.NEAREST is T.InterpolationMode('nearest')"),
    ),
    "torchvision.transforms.InterpolationMode.NEAREST_EXACT": (
        (_ALWAYS + "r = T.InterpolationMode.NEAREST_EXACT is T.InterpolationMode('nearest-exact')"),
    ),
    "torchvision.transforms.InterpolationMode.BILINEAR": (
        (_ALWAYS + "r = T.InterpolationMode.BILINEAR is T.InterpolationMode('bilinear')"),
    ),
    "torchvision.transforms.InterpolationMode.BICUBIC": (
        (_ALWAYS + "r = T.InterpolationMode.BICUBIC is T.InterpolationMode('bicubic')"),
    ),
    "torchvision.transforms.InterpolationMode.BOX": (
        (_ALWAYS + "r = T.InterpolationMode.BOX is T.InterpolationMode('box')"),
    ),
    "torchvision.transforms.InterpolationMode.HAMMING": (
        (_ALWAYS + "r = T.InterpolationMode.HAMMING is T.InterpolationMode('hamming')"),
    ),
    "torchvision.transforms.InterpolationMode.LANCZOS": (
        (_ALWAYS + "r = T.InterpolationMode.LANCZOS is T.InterpolationMode('lanczos')"),
    ),
    "torchvision.transforms.InterpolationMode": (
        (_ALWAYS + "r = T.InterpolationMode('bicubic') is T.InterpolationMode.BICUBIC"),
    ),
}
