"""Small networks of torchvision, and Inception, without the weights that it downloads."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike
from workbench.upstream.cases.preludes import FILLED

# Inception requires images at least 75 pixels wide. Of networks similar to others, and of large
# ones, only the layers are compared.
CASES: dict[str, tuple[str, ...]] = {
    **alike(
        "torchvision.models",
        "shufflenet_v2_x0_5 mobilenet_v3_large",
        (
            FILLED + "n = filled(models.{name}(weights=None, num_classes=5))\n"
            "r = n(img.repeat(1, 1, 4, 4)[:1])\n"
            "k = [(name, list(each.shape)) for name, each in sorted(n.state_dict().items())]\n"
            "s = str(n)\ndel n"
        ),
    ),
    **alike(
        "torchvision.models",
        "shufflenet_v2_x1_0 shufflenet_v2_x1_5 shufflenet_v2_x2_0",
        (
            FILLED + "n = models.{name}(weights=None, num_classes=5)\n"
            "k = [(name, list(each.shape)) for name, each in sorted(n.state_dict().items())]\n"
            "s = str(n)\ndel n"
        ),
    ),
    "torchvision.models.mobilenet_v3_small": (
        (
            FILLED + "n = filled(models.mobilenet_v3_small(weights=None, num_classes=5))\n"
            "r = n(img.repeat(1, 1, 4, 4)[:1])\n"
            "k = [(name, list(each.shape)) for name, each in sorted(n.state_dict().items())]\n"
            "s = str(n)\ndel n"
        ),
        (
            "from torchvision import models\no = dict(weights=None, num_classes=3)\n"
            "f = {'a': models.mobilenet_v3_small}['a']\nn = f(**o)\n"
            "n = models.mobilenet_v3_small(**o)\n"
            "r = sum(each.numel() for each in n.parameters())\ndel n, f, o"
        ),
        (
            "from torchvision import models\ndef f(weights, *o):\n"
            "    return models.mobilenet_v3_small(weights=weights, num_classes=3)\n"
            "n, o = f(None), 0\nr = sum(each.numel() for each in n.parameters())\ndel n, f, o"
        ),
    ),
    "torchvision.models.inception_v3": (
        (
            FILLED + "n = filled(models.inception_v3(weights=None, init_weights=False, "
            "transform_input=True, dropout=0.0, num_classes=5))\ni = img.repeat(1, 1, 10, 10)\n"
            "r = n(i)\no = n.train()(i)\n"
            "f = list(o._fields), o.logits.shape, o.aux_logits.shape\n"
            "k = [(name, list(each.shape)) for name, each in sorted(n.state_dict().items())]\n"
            "s = str(n)\ndel n, o"
        ),
    ),
    "torchvision.models.googlenet": (
        (
            FILLED
            + "n = filled(models.googlenet(weights=None, init_weights=False, num_classes=5))\n"
            "r = n(img.repeat(1, 1, 10, 10)[:1])\n"
            "k = [(name, list(each.shape)) for name, each in sorted(n.state_dict().items())]\n"
            "s = str(n)\ndel n"
        ),
    ),
    "torchvision.models.ShuffleNetV2": (
        (
            FILLED + "from torchvision.models import inception\n"
            "n = filled(torchvision.models.ShuffleNetV2([2, 1, 1], [8, 16, 16, 32, "
            "32], num_classes=3))\nr = n(img)\n"
            "k = [(name, list(each.shape)) for name, each in sorted(n.state_dict().items())]\n"
            "s = str(n)\ndel n"
        ),
    ),
    "torchvision.models.inception.InceptionA": (
        (
            FILLED + "from torchvision.models import inception\n"
            "n = filled(torchvision.models.inception.InceptionA(3, 4, "
            "conv_block=inception.BasicConv2d))\nr = n(img)\n"
            "k = [(name, list(each.shape)) for name, each in sorted(n.state_dict().items())]\n"
            "s = str(n)\ndel n"
        ),
    ),
    **alike(
        "torchvision.models.inception",
        "InceptionB InceptionE",
        (
            FILLED + "from torchvision.models import inception\n"
            "n = filled(torchvision.models.inception.{name}(3, conv_block=None))\nr = n(img)\n"
            "k = [(name, list(each.shape)) for name, each in sorted(n.state_dict().items())]\n"
            "s = str(n)\ndel n"
        ),
    ),
    "torchvision.models.inception.InceptionC": (
        (
            FILLED + "from torchvision.models import inception\n"
            "n = filled(torchvision.models.inception.InceptionC(3, channels_7x7=2))\n"
            "r = n(img)\n"
            "k = [(name, list(each.shape)) for name, each in sorted(n.state_dict().items())]\n"
            "s = str(n)\ndel n"
        ),
    ),
    "torchvision.models.inception.InceptionD": (
        (
            FILLED + "from torchvision.models import inception\n"
            "n = filled(torchvision.models.inception.InceptionD(in_channels=3))\nr = n(img)\n"
            "k = [(name, list(each.shape)) for name, each in sorted(n.state_dict().items())]\n"
            "s = str(n)\ndel n"
        ),
    ),
    "torchvision.models.inception.BasicConv2d": (
        (
            FILLED + "from torchvision.models import inception\n"
            "n = filled(torchvision.models.inception.BasicConv2d(3, 4, kernel_size=3, "
            "stride=2))\nr = n(img)\n"
            "k = [(name, list(each.shape)) for name, each in sorted(n.state_dict().items())]\n"
            "s = str(n)\ndel n"
        ),
    ),
    "torchvision.models.inception.InceptionAux": (
        (
            FILLED + "from torchvision.models import inception\n"
            "n = filled(torchvision.models.inception.InceptionAux(3, 2))\n"
            "r = n(img.repeat(1, 1, 3, 3))\n"
            "k = [(name, list(each.shape)) for name, each in sorted(n.state_dict().items())]\n"
            "s = str(n)\ndel n"
        ),
    ),
    **alike(
        "torchvision.models",
        "Inception3 GoogLeNet",
        (
            "from torchvision import models\n"
            "n = models.{name}(num_classes=3, aux_logits=False, init_weights=False)\n"
            "k = [(name, list(each.shape)) for name, each in sorted(n.state_dict().items())]\n"
            "s = str(n)\ni = isinstance(n, models.{name})\ndel n"
        ),
    ),
}
