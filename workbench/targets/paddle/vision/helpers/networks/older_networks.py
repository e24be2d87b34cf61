"""Older networks for images, with the layers, names and weights of torchvision's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import paddle

from workbench.targets.paddle.layers.helpers.activation_inplace import TorchReLU, TorchReLU6
from workbench.targets.paddle.layers.helpers.conv import TorchConv2d
from workbench.targets.paddle.layers.helpers.dropout import TorchDropout
from workbench.targets.paddle.layers.helpers.linear import TorchLinear
from workbench.targets.paddle.layers.helpers.norm import TorchBatchNorm2d
from workbench.targets.paddle.layers.helpers.pool_layers import (
    TorchAdaptiveAvgPool2d,
    TorchAvgPool2d,
    TorchMaxPool2d,
)
from workbench.targets.paddle.modules.helpers.class_names import torch_called, torch_named
from workbench.targets.paddle.modules.helpers.init import (
    torch_init_kaiming_normal,
    torch_init_kaiming_uniform,
)
from workbench.targets.paddle.vision.helpers.ops.layers import TorchConv2dNormActivation


def torch_drawn_normal(parameter: Any, deviation: float = 0.01) -> None:
    """Draw a parameter from a normal distribution about 0."""
    drawn = paddle.randn(parameter.shape, dtype=parameter.dtype) * deviation
    parameter.set_value(drawn)


def torch_set_zero(parameter: Any) -> None:
    """Set a parameter to 0, where there is one."""
    if parameter is not None:
        parameter.set_value(paddle.zeros_like(parameter))


def torch_fresh_weights(net: paddle.nn.Layer) -> None:
    """Draw the weights as VGG and the MobileNets do, convolutions by what they hand on."""
    for layer in net.sublayers():
        if isinstance(layer, TorchConv2d):
            torch_init_kaiming_normal(layer.weight, mode="fan_out")
            torch_set_zero(layer.bias)
        elif isinstance(layer, TorchLinear):
            torch_drawn_normal(layer.weight)
            torch_set_zero(layer.bias)


@torch_named
class TorchAlexNet(paddle.nn.Layer):
    """`torchvision.models.AlexNet`."""

    def __init__(self, num_classes: int = 1000, dropout: float = 0.5) -> None:
        super().__init__()
        layers: list[Any] = []
        for before, after, size, stride, padding, pooled in (
            (3, 64, 11, 4, 2, True),
            (64, 192, 5, 1, 2, True),
            (192, 384, 3, 1, 1, False),
            (384, 256, 3, 1, 1, False),
            (256, 256, 3, 1, 1, True),
        ):
            layers += [TorchConv2d(before, after, size, stride, padding), TorchReLU(inplace=True)]
            layers += [TorchMaxPool2d(3, 2)] if pooled else []
        self.features = paddle.nn.Sequential(*layers)
        self.avgpool = TorchAdaptiveAvgPool2d((6, 6))
        self.classifier = paddle.nn.Sequential(
            TorchDropout(dropout),
            TorchLinear(9216, 4096),
            TorchReLU(inplace=True),
            TorchDropout(dropout),
            TorchLinear(4096, 4096),
            TorchReLU(inplace=True),
            TorchLinear(4096, num_classes),
        )

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        return self.classifier(self.avgpool(self.features(x)).flatten(1))


@torch_named
class TorchVGG(paddle.nn.Layer):
    """`torchvision.models.VGG`."""

    def __init__(
        self,
        features: Any,
        num_classes: int = 1000,
        init_weights: bool = True,
        dropout: float = 0.5,
    ) -> None:
        super().__init__()
        self.features = features
        self.avgpool = TorchAdaptiveAvgPool2d((7, 7))
        self.classifier = paddle.nn.Sequential(
            TorchLinear(25088, 4096),
            TorchReLU(inplace=True),
            TorchDropout(dropout),
            TorchLinear(4096, 4096),
            TorchReLU(inplace=True),
            TorchDropout(dropout),
            TorchLinear(4096, num_classes),
        )
        if init_weights:
            torch_fresh_weights(self)

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        return self.classifier(self.avgpool(self.features(x)).flatten(1))


def torch_vgg(counts: Sequence[int], batch_norm: bool, **options: Any) -> TorchVGG:
    """One of torchvision's, by how many convolutions there are before each pooling."""
    layers: list[Any] = []
    before = 3
    for count, after in zip(counts, (64, 128, 256, 512, 512), strict=True):
        for _ in range(count):
            layers.append(TorchConv2d(before, after, 3, padding=1))
            layers += [TorchBatchNorm2d(after)] if batch_norm else []
            layers.append(TorchReLU(inplace=True))
            before = after
        layers.append(TorchMaxPool2d(2, 2))
    return TorchVGG(paddle.nn.Sequential(*layers), **options)


