"""Small networks for images, with the layers, names and weights of torchvision's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import paddle

from workbench.targets.paddle.layers.helpers.activation_inplace import (
    TorchHardsigmoid,
    TorchHardswish,
    TorchReLU,
)
from workbench.targets.paddle.layers.helpers.conv import TorchConv2d
from workbench.targets.paddle.layers.helpers.dropout import TorchDropout
from workbench.targets.paddle.layers.helpers.images import torch_channel_shuffle
from workbench.targets.paddle.layers.helpers.linear import TorchLinear
from workbench.targets.paddle.layers.helpers.norm import TorchBatchNorm2d
from workbench.targets.paddle.layers.helpers.pool_layers import (
    TorchAdaptiveAvgPool2d,
    TorchMaxPool2d,
)
from workbench.targets.paddle.modules.helpers.class_names import torch_called, torch_named
from workbench.targets.paddle.vision.helpers.networks.older_networks import (
    torch_fresh_weights,
    torch_rounded_width,
)
from workbench.targets.paddle.vision.helpers.ops.layers import (
    TorchConv2dNormActivation,
    TorchSqueezeExcitation,
)


def torch_conv_norm(before: int, after: int, size: int, stride: int = 1, **how: Any) -> list[Any]:
    """A convolution that keeps the size but for its stride, and its norm."""
    conv = TorchConv2d(before, after, size, stride, size // 2, bias=False, **how)
    return [conv, TorchBatchNorm2d(after)]


@torch_called("InvertedResidual")
class TorchShuffleUnit(paddle.nn.Layer):
    """The block of ShuffleNetV2: half of the channels pass, and all are shuffled."""

    def __init__(self, inp: int, oup: int, stride: int) -> None:
        super().__init__()
        if not 1 <= stride <= 3:
            raise ValueError("illegal stride value")
        self.stride = stride
        half = oup // 2
        if stride == 1 and inp != half * 2:
            raise ValueError(f"with a stride of 1 {inp} channels cannot become {oup}")
        first: list[Any] = []
        if stride > 1:
            first = torch_conv_norm(inp, inp, 3, stride, groups=inp)
            first += [*torch_conv_norm(inp, half, 1), TorchReLU(inplace=True)]
        self.branch1 = paddle.nn.Sequential(*first)
        self.branch2 = paddle.nn.Sequential(
            *torch_conv_norm(inp if stride > 1 else half, half, 1),
            TorchReLU(inplace=True),
            *torch_conv_norm(half, half, 3, stride, groups=half),
            *torch_conv_norm(half, half, 1),
            TorchReLU(inplace=True),
        )

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        if self.stride == 1:
            passed, rest = paddle.chunk(x, 2, axis=1)
            parts = [passed, self.branch2(rest)]
        else:
            parts = [self.branch1(x), self.branch2(x)]
        return torch_channel_shuffle(paddle.concat(parts, axis=1), 2)


@torch_named
class TorchShuffleNetV2(paddle.nn.Layer):
    """`torchvision.models.ShuffleNetV2`."""

    def __init__(
        self,
        stages_repeats: Sequence[int],
        stages_out_channels: Sequence[int],
        num_classes: int = 1000,
        inverted_residual: Any = TorchShuffleUnit,
    ) -> None:
        super().__init__()
        if len(stages_repeats) != 3:
            raise ValueError("expected stages_repeats as list of 3 positive ints")
        if len(stages_out_channels) != 5:
            raise ValueError("expected stages_out_channels as list of 5 positive ints")
        self._stage_out_channels = stages_out_channels
        width = stages_out_channels[0]
        self.conv1 = paddle.nn.Sequential(*torch_conv_norm(3, width, 3, 2), TorchReLU(inplace=True))
        self.maxpool = TorchMaxPool2d(3, 2, 1)
        for index in range(3):
            after = stages_out_channels[index + 1]
            units = [inverted_residual(width, after, 2)]
            for _ in range(stages_repeats[index] - 1):
                units.append(inverted_residual(after, after, 1))
            self.add_sublayer(f"stage{index + 2}", paddle.nn.Sequential(*units))
            width = after
        last = stages_out_channels[-1]
        self.conv5 = paddle.nn.Sequential(*torch_conv_norm(width, last, 1), TorchReLU(inplace=True))
        self.fc = TorchLinear(last, num_classes)

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        x = self.maxpool(self.conv1(x))
        x = self.conv5(self.stage4(self.stage3(self.stage2(x))))
        return self.fc(x.mean(axis=[2, 3]))


def torch_v3_norm(width: int) -> TorchBatchNorm2d:
    """The norm of MobileNetV3."""
    return TorchBatchNorm2d(width, eps=0.001, momentum=0.01)


@torch_called("InvertedResidual")
class TorchInvertedResidualV3(paddle.nn.Layer):
    """The block of MobileNetV3: wide inside, weighed by what it sees, with a shortcut."""

    def __init__(
        self,
        before: int,
        size: int,
        inside: int,
        after: int,
        weighed: bool,
        swish: bool,
        stride: int,
    ) -> None:
        super().__init__()
        self.use_res_connect = stride == 1 and before == after
        outer: dict[str, Any] = {
            "norm_layer": torch_v3_norm,
            "activation_layer": TorchHardswish if swish else TorchReLU,
        }
        layers: list[Any] = []
        if inside != before:
            layers.append(TorchConv2dNormActivation(before, inside, 1, **outer))
        layers.append(
            TorchConv2dNormActivation(inside, inside, size, stride, groups=inside, **outer)
        )
        if weighed:
            squeezed = torch_rounded_width(inside // 4, 8)
            layers.append(
                TorchSqueezeExcitation(inside, squeezed, scale_activation=TorchHardsigmoid)
            )
        layers.append(
            TorchConv2dNormActivation(
                inside, after, 1, norm_layer=torch_v3_norm, activation_layer=None
            )
        )
        self.block = paddle.nn.Sequential(*layers)
        self.out_channels = after

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        return self.block(input) + input if self.use_res_connect else self.block(input)


@torch_named
class TorchMobileNetV3(paddle.nn.Layer):
    """`torchvision.models.MobileNetV3`, of the blocks' settings."""

    def __init__(
        self,
        setting: Sequence[Sequence[Any]],
        last_channel: int,
        num_classes: int = 1000,
        dropout: float = 0.2,
    ) -> None:
        super().__init__()
        outer: dict[str, Any] = {
            "norm_layer": torch_v3_norm,
            "activation_layer": TorchHardswish,
        }
        after = setting[-1][3]
        self.features = paddle.nn.Sequential(
            TorchConv2dNormActivation(3, setting[0][0], 3, 2, **outer),
            *(TorchInvertedResidualV3(*one) for one in setting),
            TorchConv2dNormActivation(after, 6 * after, 1, **outer),
        )
        self.avgpool = TorchAdaptiveAvgPool2d(1)
        self.classifier = paddle.nn.Sequential(
            TorchLinear(6 * after, last_channel),
            TorchHardswish(inplace=True),
            TorchDropout(dropout, inplace=True),
            TorchLinear(last_channel, num_classes),
        )
        torch_fresh_weights(self)

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        return self.classifier(self.avgpool(self.features(x)).flatten(1))


