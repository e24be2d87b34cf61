"""GoogLeNet, with the layers, names and weights of torchvision's."""

from __future__ import annotations

from typing import Any, NamedTuple

import paddle

from workbench.targets.paddle.layers.helpers.dropout import TorchDropout
from workbench.targets.paddle.layers.helpers.linear import TorchLinear
from workbench.targets.paddle.layers.helpers.pool_layers import (
    TorchAdaptiveAvgPool2d,
    TorchMaxPool2d,
)
from workbench.targets.paddle.modules.helpers.class_names import torch_called, torch_named
from workbench.targets.paddle.vision.helpers.networks.inception import (
    TorchBasicConv2d,
    torch_as_imagenet,
    torch_basic,
    torch_drawn_weights,
)


@torch_named
class TorchInception(paddle.nn.Layer):
    """The block of GoogLeNet: four ways, side by side."""

    def __init__(
        self, before: int, one: int, three_in: int, three: int, five_in: int, five: int, pooled: int
    ) -> None:
        super().__init__()
        self.branch1 = torch_basic(before, one)
        self.branch2 = paddle.nn.Sequential(
            torch_basic(before, three_in), torch_basic(three_in, three, 3)
        )
        # torchvision's has a kernel of 3 here, of which the weights were made.
        self.branch3 = paddle.nn.Sequential(
            torch_basic(before, five_in), torch_basic(five_in, five, 3)
        )
        self.branch4 = paddle.nn.Sequential(
            TorchMaxPool2d(3, 1, 1, ceil_mode=True), torch_basic(before, pooled)
        )

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        ways = (self.branch1, self.branch2, self.branch3, self.branch4)
        return paddle.concat([way(x) for way in ways], axis=1)


class TorchGoogLeNetOutputs(NamedTuple):
    """What GoogLeNet gives while it is trained."""

    logits: Any
    aux_logits2: Any
    aux_logits1: Any


@torch_called("InceptionAux")
class TorchGoogLeNetAux(paddle.nn.Layer):
    """A classifier in the middle of GoogLeNet."""

    def __init__(self, in_channels: int, num_classes: int, dropout: float = 0.7) -> None:
        super().__init__()
        self.conv = torch_basic(in_channels, 128)
        self.fc1 = TorchLinear(2048, 1024)
        self.fc2 = TorchLinear(1024, num_classes)
        self.dropout = TorchDropout(dropout)

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        x = self.conv(paddle.nn.functional.adaptive_avg_pool2d(x, (4, 4))).flatten(1)
        return self.fc2(self.dropout(paddle.nn.functional.relu(self.fc1(x))))


@torch_named
class TorchGoogLeNet(paddle.nn.Layer):
    """`torchvision.models.GoogLeNet`."""

    def __init__(
        self,
        num_classes: int = 1000,
        aux_logits: bool = True,
        transform_input: bool = False,
        init_weights: bool | None = None,
        dropout: float = 0.2,
        dropout_aux: float = 0.7,
    ) -> None:
        super().__init__()
        self.aux_logits = aux_logits
        self.transform_input = transform_input
        self.conv1 = TorchBasicConv2d(3, 64, kernel_size=7, stride=2, padding=3)
        self.maxpool1 = TorchMaxPool2d(3, 2, ceil_mode=True)
        self.conv2 = torch_basic(64, 64)
        self.conv3 = torch_basic(64, 192, 3)
        self.maxpool2 = TorchMaxPool2d(3, 2, ceil_mode=True)
        self.inception3a = TorchInception(192, 64, 96, 128, 16, 32, 32)
        self.inception3b = TorchInception(256, 128, 128, 192, 32, 96, 64)
        self.maxpool3 = TorchMaxPool2d(3, 2, ceil_mode=True)
        self.inception4a = TorchInception(480, 192, 96, 208, 16, 48, 64)
        self.inception4b = TorchInception(512, 160, 112, 224, 24, 64, 64)
        self.inception4c = TorchInception(512, 128, 128, 256, 24, 64, 64)
        self.inception4d = TorchInception(512, 112, 144, 288, 32, 64, 64)
        self.inception4e = TorchInception(528, 256, 160, 320, 32, 128, 128)
        self.maxpool4 = TorchMaxPool2d(2, 2, ceil_mode=True)
        self.inception5a = TorchInception(832, 256, 160, 320, 32, 128, 128)
        self.inception5b = TorchInception(832, 384, 192, 384, 48, 128, 128)
        aux = aux_logits
        self.aux1 = TorchGoogLeNetAux(512, num_classes, dropout_aux) if aux else None
        self.aux2 = TorchGoogLeNetAux(528, num_classes, dropout_aux) if aux else None
        self.avgpool = TorchAdaptiveAvgPool2d((1, 1))
        self.dropout = TorchDropout(dropout)
        self.fc = TorchLinear(1024, num_classes)
        if init_weights is None or init_weights:
            torch_drawn_weights(self, 0.01)

    def forward(self, x: paddle.Tensor) -> Any:
        x = torch_as_imagenet(x) if self.transform_input else x
        x = self.maxpool2(self.conv3(self.conv2(self.maxpool1(self.conv1(x)))))
        x = self.inception4a(self.maxpool3(self.inception3b(self.inception3a(x))))
        one = self.aux1(x) if self.aux1 is not None and self.training else None
        x = self.inception4d(self.inception4c(self.inception4b(x)))
        two = self.aux2(x) if self.aux2 is not None and self.training else None
        x = self.inception5b(self.inception5a(self.maxpool4(self.inception4e(x))))
        x = self.fc(self.dropout(self.avgpool(x).flatten(1)))
        outputs = self.training and self.aux_logits
        return TorchGoogLeNetOutputs(x, two, one) if outputs else x
