"""Tests for the class of a layer that a model of torchvision constructs."""

from __future__ import annotations

import pytest

from tests.workbench.targets.paddle.both_sides import converted, printed

HEAD = "import torch\nimport torchvision\nfrom torch import nn\nfrom torchvision import models\n"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (
            "net = models.resnet18()\n"
            "print(sum(isinstance(m, nn.BatchNorm2d) for m in net.modules()))",
            "20",
        ),
        (
            "net = torchvision.models.mobilenet_v2()\nhead, found = nn.BatchNorm2d(3), 0\n"
            "for m in (*net.modules(), head):\n    if isinstance(m, (nn.BatchNorm2d, nn.Conv2d)):\n"
            "        m.eval()\n        found += 1\nprint(found, head.training)",
            "105 False",
        ),
        (
            "net = models.alexnet()\nnet.classifier[6] = nn.Linear(4096, 3)\n"
            "print(*(int(isinstance(m, nn.Linear)) for m in net.classifier))",
            "0 1 0 0 1 0 1",
        ),
        (
            "net = models.resnet18()\nprint(sum(type(m) is nn.Conv2d for m in net.modules()))",
            "20",
        ),
        (
            "from torchvision.models import resnet18\nnet = resnet18(num_classes=2)\n"
            'print(sum(m.__class__.__name__ == "BatchNorm2d" for m in net.modules()))',
            "20",
        ),
        (
            "def freeze(model):\n    for m in model.modules():\n"
            "        if isinstance(m, nn.BatchNorm2d):\n            m.eval()\n"
            "net = models.resnet18()\nfreeze(net)\n"
            "print(sum(not m.training for m in net.modules()))\n"
            "def step(loss):\n    loss.backward()",
            "20",
        ),
    ],
)
def test_a_layer_of_a_model_is_of_the_class_that_is_tested_for(code: str, expected: str) -> None:
    assert printed(converted(f"{HEAD}{code}\n")).strip() == expected