@torch_named
class TorchFire(paddle.nn.Layer):
    """The block of SqueezeNet: a narrow convolution, and two wide ones side by side."""

    def __init__(self, inplanes: int, squeeze: int, expand: int) -> None:
        super().__init__()
        self.squeeze = TorchConv2d(inplanes, squeeze, 1)
        self.squeeze_activation = TorchReLU(inplace=True)
        self.expand1x1 = TorchConv2d(squeeze, expand, 1)
        self.expand1x1_activation = TorchReLU(inplace=True)
        self.expand3x3 = TorchConv2d(squeeze, expand, 3, padding=1)
        self.expand3x3_activation = TorchReLU(inplace=True)

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        x = self.squeeze_activation(self.squeeze(x))
        both = [
            self.expand1x1_activation(self.expand1x1(x)),
            self.expand3x3_activation(self.expand3x3(x)),
        ]
        return paddle.concat(both, axis=1)


@torch_named
class TorchSqueezeNet(paddle.nn.Layer):
    """`torchvision.models.SqueezeNet`."""

    def __init__(self, version: str = "1_0", num_classes: int = 1000, dropout: float = 0.5) -> None:
        super().__init__()
        if version not in ("1_0", "1_1"):
            raise ValueError(f"Unsupported SqueezeNet version {version}: 1_0 or 1_1 expected")
        width, size, pooled = (96, 7, (2, 6)) if version == "1_0" else (64, 3, (1, 3))
        self.num_classes = num_classes
        layers: list[Any] = [TorchConv2d(3, width, size, 2), TorchReLU(inplace=True)]
        layers.append(TorchMaxPool2d(3, 2, ceil_mode=True))
        wide = (64, 64, 128, 128, 192, 192, 256, 256)
        for place, half in enumerate(wide):
            layers.append(TorchFire(width, half // 4, half))
            width = 2 * half
            if place in pooled:
                layers.append(TorchMaxPool2d(3, 2, ceil_mode=True))
        self.features = paddle.nn.Sequential(*layers)
        last = TorchConv2d(512, num_classes, 1)
        self.classifier = paddle.nn.Sequential(
            TorchDropout(dropout),
            last,
            TorchReLU(inplace=True),
            TorchAdaptiveAvgPool2d((1, 1)),
        )
        for layer in self.sublayers():
            if isinstance(layer, TorchConv2d):
                if layer is last:
                    torch_drawn_normal(layer.weight)
                else:
                    torch_init_kaiming_uniform(layer.weight)
                torch_set_zero(layer.bias)

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        return self.classifier(self.features(x)).flatten(1)


@torch_named
class TorchInvertedResidual(paddle.nn.Layer):
    """The block of MobileNetV2: wide inside, narrow outside, with a shortcut."""

    def __init__(
        self, inp: int, oup: int, stride: int, expand_ratio: float, norm_layer: Any = None
    ) -> None:
        super().__init__()
        if stride not in (1, 2):
            raise ValueError(f"stride should be 1 or 2 instead of {stride}")
        norm = norm_layer or TorchBatchNorm2d
        inside = round(inp * expand_ratio)
        self.stride = stride
        self.use_res_connect = stride == 1 and inp == oup
        first = TorchConv2dNormActivation(
            inp, inside, 1, norm_layer=norm, activation_layer=TorchReLU6
        )
        deep = TorchConv2dNormActivation(
            inside,
            inside,
            stride=stride,
            groups=inside,
            norm_layer=norm,
            activation_layer=TorchReLU6,
        )
        rest = [deep, TorchConv2d(inside, oup, 1, bias=False), norm(oup)]
        self.conv = paddle.nn.Sequential(*([first] if expand_ratio != 1 else []), *rest)
        self.out_channels = oup

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        return x + self.conv(x) if self.use_res_connect else self.conv(x)


def torch_rounded_width(width: float, step: int) -> int:
    """A number of channels that is a multiple of a step, and not much smaller than it was."""
    rounded = max(step, int(width + step / 2) // step * step)
    return rounded if rounded >= 0.9 * width else rounded + step


@torch_named
class TorchMobileNetV2(paddle.nn.Layer):
    """`torchvision.models.MobileNetV2`."""

    def __init__(
        self,
        num_classes: int = 1000,
        width_mult: float = 1.0,
        inverted_residual_setting: Any = None,
        round_nearest: int = 8,
        block: Any = None,
        norm_layer: Any = None,
        dropout: float = 0.2,
    ) -> None:
        super().__init__()
        block, norm = block or TorchInvertedResidual, norm_layer or TorchBatchNorm2d
        setting = inverted_residual_setting or [
            [1, 16, 1, 1],
            [6, 24, 2, 2],
            [6, 32, 3, 2],
            [6, 64, 4, 2],
            [6, 96, 3, 1],
            [6, 160, 3, 2],
            [6, 320, 1, 1],
        ]
        width = torch_rounded_width(32 * width_mult, round_nearest)
        self.last_channel = torch_rounded_width(1280 * max(1.0, width_mult), round_nearest)
        outer: dict[str, Any] = {"norm_layer": norm, "activation_layer": TorchReLU6}
        layers: list[Any] = [TorchConv2dNormActivation(3, width, stride=2, **outer)]
        for ratio, channels, count, stride in setting:
            after = torch_rounded_width(channels * width_mult, round_nearest)
            for place in range(count):
                step = stride if place == 0 else 1
                layers.append(block(width, after, step, expand_ratio=ratio, norm_layer=norm))
                width = after
        layers.append(TorchConv2dNormActivation(width, self.last_channel, 1, **outer))
        self.features = paddle.nn.Sequential(*layers)
        self.classifier = paddle.nn.Sequential(
            TorchDropout(dropout), TorchLinear(self.last_channel, num_classes)
        )
        torch_fresh_weights(self)

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        return self.classifier(self.features(x).mean(axis=[2, 3]))


@torch_called("_DenseLayer")
class TorchDenseLayer(paddle.nn.Layer):
    """A layer of DenseNet: it adds channels to all that came before."""

    def __init__(self, width: int, growth_rate: int, bn_size: int, drop_rate: float) -> None:
        super().__init__()
        self.norm1 = TorchBatchNorm2d(width)
        self.relu1 = TorchReLU(inplace=True)
        self.conv1 = TorchConv2d(width, bn_size * growth_rate, 1, bias=False)
        self.norm2 = TorchBatchNorm2d(bn_size * growth_rate)
        self.relu2 = TorchReLU(inplace=True)
        self.conv2 = TorchConv2d(bn_size * growth_rate, growth_rate, 3, padding=1, bias=False)
        self.drop_rate = float(drop_rate)

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        x = self.conv1(self.relu1(self.norm1(x)))
        x = self.conv2(self.relu2(self.norm2(x)))
        return paddle.nn.functional.dropout(x, self.drop_rate, training=self.training)


@torch_called("_DenseBlock")
class TorchDenseBlock(paddle.nn.Layer):
    """A block of DenseNet: each layer sees all before it."""

    def __init__(
        self, count: int, width: int, growth_rate: int, bn_size: int, drop_rate: float
    ) -> None:
        super().__init__()
        for place in range(count):
            layer = TorchDenseLayer(width + place * growth_rate, growth_rate, bn_size, drop_rate)
            self.add_sublayer(f"denselayer{place + 1}", layer)

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        for layer in self.children():
            x = paddle.concat([x, layer(x)], axis=1)
        return x


@torch_called("_Transition")
class TorchTransition(paddle.nn.Sequential):
    """What lies between two blocks of DenseNet."""


@torch_named
class TorchDenseNet(paddle.nn.Layer):
    """`torchvision.models.DenseNet`."""

    def __init__(
        self,
        growth_rate: int = 32,
        block_config: Sequence[int] = (6, 12, 24, 16),
        num_init_features: int = 64,
        bn_size: int = 4,
        drop_rate: float = 0,
        num_classes: int = 1000,
        memory_efficient: bool = False,
    ) -> None:
        super().__init__()
        width = num_init_features
        self.features = paddle.nn.Sequential(
            ("conv0", TorchConv2d(3, width, 7, 2, 3, bias=False)),
            ("norm0", TorchBatchNorm2d(width)),
            ("relu0", TorchReLU(inplace=True)),
            ("pool0", TorchMaxPool2d(3, 2, 1)),
        )
        for place, count in enumerate(block_config, start=1):
            block = TorchDenseBlock(count, width, growth_rate, bn_size, drop_rate)
            self.features.add_sublayer(f"denseblock{place}", block)
            width += count * growth_rate
            if place < len(block_config):
                between = TorchTransition(
                    ("norm", TorchBatchNorm2d(width)),
                    ("relu", TorchReLU(inplace=True)),
                    ("conv", TorchConv2d(width, width // 2, 1, bias=False)),
                    ("pool", TorchAvgPool2d(2, 2)),
                )
                self.features.add_sublayer(f"transition{place}", between)
                width //= 2
        self.features.add_sublayer("norm5", TorchBatchNorm2d(width))
        self.classifier = TorchLinear(width, num_classes)
        for layer in self.sublayers():
            if isinstance(layer, TorchConv2d):
                torch_init_kaiming_normal(layer.weight)
        torch_set_zero(self.classifier.bias)

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        x = paddle.nn.functional.relu(self.features(x))
        return self.classifier(x.mean(axis=[2, 3]))
