"""Older networks of torchvision, without the weights that it downloads."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike
from workbench.upstream.cases.preludes import FILLED

# Of the largest networks, which consist of the same blocks, only the layers are compared.
CASES: dict[str, tuple[str, ...]] = {
    **alike(
        "torchvision.models",
        "alexnet mobilenet_v2 squeezenet1_0 squeezenet1_1 densenet121",
        (
            FILLED + "n = filled(models.{name}(weights=None, num_classes=5))\n"
            "r = n(img.repeat(1, 1, 9, 9)[:1])\n"
            "k = [(name, list(each.shape)) for name, each in sorted(n.state_dict().items())]\n"
            "s = str(n)\ndel n"
        ),
        (
            "from torchvision import models\no = dict(weights=None, num_classes=3)\n"
            "f = {'a': models.{name}}['a']\nn = f(**o)\nn = models.{name}(**o)\n"
            "r = sum(each.numel() for each in n.parameters())\ndel n, f, o"
        ),
        (
            "from torchvision import models\ndef f(weights, *o):\n"
            "    return models.{name}(weights=weights, num_classes=3)\nn, o = f(None), 0\n"
            "r = sum(each.numel() for each in n.parameters())\ndel n, f, o"
        ),
    ),
    **alike(
        "torchvision.models",
        "vgg11 densenet161 densenet169 densenet201",
        (
            "from torchvision import models\nn = models.{name}(weights=None, num_classes=5)\n"
            "k = [(name, list(each.shape)) for name, each in sorted(n.state_dict().items())]\n"
            "s = str(n)\ndel n"
        ),
    ),
    **alike(
        "torchvision.models",
        "vgg11_bn vgg13 vgg13_bn vgg16 vgg19 vgg19_bn",
        "from torchvision import models\nn = models.{name}() if False else 1\ndel n",
    ),
    "torchvision.models.vgg16_bn": (
        (
            "from torchvision import models\n"
            "n = models.vgg16_bn(weights=None, num_classes=5, init_weights=False)\n"
            "k = [(name, list(each.shape)) for name, each in sorted(n.state_dict().items())]\n"
            "s = str(n)\ndel n"
        ),
    ),
    "torchvision.models.SqueezeNet": (
        (
            FILLED + "n = filled(models.SqueezeNet('1_1', num_classes=3))\n"
            "r = n(img.repeat(1, 1, 5, 5)[:1])\n"
            "k = [(name, list(each.shape)) for name, each in sorted(n.state_dict().items())]\n"
            "s = str(n)\ndel n"
        ),
    ),
    "torchvision.models.MobileNetV2": (
        (
            FILLED + "n = filled(models.MobileNetV2(3, 0.25, [[1, 16, 1, 1], [6, 24, 2, 2]], "
            "dropout=0.1))\nr = n(img.repeat(1, 1, 5, 5)[:1])\n"
            "k = [(name, list(each.shape)) for name, each in sorted(n.state_dict().items())]\n"
            "s = str(n)\ndel n"
        ),
    ),
    "torchvision.models.DenseNet": (
        (
            FILLED + "n = filled(models.DenseNet(8, (1, 2), 16, num_classes=3))\n"
            "r = n(img.repeat(1, 1, 5, 5)[:1])\n"
            "k = [(name, list(each.shape)) for name, each in sorted(n.state_dict().items())]\n"
            "s = str(n)\ndel n"
        ),
    ),
    **alike(
        "torchvision.models",
        "AlexNet VGG",
        (
            "from torchvision import models\n"
            "r = issubclass(models.{name}, nn.Module), isinstance(nn.Linear(1, 1), "
            "models.{name})"
        ),
    ),
}