def torch_mobilenet_v3(large: bool, **options: Any) -> TorchMobileNetV3:
    """`mobilenet_v3_large` and `mobilenet_v3_small`.

    A block is told by its channels before, the size of its kernel, its channels inside and after,
    whether these are weighed, whether it has a swish, and its stride.
    """
    if large:
        setting = [
            (16, 3, 16, 16, False, False, 1),
            (16, 3, 64, 24, False, False, 2),
            (24, 3, 72, 24, False, False, 1),
            (24, 5, 72, 40, True, False, 2),
            (40, 5, 120, 40, True, False, 1),
            (40, 5, 120, 40, True, False, 1),
            (40, 3, 240, 80, False, True, 2),
            (80, 3, 200, 80, False, True, 1),
            (80, 3, 184, 80, False, True, 1),
            (80, 3, 184, 80, False, True, 1),
            (80, 3, 480, 112, True, True, 1),
            (112, 3, 672, 112, True, True, 1),
            (112, 5, 672, 160, True, True, 2),
            (160, 5, 960, 160, True, True, 1),
            (160, 5, 960, 160, True, True, 1),
        ]
        return TorchMobileNetV3(setting, 1280, **options)
    setting = [
        (16, 3, 16, 16, True, False, 2),
        (16, 3, 72, 24, False, False, 2),
        (24, 3, 88, 24, False, False, 1),
        (24, 5, 96, 40, True, True, 2),
        (40, 5, 240, 40, True, True, 1),
        (40, 5, 240, 40, True, True, 1),
        (40, 5, 120, 48, True, True, 1),
        (48, 5, 144, 48, True, True, 1),
        (48, 5, 288, 96, True, True, 2),
        (96, 5, 576, 96, True, True, 1),
        (96, 5, 576, 96, True, True, 1),
    ]
    return TorchMobileNetV3(setting, 1024, **options)
