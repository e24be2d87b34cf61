"""Layers and losses of torchvision's operators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import paddle

from workbench.targets.paddle.layers.helpers.activation_inplace import TorchReLU
from workbench.targets.paddle.layers.helpers.conv import TorchConv2d
from workbench.targets.paddle.layers.helpers.dropout import TorchDropout
from workbench.targets.paddle.layers.helpers.linear import TorchLinear
from workbench.targets.paddle.layers.helpers.norm import TorchBatchNorm2d
from workbench.targets.paddle.layers.helpers.pool_layers import TorchAdaptiveAvgPool2d
from workbench.targets.paddle.modules.helpers.class_names import torch_named


@torch_named
class TorchConv2dNormActivation(paddle.nn.Sequential):
    """`torchvision.ops.Conv2dNormActivation`."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any = 3,
        stride: Any = 1,
        padding: Any = None,
        groups: int = 1,
        norm_layer: Any = TorchBatchNorm2d,
        activation_layer: Any = TorchReLU,
        dilation: Any = 1,
        inplace: bool | None = True,
        bias: bool | None = None,
    ) -> None:
        if padding is None and isinstance(kernel_size, int) and isinstance(dilation, int):
            padding = (kernel_size - 1) // 2 * dilation
        elif padding is None:
            size = [kernel_size] * 2 if isinstance(kernel_size, int) else kernel_size
            step = [dilation] * 2 if isinstance(dilation, int) else dilation
            padding = tuple((size[axis] - 1) // 2 * step[axis] for axis in range(2))
        layers = [
            TorchConv2d(
                in_channels,
                out_channels,
                kernel_size,
                stride,
                padding,
                dilation=dilation,
                groups=groups,
                bias=norm_layer is None if bias is None else bias,
            )
        ]
        if norm_layer is not None:
            layers.append(norm_layer(out_channels))
        if activation_layer is not None:
            layers.append(activation_layer(**({} if inplace is None else {"inplace": inplace})))
        super().__init__(*layers)
        self.out_channels = out_channels


@torch_named
class TorchSqueezeExcitation(paddle.nn.Layer):
    """`torchvision.ops.SqueezeExcitation`."""

    def __init__(
        self,
        input_channels: int,
        squeeze_channels: int,
        activation: Any = TorchReLU,
        scale_activation: Any = paddle.nn.Sigmoid,
    ) -> None:
        super().__init__()
        self.avgpool = TorchAdaptiveAvgPool2d(1)
        self.fc1 = TorchConv2d(input_channels, squeeze_channels, 1)
        self.fc2 = TorchConv2d(squeeze_channels, input_channels, 1)
        self.activation = activation()
        self.scale_activation = scale_activation()

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        squeezed = self.activation(self.fc1(self.avgpool(input)))
        return self.scale_activation(self.fc2(squeezed)) * input


@torch_named
class TorchMLP(paddle.nn.Sequential):
    """`torchvision.ops.MLP`."""

    def __init__(
        self,
        in_channels: int,
        hidden_channels: Sequence[int],
        norm_layer: Any = None,
        activation_layer: Any = TorchReLU,
        inplace: bool | None = None,
        bias: bool = True,
        dropout: float = 0.0,
    ) -> None:
        given = {} if inplace is None else {"inplace": inplace}
        layers: list[paddle.nn.Layer] = []
        width = in_channels
        for place, channels in enumerate(hidden_channels):
            layers.append(TorchLinear(width, channels, bias=bias))
            if place < len(hidden_channels) - 1:
                layers += [] if norm_layer is None else [norm_layer(channels)]
                layers.append(activation_layer(**given))
            layers.append(TorchDropout(dropout, **given))
            width = channels
        super().__init__(*layers)


@torch_named
class TorchPermute(paddle.nn.Layer):
    """`torchvision.ops.Permute`."""

    def __init__(self, dims: Sequence[int]) -> None:
        super().__init__()
        self.dims = dims

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        return paddle.transpose(x, list(self.dims))


@torch_named
class TorchFrozenBatchNorm2d(paddle.nn.Layer):
    """`torchvision.ops.FrozenBatchNorm2d`: statistics and affine parameters never change."""

    def __init__(self, num_features: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.register_buffer("weight", paddle.ones([num_features]))
        self.register_buffer("bias", paddle.zeros([num_features]))
        self.register_buffer("running_mean", paddle.zeros([num_features]))
        self.register_buffer("running_var", paddle.ones([num_features]))

    def extra_repr(self) -> str:
        return f"{self.weight.shape[0]}, eps={self.eps}"

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        shape = [1, -1, 1, 1]
        scale = self.weight.reshape(shape) * (self.running_var.reshape(shape) + self.eps).rsqrt()
        return x * scale + (self.bias.reshape(shape) - self.running_mean.reshape(shape) * scale)


def torch_stochastic_depth(
    input: paddle.Tensor, p: float, mode: str, training: bool = True
) -> paddle.Tensor:
    """`torchvision.ops.stochastic_depth`: drops a whole batch, or rows of it."""
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"drop probability has to be between 0 and 1, but got {p}")
    if mode not in ("batch", "row"):
        raise ValueError(f"mode has to be either 'batch' or 'row', but got {mode}")
    if not training or p == 0.0:
        return input
    kept = 1.0 - p
    shape = [input.shape[0] if mode == "row" else 1] + [1] * (input.ndim - 1)
    noise = paddle.bernoulli(paddle.full(shape, kept, dtype=input.dtype))
    return input * (noise / kept if kept > 0.0 else noise)


@torch_named
class TorchStochasticDepth(paddle.nn.Layer):
    """`torchvision.ops.StochasticDepth`."""

    def __init__(self, p: float, mode: str) -> None:
        super().__init__()
        self.p = p
        self.mode = mode

    def extra_repr(self) -> str:
        return f"p={self.p}, mode={self.mode}"

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        return torch_stochastic_depth(input, self.p, self.mode, self.training)


def torch_sigmoid_focal_loss(
    inputs: paddle.Tensor,
    targets: paddle.Tensor,
    alpha: float = 0.25,
    gamma: float = 2,
    reduction: str = "none",
) -> paddle.Tensor:
    """`torchvision.ops.sigmoid_focal_loss`."""
    if not 0 <= alpha <= 1 and alpha != -1:
        raise ValueError(f"Invalid alpha value: {alpha}. alpha must be in the range [0,1] or -1.")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"Invalid Value for arg 'reduction': '{reduction}'")
    chance = paddle.nn.functional.sigmoid(inputs)
    # Paddle's own loss of logits has another slope at exactly 0.
    plain = (1 - targets) * inputs - paddle.nn.functional.log_sigmoid(inputs)
    right = chance * targets + (1 - chance) * (1 - targets)
    loss = plain * (1 - right) ** gamma
    if alpha >= 0:
        loss = (alpha * targets + (1 - alpha) * (1 - targets)) * loss
    if reduction == "none":
        return loss
    return loss.mean() if reduction == "mean" else loss.sum()
