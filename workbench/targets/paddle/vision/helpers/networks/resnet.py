"""Residual networks with the layers, names and weights of torchvision's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import paddle

from workbench.targets.paddle.layers.helpers.activation_inplace import TorchReLU
from workbench.targets.paddle.layers.helpers.conv import TorchConv2d
from workbench.targets.paddle.layers.helpers.linear import TorchLinear
from workbench.targets.paddle.layers.helpers.norm import TorchBatchNorm2d
from workbench.targets.paddle.layers.helpers.pool_layers import (
    TorchAdaptiveAvgPool2d,
    TorchMaxPool2d,
)
from workbench.targets.paddle.modules.helpers.class_names import torch_named
from workbench.targets.paddle.modules.helpers.init import torch_init_kaiming_normal


@torch_named
class TorchBasicBlock(paddle.nn.Layer):
    """`torchvision.models.resnet.BasicBlock`: two convolutions beside a shortcut."""

    expansion = 1
    last_norm = "bn2"

    def __init__(
        self,
        inplanes: int,
        planes: int,
        stride: int = 1,
        downsample: paddle.nn.Layer | None = None,
        groups: int = 1,
        base_width: int = 64,
        dilation: int = 1,
        norm_layer: Any = None,
    ) -> None:
        super().__init__()
        if groups != 1 or base_width != 64:
            raise ValueError("BasicBlock only supports groups=1 and base_width=64")
        if dilation > 1:
            raise NotImplementedError("Dilation > 1 not supported in BasicBlock")
        norm = norm_layer or TorchBatchNorm2d
        self.conv1 = TorchConv2d(inplanes, planes, 3, stride, 1, bias=False)
        self.bn1 = norm(planes)
        self.relu = TorchReLU(inplace=True)
        self.conv2 = TorchConv2d(planes, planes, 3, 1, 1, bias=False)
        self.bn2 = norm(planes)
        self.downsample = downsample
        self.stride = stride

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        shortcut = x if self.downsample is None else self.downsample(x)
        x = self.relu(self.bn1(self.conv1(x)))
        return self.relu(self.bn2(self.conv2(x)) + shortcut)


@torch_named
class TorchBottleneck(paddle.nn.Layer):
    """`torchvision.models.resnet.Bottleneck`: three convolutions beside a shortcut."""

    expansion = 4
    last_norm = "bn3"

    def __init__(
        self,
        inplanes: int,
        planes: int,
        stride: int = 1,
        downsample: paddle.nn.Layer | None = None,
        groups: int = 1,
        base_width: int = 64,
        dilation: int = 1,
        norm_layer: Any = None,
    ) -> None:
        super().__init__()
        norm = norm_layer or TorchBatchNorm2d
        width = int(planes * (base_width / 64.0)) * groups
        self.conv1 = TorchConv2d(inplanes, width, 1, bias=False)
        self.bn1 = norm(width)
        self.conv2 = TorchConv2d(
            width, width, 3, stride, dilation, dilation=dilation, groups=groups, bias=False
        )
        self.bn2 = norm(width)
        self.conv3 = TorchConv2d(width, planes * self.expansion, 1, bias=False)
        self.bn3 = norm(planes * self.expansion)
        self.relu = TorchReLU(inplace=True)
        self.downsample = downsample
        self.stride = stride

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        shortcut = x if self.downsample is None else self.downsample(x)
        x = self.relu(self.bn1(self.conv1(x)))
        x = self.relu(self.bn2(self.conv2(x)))
        return self.relu(self.bn3(self.conv3(x)) + shortcut)


@torch_named
class TorchResNet(paddle.nn.Layer):
    """`torchvision.models.ResNet`."""

    def __init__(
        self,
        block: Any,
        layers: Sequence[int],
        num_classes: int = 1000,
        zero_init_residual: bool = False,
        groups: int = 1,
        width_per_group: int = 64,
        replace_stride_with_dilation: Sequence[bool] | None = None,
        norm_layer: Any = None,
    ) -> None:
        super().__init__()
        dilated = replace_stride_with_dilation or [False, False, False]
        if len(dilated) != 3:
            raise ValueError(
                f"replace_stride_with_dilation should be None or a 3-element tuple, got {dilated}"
            )
        self.inplanes = 64
        self.dilation = 1
        self.groups = groups
        self.base_width = width_per_group
        self._norm_layer = norm_layer or TorchBatchNorm2d
        self.conv1 = TorchConv2d(3, 64, 7, 2, 3, bias=False)
        self.bn1 = self._norm_layer(64)
        self.relu = TorchReLU(inplace=True)
        self.maxpool = TorchMaxPool2d(3, 2, 1)
        self.layer1 = self._make_layer(block, 64, layers[0])
        self.layer2 = self._make_layer(block, 128, layers[1], 2, dilated[0])
        self.layer3 = self._make_layer(block, 256, layers[2], 2, dilated[1])
        self.layer4 = self._make_layer(block, 512, layers[3], 2, dilated[2])
        self.avgpool = TorchAdaptiveAvgPool2d((1, 1))
        self.fc = TorchLinear(512 * block.expansion, num_classes)
        for layer in self.sublayers():
            if isinstance(layer, TorchConv2d):
                torch_init_kaiming_normal(layer.weight, mode="fan_out", nonlinearity="relu")
            elif zero_init_residual and isinstance(layer, TorchBasicBlock | TorchBottleneck):
                last = getattr(layer, layer.last_norm)
                last.weight.set_value(paddle.zeros_like(last.weight))

    def _make_layer(
        self, block: Any, planes: int, blocks: int, stride: int = 1, dilate: bool = False
    ) -> paddle.nn.Sequential:
        first_dilation = self.dilation
        if dilate:
            self.dilation *= stride
            stride = 1
        downsample = None
        if stride != 1 or self.inplanes != planes * block.expansion:
            downsample = paddle.nn.Sequential(
                TorchConv2d(self.inplanes, planes * block.expansion, 1, stride, bias=False),
                self._norm_layer(planes * block.expansion),
            )
        rest = (self.groups, self.base_width)
        made = [
            block(
                self.inplanes, planes, stride, downsample, *rest, first_dilation, self._norm_layer
            )
        ]
        self.inplanes = planes * block.expansion
        for _ in range(1, blocks):
            more = block(self.inplanes, planes, 1, None, *rest, self.dilation, self._norm_layer)
            made.append(more)
        return paddle.nn.Sequential(*made)

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(self.avgpool(x).flatten(1))
