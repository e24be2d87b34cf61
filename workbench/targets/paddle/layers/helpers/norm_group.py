"""Group, instance and local response normalisation as torch's."""

from __future__ import annotations

from typing import Any

import paddle

from workbench.targets.paddle.layers.helpers.norm import TorchNormBase
from workbench.targets.paddle.layers.helpers.pool import torch_own
from workbench.targets.paddle.math.helpers.dtypes import torch_inexact
from workbench.targets.paddle.modules.helpers.class_names import torch_named


def torch_group_norm(
    input: paddle.Tensor,
    num_groups: int,
    weight: paddle.Tensor | None = None,
    bias: paddle.Tensor | None = None,
    eps: float = 1e-05,
) -> paddle.Tensor:
    """`torch.nn.functional.group_norm`, over any number of dimensions after the channels."""
    flat = input.reshape([input.shape[0], input.shape[1], -1])
    # Paddle's gradient is wrong where there is no weight or no bias, and where a weight is 0, which
    # it divides by: weights are multiplied by here.
    one = paddle.ones([input.shape[1]], dtype=input.dtype)
    output = paddle.nn.functional.group_norm(
        flat, num_groups, float(eps), one, paddle.zeros_like(one), data_format="NCL"
    )
    if weight is not None:
        output = output * weight.unsqueeze(-1)
    if bias is not None:
        output = output + bias.unsqueeze(-1)
    return torch_own(output.reshape(input.shape))


@torch_named
class TorchGroupNorm(paddle.nn.Layer):
    """`torch.nn.GroupNorm`, with torch's attributes."""

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-05,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups:
            raise ValueError("num_channels must be divisible by num_groups")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = self._epsilon = eps  # as torch and Paddle call it
        self.affine = affine
        dtype = dtype or paddle.get_default_dtype()
        ones = paddle.nn.initializer.Constant(1.0)
        self.weight = self.bias = None
        if affine:
            shape = [num_channels]
            self.weight = self.create_parameter(shape, dtype=dtype, default_initializer=ones)
            if bias:
                self.bias = self.create_parameter(shape, dtype=dtype, is_bias=True)
        if device is not None:
            self.to(device)

    def reset_parameters(self) -> None:
        with paddle.no_grad():
            if self.weight is not None:
                self.weight.fill_(1)
            if self.bias is not None:
                self.bias.zero_()

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        return torch_group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


def torch_instance_norm(
    input: paddle.Tensor,
    running_mean: paddle.Tensor | None = None,
    running_var: paddle.Tensor | None = None,
    weight: paddle.Tensor | None = None,
    bias: paddle.Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-05,
) -> paddle.Tensor:
    """`torch.nn.functional.instance_norm`, running statistics included."""
    axes = list(range(2, input.ndim))
    spread = [1, input.shape[1], *[1] * len(axes)]
    if use_input_stats:
        if input[0, 0].size == 1:
            raise ValueError("Expected more than 1 spatial element when training")
        mean = input.mean(axis=axes, keepdim=True)
        var = input.var(axis=axes, unbiased=False, keepdim=True)
        with paddle.no_grad():
            count = input[0, 0].size
            if running_mean is not None:
                new = mean.mean(axis=0).flatten()
                paddle.assign((1 - momentum) * running_mean + momentum * new, running_mean)
            if running_var is not None:
                new = var.mean(axis=0).flatten() * (count / (count - 1))
                paddle.assign((1 - momentum) * running_var + momentum * new, running_var)
    else:
        if running_mean is None or running_var is None:
            raise RuntimeError("Expected running_mean and running_var to be given")
        mean, var = running_mean.reshape(spread), running_var.reshape(spread)
    output = (input - mean) * paddle.rsqrt(var + eps)
    if weight is not None:
        output = output * weight.reshape(spread)
    return output if bias is None else output + bias.reshape(spread)


class TorchInstanceNorm(TorchNormBase):
    """What torch's instance normalisation layers share; without parameters by default."""

    dims = 0

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-05,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        bias: bool = True,
    ) -> None:
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device, dtype, bias
        )

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        if input.ndim not in (self.dims + 1, self.dims + 2):
            raise ValueError(f"expected {self.dims + 1} or {self.dims + 2} dimensions")
        batched = input if input.ndim == self.dims + 2 else input.unsqueeze(0)
        output = torch_instance_norm(
            batched,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            self.momentum or 0.0,
            self.eps,
        )
        return output if input.ndim == self.dims + 2 else output.squeeze(0)


@torch_named
class TorchInstanceNorm1d(TorchInstanceNorm):
    """`torch.nn.InstanceNorm1d`."""

    dims = 1


@torch_named
class TorchInstanceNorm2d(TorchInstanceNorm):
    """`torch.nn.InstanceNorm2d`."""

    dims = 2


@torch_named
class TorchInstanceNorm3d(TorchInstanceNorm):
    """`torch.nn.InstanceNorm3d`."""

    dims = 3


def torch_local_response_norm(
    input: paddle.Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> paddle.Tensor:
    """`torch.nn.functional.local_response_norm`, over any number of dimensions."""
    channels = input.shape[1]
    whole = not input.is_floating_point()
    square = input.square().reshape([input.shape[0], 1, channels, -1])
    padded = paddle.nn.functional.pad(square, [0, 0, size // 2, (size - 1) // 2])
    windows = [padded[:, :, start : start + channels] for start in range(size)]
    total = paddle.add_n(windows)
    mean = total // size if whole else total / size
    return torch_inexact(input) / (mean.reshape(input.shape) * alpha + k) ** beta


@torch_named
class TorchLocalResponseNorm(paddle.nn.Layer):
    """`torch.nn.LocalResponseNorm`."""

    def __init__(
        self, size: int, alpha: float = 0.0001, beta: float = 0.75, k: float = 1.0
    ) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        return torch_local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
