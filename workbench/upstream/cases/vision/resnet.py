"""Residual networks of torchvision, without the weights that it downloads."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike
from workbench.upstream.cases.preludes import FILLED

# Of the largest networks, which consist of the same blocks, only the layers are compared.
CASES: dict[str, tuple[str, ...]] = {
    "torchvision.models.resnet18": (
        (
            FILLED + "n = filled(models.resnet18(weights=None, num_classes=5))\n"
            "r = n(img.repeat(1, 1, 4, 4))\nk = sorted(n.state_dict())"
        ),
        (
            FILLED + "n = filled(torchvision.models.resnet18(pretrained=False, progress=False))\n"
            "r = n(img.repeat(1, 1, 4, 4))\nk = sorted(n.state_dict())"
        ),
        (FILLED + "n = models.resnet18(zero_init_residual=True)\nr = n.layer1[0].bn2.weight"),
        (
            FILLED + "n = models.resnet18()\nn.fc = nn.Linear(512, 3)\nn = filled(n)\n"
            "r = n(img.repeat(1, 1, 4, 4))"
        ),
        (
            "from torchvision import models\no = dict(weights=None, num_classes=3)\n"
            "f = {'a': models.resnet18}['a']\nn = f(**o)\nn = models.resnet18(**o)\n"
            "r = sum(each.numel() for each in n.parameters())\ndel n, f, o"
        ),
        (
            "from torchvision import models\ndef f(weights, *o):\n"
            "    return models.resnet18(weights=weights, num_classes=3)\nn, o = f(None), 0\n"
            "r = sum(each.numel() for each in n.parameters())\ndel n, f, o"
        ),
        (
            "from torchvision import models\ndef f(pretrained):\n"
            "    return models.resnet18(weights=models.ResNet18_Weights.DEFAULT if "
            "pretrained else None, num_classes=2)\nr = f(False).fc.out_features"
        ),
    ),
    **alike(
        "torchvision.models",
        "resnet34 resnext50_32x4d wide_resnet50_2",
        (
            FILLED + "n = filled(models.{name}(weights=None, num_classes=5))\n"
            "r = n(img.repeat(1, 1, 4, 4))\nk = sorted(n.state_dict())"
        ),
    ),
    "torchvision.models.resnet50": (
        (
            FILLED + "n = filled(models.resnet50(weights=None, num_classes=5))\n"
            "r = n(img.repeat(1, 1, 4, 4))\nk = sorted(n.state_dict())"
        ),
        (
            FILLED
            + "n = filled(models.resnet50(replace_stride_with_dilation=[False, True, True]))\n"
            "r = n(img.repeat(1, 1, 4, 4))\nk = sorted(n.state_dict())"
        ),
        (
            FILLED + "n = models.resnet50(norm_layer=lambda c: nn.GroupNorm(4, c))\nn = filled(n)\n"
            "r = n(img.repeat(1, 1, 4, 4))\nk = sorted(n.state_dict())"
        ),
    ),
    **alike(
        "torchvision.models",
        "resnet101 resnet152 resnext101_32x8d resnext101_64x4d wide_resnet101_2",
        (
            "from torchvision import models\nn = models.{name}(weights=None, num_classes=5)\n"
            "k = [(name, list(each.shape)) for name, each in sorted(n.state_dict().items())]"
        ),
    ),
    "torchvision.models.ResNet": (
        (
            FILLED + "from torchvision.models.resnet import BasicBlock, Bottleneck\n"
            "n = filled(models.ResNet(BasicBlock, [1, 1, 1, 1], num_classes=3))\n"
            "r = n(img.repeat(1, 1, 4, 4))\nk = sorted(n.state_dict())"
        ),
        (
            FILLED + "class Net(models.ResNet):\n    def __init__(self):\n"
            "        super().__init__(models.resnet.Bottleneck, [1, 1, 1, 1])\n"
            "n = filled(Net())\nr = n(img.repeat(1, 1, 4, 4))\nk = sorted(n.state_dict())"
        ),
    ),
    "torchvision.models.resnet.BasicBlock": (
        (
            FILLED + "n = filled(models.resnet.BasicBlock(64, 64))\n"
            "r = n(torch.ones(1, 64, 3, 3)), n.expansion, sorted(n.state_dict())"
        ),
        (FILLED + "models.resnet.BasicBlock(64, 64, stride=2, dilation=2).stride"),
    ),
    "torchvision.models.resnet.Bottleneck": (
        (
            FILLED + "n = filled(models.resnet.Bottleneck(64, 16))\n"
            "r = n(torch.ones(1, 64, 3, 3)), n.expansion, sorted(n.state_dict())"
        ),
        (FILLED + "models.resnet.Bottleneck(64, 16, stride=2, dilation=2).stride"),
    ),
}
