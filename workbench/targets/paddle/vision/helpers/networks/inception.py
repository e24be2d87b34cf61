"""Inception, with the layers, names and weights of torchvision's."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import paddle

from workbench.targets.paddle.layers.helpers.conv import TorchConv2d
from workbench.targets.paddle.layers.helpers.dropout import TorchDropout
from workbench.targets.paddle.layers.helpers.linear import TorchLinear
from workbench.targets.paddle.layers.helpers.norm import TorchBatchNorm2d
from workbench.targets.paddle.layers.helpers.pool_layers import (
    TorchAdaptiveAvgPool2d,
    TorchMaxPool2d,
)
from workbench.targets.paddle.modules.helpers.class_names import torch_named
from workbench.targets.paddle.modules.helpers.init import torch_init_trunc_normal


@torch_named
class TorchBasicConv2d(paddle.nn.Layer):
    """A convolution, its norm and a ReLU."""

    def __init__(self, in_channels: int, out_channels: int, **how: Any) -> None:
        super().__init__()
        self.conv = TorchConv2d(in_channels, out_channels, bias=False, **how)
        self.bn = TorchBatchNorm2d(out_channels, eps=0.001)

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        return paddle.nn.functional.relu(self.bn(self.conv(x)))


def torch_basic(before: int, after: int, size: Any = 1, stride: int = 1, block: Any = None) -> Any:
    """One that keeps the size, and one that shrinks it where it strides."""
    sides = (size, size) if isinstance(size, int) else size
    around = tuple(0 if stride > 1 else side // 2 for side in sides)
    make = block or TorchBasicConv2d
    return make(before, after, kernel_size=size, stride=stride, padding=around)


def torch_average_of_three(x: paddle.Tensor) -> paddle.Tensor:
    """The average about each place, in which zeros count that lie around."""
    return paddle.nn.functional.avg_pool2d(x, 3, 1, 1, exclusive=False)


@torch_named
class TorchInceptionA(paddle.nn.Layer):
    """`torchvision.models.inception.InceptionA`."""

    def __init__(self, in_channels: int, pool_features: int, conv_block: Any = None) -> None:
        super().__init__()
        make = functools.partial(torch_basic, block=conv_block)
        self.branch1x1 = make(in_channels, 64)
        self.branch5x5_1 = make(in_channels, 48)
        self.branch5x5_2 = make(48, 64, 5)
        self.branch3x3dbl_1 = make(in_channels, 64)
        self.branch3x3dbl_2 = make(64, 96, 3)
        self.branch3x3dbl_3 = make(96, 96, 3)
        self.branch_pool = make(in_channels, pool_features)

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        double = self.branch3x3dbl_3(self.branch3x3dbl_2(self.branch3x3dbl_1(x)))
        pooled = self.branch_pool(torch_average_of_three(x))
        five = self.branch5x5_2(self.branch5x5_1(x))
        return paddle.concat([self.branch1x1(x), five, double, pooled], axis=1)


@torch_named
class TorchInceptionB(paddle.nn.Layer):
    """`torchvision.models.inception.InceptionB`."""

    def __init__(self, in_channels: int, conv_block: Any = None) -> None:
        super().__init__()
        make = functools.partial(torch_basic, block=conv_block)
        self.branch3x3 = make(in_channels, 384, 3, 2)
        self.branch3x3dbl_1 = make(in_channels, 64)
        self.branch3x3dbl_2 = make(64, 96, 3)
        self.branch3x3dbl_3 = make(96, 96, 3, 2)

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        double = self.branch3x3dbl_3(self.branch3x3dbl_2(self.branch3x3dbl_1(x)))
        pooled = paddle.nn.functional.max_pool2d(x, 3, 2)
        return paddle.concat([self.branch3x3(x), double, pooled], axis=1)


@torch_named
class TorchInceptionC(paddle.nn.Layer):
    """`torchvision.models.inception.InceptionC`."""

    def __init__(self, in_channels: int, channels_7x7: int, conv_block: Any = None) -> None:
        super().__init__()
        make = functools.partial(torch_basic, block=conv_block)
        width = channels_7x7
        self.branch1x1 = make(in_channels, 192)
        self.branch7x7_1 = make(in_channels, width)
        self.branch7x7_2 = make(width, width, (1, 7))
        self.branch7x7_3 = make(width, 192, (7, 1))
        self.branch7x7dbl_1 = make(in_channels, width)
        self.branch7x7dbl_2 = make(width, width, (7, 1))
        self.branch7x7dbl_3 = make(width, width, (1, 7))
        self.branch7x7dbl_4 = make(width, width, (7, 1))
        self.branch7x7dbl_5 = make(width, 192, (1, 7))
        self.branch_pool = make(in_channels, 192)

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        seven = self.branch7x7_3(self.branch7x7_2(self.branch7x7_1(x)))
        double = self.branch7x7dbl_3(self.branch7x7dbl_2(self.branch7x7dbl_1(x)))
        double = self.branch7x7dbl_5(self.branch7x7dbl_4(double))
        pooled = self.branch_pool(torch_average_of_three(x))
        return paddle.concat([self.branch1x1(x), seven, double, pooled], axis=1)


@torch_named
class TorchInceptionD(paddle.nn.Layer):
    """`torchvision.models.inception.InceptionD`."""

    def __init__(self, in_channels: int, conv_block: Any = None) -> None:
        super().__init__()
        make = functools.partial(torch_basic, block=conv_block)
        self.branch3x3_1 = make(in_channels, 192)
        self.branch3x3_2 = make(192, 320, 3, 2)
        self.branch7x7x3_1 = make(in_channels, 192)
        self.branch7x7x3_2 = make(192, 192, (1, 7))
        self.branch7x7x3_3 = make(192, 192, (7, 1))
        self.branch7x7x3_4 = make(192, 192, 3, 2)

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        three = self.branch3x3_2(self.branch3x3_1(x))
        seven = self.branch7x7x3_3(self.branch7x7x3_2(self.branch7x7x3_1(x)))
        pooled = paddle.nn.functional.max_pool2d(x, 3, 2)
        return paddle.concat([three, self.branch7x7x3_4(seven), pooled], axis=1)


@torch_named
class TorchInceptionE(paddle.nn.Layer):
    """`torchvision.models.inception.InceptionE`."""

    def __init__(self, in_channels: int, conv_block: Any = None) -> None:
        super().__init__()
        make = functools.partial(torch_basic, block=conv_block)
        self.branch1x1 = make(in_channels, 320)
        self.branch3x3_1 = make(in_channels, 384)
        self.branch3x3_2a = make(384, 384, (1, 3))
        self.branch3x3_2b = make(384, 384, (3, 1))
        self.branch3x3dbl_1 = make(in_channels, 448)
        self.branch3x3dbl_2 = make(448, 384, 3)
        self.branch3x3dbl_3a = make(384, 384, (1, 3))
        self.branch3x3dbl_3b = make(384, 384, (3, 1))
        self.branch_pool = make(in_channels, 192)

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        three = self.branch3x3_1(x)
        double = self.branch3x3dbl_2(self.branch3x3dbl_1(x))
        parts = [
            self.branch1x1(x),
            self.branch3x3_2a(three),
            self.branch3x3_2b(three),
            self.branch3x3dbl_3a(double),
            self.branch3x3dbl_3b(double),
            self.branch_pool(torch_average_of_three(x)),
        ]
        return paddle.concat(parts, axis=1)


class TorchInceptionOutputs(NamedTuple):
    """What Inception gives while it is trained."""

    logits: Any
    aux_logits: Any


@torch_named
class TorchInceptionAux(paddle.nn.Layer):
    """The second classifier of Inception, in the middle of it."""

    def __init__(self, in_channels: int, num_classes: int, conv_block: Any = None) -> None:
        super().__init__()
        make = functools.partial(torch_basic, block=conv_block)
        self.conv0 = make(in_channels, 128)
        self.conv1 = (conv_block or TorchBasicConv2d)(128, 768, kernel_size=5)
        self.conv1.stddev = 0.01
        self.fc = TorchLinear(768, num_classes)
        self.fc.stddev = 0.001

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        x = self.conv1(self.conv0(paddle.nn.functional.avg_pool2d(x, 5, 3)))
        return self.fc(x.mean(axis=[2, 3]))


def torch_drawn_weights(net: paddle.nn.Layer, usual: float) -> None:
    """Draw the weights about 0, as far apart as each layer says, or as is usual."""
    for layer in net.sublayers():
        if isinstance(layer, TorchConv2d | TorchLinear):
            deviation = float(getattr(layer, "stddev", usual))
            torch_init_trunc_normal(layer.weight, 0.0, deviation, -2, 2)


def torch_as_imagenet(x: paddle.Tensor) -> paddle.Tensor:
    """An image normalised about one half, normalised as those of ImageNet."""
    scale = paddle.to_tensor([0.229, 0.224, 0.225], dtype=x.dtype) / 0.5
    shift = (paddle.to_tensor([0.485, 0.456, 0.406], dtype=x.dtype) - 0.5) / 0.5
    return x * scale.reshape([1, 3, 1, 1]) + shift.reshape([1, 3, 1, 1])


@torch_named
class TorchInception3(paddle.nn.Layer):
    """`torchvision.models.Inception3`."""

    def __init__(
        self,
        num_classes: int = 1000,
        aux_logits: bool = True,
        transform_input: bool = False,
        init_weights: bool | None = None,
        dropout: float = 0.5,
    ) -> None:
        super().__init__()
        self.aux_logits = aux_logits
        self.transform_input = transform_input
        self.Conv2d_1a_3x3 = torch_basic(3, 32, 3, 2)
        self.Conv2d_2a_3x3 = TorchBasicConv2d(32, 32, kernel_size=3)
        self.Conv2d_2b_3x3 = torch_basic(32, 64, 3)
        self.maxpool1 = TorchMaxPool2d(3, 2)
        self.Conv2d_3b_1x1 = torch_basic(64, 80)
        self.Conv2d_4a_3x3 = TorchBasicConv2d(80, 192, kernel_size=3)
        self.maxpool2 = TorchMaxPool2d(3, 2)
        self.Mixed_5b = TorchInceptionA(192, 32)
        self.Mixed_5c = TorchInceptionA(256, 64)
        self.Mixed_5d = TorchInceptionA(288, 64)
        self.Mixed_6a = TorchInceptionB(288)
        self.Mixed_6b = TorchInceptionC(768, 128)
        self.Mixed_6c = TorchInceptionC(768, 160)
        self.Mixed_6d = TorchInceptionC(768, 160)
        self.Mixed_6e = TorchInceptionC(768, 192)
        self.AuxLogits = TorchInceptionAux(768, num_classes) if aux_logits else None
        self.Mixed_7a = TorchInceptionD(768)
        self.Mixed_7b = TorchInceptionE(1280)
        self.Mixed_7c = TorchInceptionE(2048)
        self.avgpool = TorchAdaptiveAvgPool2d((1, 1))
        self.dropout = TorchDropout(dropout)
        self.fc = TorchLinear(2048, num_classes)
        if init_weights is None or init_weights:
            torch_drawn_weights(self, 0.1)

    def forward(self, x: paddle.Tensor) -> Any:
        x = torch_as_imagenet(x) if self.transform_input else x
        x = self.maxpool1(self.Conv2d_2b_3x3(self.Conv2d_2a_3x3(self.Conv2d_1a_3x3(x))))
        x = self.maxpool2(self.Conv2d_4a_3x3(self.Conv2d_3b_1x1(x)))
        x = self.Mixed_6a(self.Mixed_5d(self.Mixed_5c(self.Mixed_5b(x))))
        x = self.Mixed_6e(self.Mixed_6d(self.Mixed_6c(self.Mixed_6b(x))))
        second = self.AuxLogits(x) if self.AuxLogits is not None and self.training else None
        x = self.Mixed_7c(self.Mixed_7b(self.Mixed_7a(x)))
        first = self.fc(self.dropout(self.avgpool(x)).flatten(1))
        outputs = self.training and self.aux_logits
        return TorchInceptionOutputs(first, second) if outputs else first
