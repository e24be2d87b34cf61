"""Random transforms of torchvision."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike
from workbench.upstream.cases.preludes import IMAGES, KEPT

CASES: dict[str, tuple[str, ...]] = {
    **alike(
        "torchvision.transforms",
        "RandomHorizontalFlip RandomVerticalFlip RandomGrayscale RandomInvert",
        (
            IMAGES
            + KEPT
            + "def told(each):\n    return each if torch.is_tensor(each) else seen(each)\n"
            "r = [told(T.{name}(p=p)(each)) for p in (0.0, 1.0) for each in (pil, "
            "gray, img, bytes3)]"
        ),
        (IMAGES + "r = T.{name}(p=1.0).p"),
        (IMAGES + "T.{name}(p=0)(bytes3)"),
    ),
    **alike(
        "torchvision.transforms",
        "RandomHorizontalFlip.__init__ RandomVerticalFlip.__init__ "
        "RandomGrayscale.__init__ RandomInvert.__init__",
        (
            IMAGES + KEPT + "class Mine(T.{owner}):\n    def __init__(self):\n"
            "        return super().__init__(p=1.0)\nt = Mine()\nr = t(img)"
        ),
    ),
    **alike(
        "torchvision.transforms",
        "RandomHorizontalFlip.forward RandomVerticalFlip.forward "
        "RandomGrayscale.forward RandomInvert.forward",
        (
            IMAGES + KEPT + "class Mine(T.{owner}):\n    def forward(self, each):\n"
            "        return super().forward(each)\nt = Mine(p=1.0)\nr = t(img)"
        ),
    ),
    **alike(
        "torchvision.transforms",
        "RandomHorizontalFlip.p RandomVerticalFlip.p RandomGrayscale.p RandomInvert.p",
        (IMAGES + KEPT + "r = T.{owner}(p=1.0).p"),
    ),
    "torchvision.transforms.RandomPosterize": (
        (
            IMAGES
            + KEPT
            + "def told(each):\n    return each if torch.is_tensor(each) else seen(each)\n"
            "r = [told(T.RandomPosterize(bits=3, p=p)(each)) for p in (0.0, 1.0) for "
            "each in (pil, gray, bytes3)]"
        ),
        (IMAGES + "r = T.RandomPosterize(bits = 3, p=1.0).p"),
        (IMAGES + "T.RandomPosterize(bits=3, p=0)(bytes3)"),
    ),
    "torchvision.transforms.RandomPosterize.__init__": (
        (
            IMAGES + KEPT + "class Mine(T.RandomPosterize):\n    def __init__(self):\n"
            "        return super().__init__(bits=3, p=1.0)\nt = Mine()\nr = t(bytes3)"
        ),
    ),
    "torchvision.transforms.RandomPosterize.bits": (
        (IMAGES + KEPT + "r = T.RandomPosterize(bits=3, p=1.0).bits"),
    ),
    "torchvision.transforms.RandomPosterize.forward": (
        (
            IMAGES + KEPT + "class Mine(T.RandomPosterize):\n    def forward(self, each):\n"
            "        return super().forward(each)\nt = Mine(bits=3, p=1.0)\nr = t(bytes3)"
        ),
    ),
    "torchvision.transforms.RandomPosterize.p": (
        (IMAGES + KEPT + "r = T.RandomPosterize(bits=3, p=1.0).p"),
    ),
    "torchvision.transforms.RandomSolarize": (
        (
            IMAGES
            + KEPT
            + "def told(each):\n    return each if torch.is_tensor(each) else seen(each)\n"
            "r = [told(T.RandomSolarize(threshold=0.6, p=p)(each)) for p in (0.0, 1.0) "
            "for each in (img, bytes3)]"
        ),
        (IMAGES + "r = T.RandomSolarize(threshold = 0.6, p=1.0).p"),
        (IMAGES + "T.RandomSolarize(threshold=0.6, p=0)(bytes3)"),
    ),
    "torchvision.transforms.RandomSolarize.__init__": (
        (
            IMAGES + KEPT + "class Mine(T.RandomSolarize):\n    def __init__(self):\n"
            "        return super().__init__(threshold=0.6, p=1.0)\nt = Mine()\nr = t(img)"
        ),
    ),
    "torchvision.transforms.RandomSolarize.forward": (
        (
            IMAGES + KEPT + "class Mine(T.RandomSolarize):\n    def forward(self, each):\n"
            "        return super().forward(each)\nt = Mine(threshold=0.6, p=1.0)\nr = t(img)"
        ),
    ),
    "torchvision.transforms.RandomSolarize.p": (
        (IMAGES + KEPT + "r = T.RandomSolarize(threshold=0.6, p=1.0).p"),
    ),
    "torchvision.transforms.RandomSolarize.threshold": (
        (IMAGES + KEPT + "r = T.RandomSolarize(threshold=0.6, p=1.0).threshold"),
    ),
    "torchvision.transforms.RandomErasing": (
        (
            IMAGES
            + KEPT
            + "def told(each):\n    return each if torch.is_tensor(each) else seen(each)\n"
            "r = [told(T.RandomErasing(scale=(0.5, 0.5), ratio=(1.0, 1.0), value=0, "
            "p=p)(each)) for p in (0.0, 1.0) for each in (img * 0, bytes3 * 0)]"
        ),
        (
            IMAGES
            + "r = T.RandomErasing(scale = (0.5, 0.5), ratio = (1.0, 1.0), value = 0, p=1.0).p"
        ),
        (IMAGES + "T.RandomErasing(scale=(0.5, 0.5), ratio=(1.0, 1.0), value=0, p=0)(bytes3)"),
    ),
    "torchvision.transforms.RandomErasing.__init__": (
        (
            IMAGES + KEPT + "class Mine(T.RandomErasing):\n    def __init__(self):\n"
            "        return super().__init__(scale=(0.5, 0.5), ratio=(1.0, 1.0), "
            "value=0, p=1.0)\nt = Mine()\nr = t(img * 0)"
        ),
    ),
    "torchvision.transforms.RandomErasing.forward": (
        (
            IMAGES + KEPT + "class Mine(T.RandomErasing):\n    def forward(self, each):\n"
            "        return super().forward(each)\n"
            "t = Mine(scale=(0.5, 0.5), ratio=(1.0, 1.0), value=0, p=1.0)\nr = t(img * 0)"
        ),
    ),
    "torchvision.transforms.RandomErasing.inplace": (
        (
            IMAGES
            + KEPT
            + "r = T.RandomErasing(scale=(0.5, 0.5), ratio=(1.0, 1.0), value=0, p=1.0).inplace"
        ),
    ),
    "torchvision.transforms.RandomErasing.p": (
        (
            IMAGES
            + KEPT
            + "r = T.RandomErasing(scale=(0.5, 0.5), ratio=(1.0, 1.0), value=0, p=1.0).p"
        ),
    ),
    "torchvision.transforms.RandomErasing.ratio": (
        (
            IMAGES
            + KEPT
            + "r = T.RandomErasing(scale=(0.5, 0.5), ratio=(1.0, 1.0), value=0, p=1.0).ratio"
        ),
    ),
    "torchvision.transforms.RandomErasing.scale": (
        (
            IMAGES
            + KEPT
            + "r = T.RandomErasing(scale=(0.5, 0.5), ratio=(1.0, 1.0), value=0, p=1.0).scale"
        ),
    ),
    "torchvision.transforms.RandomErasing.value": (
        (
            IMAGES
            + KEPT
            + "r = T.RandomErasing(scale=(0.5, 0.5), ratio=(1.0, 1.0), value=0, p=1.0).value"
        ),
    ),
    "torchvision.transforms.RandomApply": (
        (
            IMAGES + "r = [T.RandomApply([T.CenterCrop(4), T.RandomHorizontalFlip(1.0)], "
            "p=p)(img) for p in (0, 1.0)]"
        ),
        (IMAGES + "T.RandomApply(nn.ModuleList([T.CenterCrop(4)]), p=1.0)(img)"),
        (IMAGES + "T.RandomOrder(T.CenterCrop(4))"),
    ),
    "torchvision.transforms.RandomApply.__init__": (
        (
            IMAGES + KEPT + "class Mine(T.RandomApply):\n    def __init__(self):\n"
            "        return super().__init__([T.CenterCrop(4)], 1.0)\nt = Mine()\nr = t(img)"
        ),
    ),
    "torchvision.transforms.RandomApply.forward": (
        (
            IMAGES + KEPT + "class Mine(T.RandomApply):\n    def forward(self, each):\n"
            "        return super().forward(each)\nt = Mine([T.CenterCrop(4)], 1.0)\nr = t(img)"
        ),
    ),
    "torchvision.transforms.RandomApply.p": (
        (IMAGES + KEPT + "r = T.RandomApply([T.CenterCrop(4)], 1.0).p"),
    ),
    "torchvision.transforms.RandomApply.transforms": (
        (IMAGES + KEPT + "r = T.RandomApply([T.CenterCrop(4)], 1.0).transforms"),
    ),
    "torchvision.transforms.RandomOrder": (
        (
            IMAGES + "import random\nrandom.seed(4)\n"
            "r = T.RandomOrder([T.Lambda(lambda v: v + 1), T.Lambda(lambda v: v * 2)])(x)"
        ),
    ),
    **alike(
        "torchvision.transforms",
        "RandomOrder.__call__ RandomChoice.__call__",
        (
            IMAGES + KEPT + "class Mine(T.{owner}):\n    def __call__(self, each):\n"
            "        return super().__call__(each)\nt = Mine([T.CenterCrop(4)])\nr = t(img)"
        ),
    ),
    "torchvision.transforms.RandomChoice": (
        (
            IMAGES + "import random\nrandom.seed(4)\n"
            "t = T.RandomChoice([T.Lambda(lambda v: v + 1), T.Lambda(lambda v: v * "
            "2)], p=[0.2, 0.8])\nr = [t(x) for _ in range(9)]"
        ),
    ),
    "torchvision.transforms.RandomChoice.__init__": (
        (
            IMAGES + KEPT + "class Mine(T.RandomChoice):\n    def __init__(self):\n"
            "        return super().__init__([T.CenterCrop(4)])\nt = Mine()\nr = t(img)"
        ),
    ),
    "torchvision.transforms.RandomChoice.p": (
        (IMAGES + KEPT + "r = T.RandomChoice([T.CenterCrop(4)]).p"),
    ),
    "torchvision.transforms.RandomCrop": (
        (
            IMAGES + "r = T.RandomCrop(5)(img).shape, T.RandomCrop((3, 6), "
            "padding=2)(img).shape, T.RandomCrop(8)(img)"
        ),
        (
            IMAGES
            + KEPT
            + "r = T.RandomCrop(5)(pil).size, T.RandomCrop((13, 15), padding=2)(pil).size\n"
            "s = seen(T.RandomCrop((9, 11))(pil))\nn = T.RandomCrop(4, padding=1).size"
        ),
        (
            IMAGES + "T.RandomCrop(12, pad_if_needed=True, fill=2)(img).shape, T.RandomCrop((8, "
            "12), pad_if_needed=True, padding_mode='reflect')(img).shape"
        ),
        (IMAGES + "T.RandomCrop(30)(img)"),
        (IMAGES + "T.RandomCrop([8, 8], padding=(0, 0, 0, 0), padding_mode='edge')(img)"),
    ),
    "torchvision.transforms.RandomCrop.__init__": (
        (
            IMAGES + KEPT + "class Mine(T.RandomCrop):\n    def __init__(self):\n"
            "        return super().__init__(8)\nt = Mine()\nr = t(img)"
        ),
    ),
    **alike(
        "torchvision.transforms.RandomCrop",
        "fill pad_if_needed padding padding_mode",
        (IMAGES + KEPT + "r = T.RandomCrop(8).{name}"),
    ),
    "torchvision.transforms.RandomCrop.forward": (
        (
            IMAGES + KEPT + "class Mine(T.RandomCrop):\n    def forward(self, each):\n"
            "        return super().forward(each)\nt = Mine(8)\nr = t(img)"
        ),
    ),
    "torchvision.transforms.RandomCrop.size": ((IMAGES + KEPT + "r = T.RandomCrop(8).size"),),
    "torchvision.transforms.RandomCrop.get_params": (
        (
            IMAGES + "r = T.RandomCrop.get_params(img, (8, 8))\n"
            "s = T.RandomCrop.get_params(pil, output_size=(3, 4))[2:]"
        ),
    ),
    "torchvision.transforms.RandomResizedCrop": (
        (
            IMAGES
            + "r = T.RandomResizedCrop(5)(img).shape, T.RandomResizedCrop((3, 6))(bytes3).shape"
        ),
        (
            IMAGES
            + KEPT
            + "s = seen(T.RandomResizedCrop(5, scale=(1.0, 1.0), ratio=(11 / 9, 11 / 9))(pil))"
        ),
        (
            IMAGES + "T.RandomResizedCrop(5, scale=(1.0, 1.0), ratio=(1.0, 1.0), "
            "interpolation=T.InterpolationMode.BICUBIC, antialias=False)(img)"
        ),
        (
            IMAGES
            + "t = T.RandomResizedCrop(5, (3.0, 4.0), (0.5, 0.9))\nr = t(img), t.size, t.scale"
        ),
        (IMAGES + KEPT + "s = seen(T.RandomResizedCrop((4, 5), (9.0, 9.0), (0.5, 0.6))(pil))"),
    ),
    "torchvision.transforms.RandomResizedCrop.__init__": (
        (
            IMAGES + KEPT + "class Mine(T.RandomResizedCrop):\n    def __init__(self):\n"
            "        return super().__init__(8, (1.0, 1.0), (1.0, 1.0))\nt = Mine()\nr = t(img)"
        ),
    ),
    **alike(
        "torchvision.transforms.RandomResizedCrop",
        "antialias interpolation ratio scale",
        (IMAGES + KEPT + "r = T.RandomResizedCrop(8, (1.0, 1.0), (1.0, 1.0)).{name}"),
    ),
    "torchvision.transforms.RandomResizedCrop.forward": (
        (
            IMAGES + KEPT + "class Mine(T.RandomResizedCrop):\n    def forward(self, each):\n"
            "        return super().forward(each)\nt = Mine(8, (1.0, 1.0), (1.0, 1.0))\n"
            "r = t(img)"
        ),
    ),
    "torchvision.transforms.RandomResizedCrop.size": (
        (IMAGES + KEPT + "r = T.RandomResizedCrop(8, (1.0, 1.0), (1.0, 1.0)).size"),
    ),
    "torchvision.transforms.RandomResizedCrop.get_params": (
        (
            IMAGES + "r = T.RandomResizedCrop.get_params(img, (1.0, 1.0), (1.0, 1.0))\n"
            "s = T.RandomResizedCrop.get_params(pil, scale=[5.0, 5.0], ratio=[2.0, 3.0])"
        ),
    ),
    "torchvision.transforms.ColorJitter": (
        (
            IMAGES + KEPT + "r = [seen(T.ColorJitter(**{each: (0.3, 0.3)})(pil)) for each in "
            "('brightness', 'contrast', 'saturation', 'hue')]"
        ),
        (
            IMAGES + "c = img.clamp(0, 1)\n"
            "r = [T.ColorJitter(**{each: (0.3, 0.3)})(c) for each in ('brightness', "
            "'contrast', 'saturation', 'hue')]"
        ),
        (
            IMAGES + KEPT + "t = T.ColorJitter(0.4, 0.3, 0.2, 0.1)\n"
            "r = t.brightness, t.contrast, t.saturation, t.hue, t(bytes3).shape, t(pil).size"
        ),
        (
            IMAGES + KEPT + "t = T.ColorJitter()\n"
            "r = seen(t(pil)), t(bytes3), t.hue, T.ColorJitter(2).brightness"
        ),
        (IMAGES + "T.ColorJitter(hue=0.7)"),
        (IMAGES + "T.ColorJitter(-1)"),
    ),
    "torchvision.transforms.ColorJitter.__init__": (
        (
            IMAGES + KEPT + "class Mine(T.ColorJitter):\n    def __init__(self):\n"
            "        return super().__init__((0.4, 0.4))\nt = Mine()\nr = t(img.clamp(0, 1))"
        ),
    ),
    **alike(
        "torchvision.transforms.ColorJitter",
        "brightness contrast hue saturation",
        (IMAGES + KEPT + "r = T.ColorJitter((0.4, 0.4)).{name}"),
    ),
    "torchvision.transforms.ColorJitter.forward": (
        (
            IMAGES + KEPT + "class Mine(T.ColorJitter):\n    def forward(self, each):\n"
            "        return super().forward(each)\nt = Mine((0.4, 0.4))\nr = t(img.clamp(0, 1))"
        ),
    ),
}
