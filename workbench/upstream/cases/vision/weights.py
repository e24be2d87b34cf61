"""Metadata of the weights that torchvision downloads for the networks that have rules."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike
from workbench.upstream.cases.preludes import IMAGES

_HEAD = "from torchvision import models\n"

CASES: dict[str, tuple[str, ...]] = {
    **alike(
        "torchvision.models",
        "AlexNet_Weights DenseNet121_Weights DenseNet161_Weights "
        "DenseNet169_Weights DenseNet201_Weights GoogLeNet_Weights "
        "Inception_V3_Weights MobileNet_V2_Weights MobileNet_V3_Large_Weights "
        "MobileNet_V3_Small_Weights ResNet18_Weights ResNet34_Weights "
        "ResNet50_Weights ResNet101_Weights ResNet152_Weights "
        "ResNeXt50_32X4D_Weights ResNeXt101_32X8D_Weights ResNeXt101_64X4D_Weights "
        "ShuffleNet_V2_X0_5_Weights ShuffleNet_V2_X1_0_Weights "
        "ShuffleNet_V2_X1_5_Weights ShuffleNet_V2_X2_0_Weights "
        "SqueezeNet1_0_Weights SqueezeNet1_1_Weights VGG11_Weights "
        "VGG11_BN_Weights VGG13_Weights VGG13_BN_Weights VGG16_Weights "
        "VGG16_BN_Weights VGG19_Weights VGG19_BN_Weights Wide_ResNet50_2_Weights "
        "Wide_ResNet101_2_Weights",
        (
            _HEAD + "r = [(str(w), w.name, w.url) for w in models.{name}], "
            "isinstance(models.{name}.DEFAULT, models.{name}), models.{name}.__name__"
        ),
    ),
    **alike(
        "torchvision.models",
        "AlexNet_Weights.DEFAULT DenseNet121_Weights.DEFAULT "
        "DenseNet161_Weights.DEFAULT DenseNet169_Weights.DEFAULT "
        "DenseNet201_Weights.DEFAULT GoogLeNet_Weights.DEFAULT "
        "Inception_V3_Weights.DEFAULT MobileNet_V2_Weights.DEFAULT "
        "MobileNet_V3_Large_Weights.DEFAULT MobileNet_V3_Small_Weights.DEFAULT "
        "ResNet34_Weights.DEFAULT ResNet50_Weights.DEFAULT "
        "ResNet101_Weights.DEFAULT ResNet152_Weights.DEFAULT "
        "ResNeXt50_32X4D_Weights.DEFAULT ResNeXt101_32X8D_Weights.DEFAULT "
        "ResNeXt101_64X4D_Weights.DEFAULT ShuffleNet_V2_X0_5_Weights.DEFAULT "
        "ShuffleNet_V2_X1_0_Weights.DEFAULT ShuffleNet_V2_X1_5_Weights.DEFAULT "
        "ShuffleNet_V2_X2_0_Weights.DEFAULT SqueezeNet1_0_Weights.DEFAULT "
        "SqueezeNet1_1_Weights.DEFAULT VGG11_Weights.DEFAULT "
        "VGG11_BN_Weights.DEFAULT VGG13_Weights.DEFAULT VGG13_BN_Weights.DEFAULT "
        "VGG16_Weights.DEFAULT VGG16_BN_Weights.DEFAULT VGG19_Weights.DEFAULT "
        "VGG19_BN_Weights.DEFAULT Wide_ResNet50_2_Weights.DEFAULT "
        "Wide_ResNet101_2_Weights.DEFAULT",
        (_HEAD + "w = models.{owner}.DEFAULT\nr = repr(w), w.name, w.url, w is not None\ndel w"),
    ),
    **alike(
        "torchvision.models",
        "AlexNet_Weights.IMAGENET1K_V1 DenseNet121_Weights.IMAGENET1K_V1 "
        "DenseNet161_Weights.IMAGENET1K_V1 DenseNet169_Weights.IMAGENET1K_V1 "
        "DenseNet201_Weights.IMAGENET1K_V1 GoogLeNet_Weights.IMAGENET1K_V1 "
        "Inception_V3_Weights.IMAGENET1K_V1 "
        "MobileNet_V3_Small_Weights.IMAGENET1K_V1 ResNet34_Weights.IMAGENET1K_V1 "
        "ResNeXt101_64X4D_Weights.IMAGENET1K_V1 "
        "ShuffleNet_V2_X0_5_Weights.IMAGENET1K_V1 "
        "ShuffleNet_V2_X1_0_Weights.IMAGENET1K_V1 "
        "ShuffleNet_V2_X1_5_Weights.IMAGENET1K_V1 "
        "ShuffleNet_V2_X2_0_Weights.IMAGENET1K_V1 "
        "SqueezeNet1_0_Weights.IMAGENET1K_V1 SqueezeNet1_1_Weights.IMAGENET1K_V1 "
        "VGG11_Weights.IMAGENET1K_V1 VGG11_BN_Weights.IMAGENET1K_V1 "
        "VGG13_Weights.IMAGENET1K_V1 VGG13_BN_Weights.IMAGENET1K_V1 "
        "VGG16_BN_Weights.IMAGENET1K_V1 VGG19_Weights.IMAGENET1K_V1 "
        "VGG19_BN_Weights.IMAGENET1K_V1",
        (
            _HEAD
            + "w = models.{owner}.IMAGENET1K_V1\nr = repr(w), w.name, w.url, w is not None\ndel w"
        ),
        (_HEAD + "t = models.{owner}.IMAGENET1K_V1.transforms()\nr = repr(t)\ndel t"),
    ),
    **alike(
        "torchvision.models.MobileNet_V2_Weights",
        "IMAGENET1K_V1 IMAGENET1K_V2",
        (
            _HEAD + "w = models.MobileNet_V2_Weights.{name}\n"
            "r = repr(w), w.name, w.url, w is not None\ndel w"
        ),
        (_HEAD + "t = models.MobileNet_V2_Weights.{name}.transforms()\nr = repr(t)\ndel t"),
    ),
    **alike(
        "torchvision.models.MobileNet_V3_Large_Weights",
        "IMAGENET1K_V1 IMAGENET1K_V2",
        (
            _HEAD + "w = models.MobileNet_V3_Large_Weights.{name}\n"
            "r = repr(w), w.name, w.url, w is not None\ndel w"
        ),
        (_HEAD + "t = models.MobileNet_V3_Large_Weights.{name}.transforms()\nr = repr(t)\ndel t"),
    ),
    "torchvision.models.ResNet18_Weights.DEFAULT": (
        (
            _HEAD
            + "w = models.ResNet18_Weights.DEFAULT\nr = repr(w), w.name, w.url, w is not None\n"
            "del w"
        ),
        (
            IMAGES
            + _HEAD
            + "t = models.ResNet18_Weights.DEFAULT.transforms()\nr = t(pil), t(bytes3), t(img)\n"
            "del t"
        ),
    ),
    "torchvision.models.ResNet18_Weights.IMAGENET1K_V1": (
        (
            _HEAD + "w = models.ResNet18_Weights.IMAGENET1K_V1\n"
            "r = repr(w), w.name, w.url, w is not None\ndel w"
        ),
        (_HEAD + "t = models.ResNet18_Weights.IMAGENET1K_V1.transforms()\nr = repr(t)\ndel t"),
        (
            IMAGES + _HEAD + "t = models.ResNet18_Weights.IMAGENET1K_V1.transforms()\n"
            "r = t(pil), t(bytes3), t(img)\ndel t"
        ),
    ),
    **alike(
        "torchvision.models.ResNet50_Weights",
        "IMAGENET1K_V1 IMAGENET1K_V2",
        (
            _HEAD
            + "w = models.ResNet50_Weights.{name}\nr = repr(w), w.name, w.url, w is not None\n"
            "del w"
        ),
        (_HEAD + "t = models.ResNet50_Weights.{name}.transforms()\nr = repr(t)\ndel t"),
    ),
    **alike(
        "torchvision.models.ResNet101_Weights",
        "IMAGENET1K_V1 IMAGENET1K_V2",
        (
            _HEAD
            + "w = models.ResNet101_Weights.{name}\nr = repr(w), w.name, w.url, w is not None\n"
            "del w"
        ),
        (_HEAD + "t = models.ResNet101_Weights.{name}.transforms()\nr = repr(t)\ndel t"),
    ),
    **alike(
        "torchvision.models.ResNet152_Weights",
        "IMAGENET1K_V1 IMAGENET1K_V2",
        (
            _HEAD
            + "w = models.ResNet152_Weights.{name}\nr = repr(w), w.name, w.url, w is not None\n"
            "del w"
        ),
        (_HEAD + "t = models.ResNet152_Weights.{name}.transforms()\nr = repr(t)\ndel t"),
    ),
    **alike(
        "torchvision.models.ResNeXt50_32X4D_Weights",
        "IMAGENET1K_V1 IMAGENET1K_V2",
        (
            _HEAD + "w = models.ResNeXt50_32X4D_Weights.{name}\n"
            "r = repr(w), w.name, w.url, w is not None\ndel w"
        ),
        (_HEAD + "t = models.ResNeXt50_32X4D_Weights.{name}.transforms()\nr = repr(t)\ndel t"),
    ),
    **alike(
        "torchvision.models.ResNeXt101_32X8D_Weights",
        "IMAGENET1K_V1 IMAGENET1K_V2",
        (
            _HEAD + "w = models.ResNeXt101_32X8D_Weights.{name}\n"
            "r = repr(w), w.name, w.url, w is not None\ndel w"
        ),
        (_HEAD + "t = models.ResNeXt101_32X8D_Weights.{name}.transforms()\nr = repr(t)\ndel t"),
    ),
    **alike(
        "torchvision.models.VGG16_Weights",
        "IMAGENET1K_FEATURES IMAGENET1K_V1",
        (
            _HEAD
            + "w = models.VGG16_Weights.{name}\nr = repr(w), w.name, w.url, w is not None\ndel w"
        ),
        (_HEAD + "t = models.VGG16_Weights.{name}.transforms()\nr = repr(t)\ndel t"),
    ),
    **alike(
        "torchvision.models.Wide_ResNet50_2_Weights",
        "IMAGENET1K_V1 IMAGENET1K_V2",
        (
            _HEAD + "w = models.Wide_ResNet50_2_Weights.{name}\n"
            "r = repr(w), w.name, w.url, w is not None\ndel w"
        ),
        (_HEAD + "t = models.Wide_ResNet50_2_Weights.{name}.transforms()\nr = repr(t)\ndel t"),
    ),
    **alike(
        "torchvision.models.Wide_ResNet101_2_Weights",
        "IMAGENET1K_V1 IMAGENET1K_V2",
        (
            _HEAD + "w = models.Wide_ResNet101_2_Weights.{name}\n"
            "r = repr(w), w.name, w.url, w is not None\ndel w"
        ),
        (_HEAD + "t = models.Wide_ResNet101_2_Weights.{name}.transforms()\nr = repr(t)\ndel t"),
    ),
}
