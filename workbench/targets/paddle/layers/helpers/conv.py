"""Convolutions that take what torch's take: unbatched inputs, every padding, torch's attributes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import paddle

from workbench.targets.paddle.modules.helpers.class_names import torch_named


def torch_tuple(value: int | Sequence[int], length: int) -> tuple[int, ...]:
    """A size for each of `length` dimensions, of one number or of as many as there are."""
    if isinstance(value, int):
        return (value,) * length
    values = tuple(int(item) for item in value)
    return values * length if len(values) == 1 else values


def torch_same_padding(kernel: Sequence[int], dilation: Sequence[int]) -> list[int]:
    """What `padding="same"` adds before and after each dimension; the odd one comes after."""
    added = []
    for size, step in zip(kernel, dilation, strict=True):
        total = step * (size - 1)
        added += [total // 2, total - total // 2]
    return added


def torch_conv(
    input: paddle.Tensor,
    weight: paddle.Tensor,
    bias: paddle.Tensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] | str = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
) -> paddle.Tensor:
    """`torch.nn.functional.conv1d`, `conv2d` and `conv3d`: the weight tells the dimensions."""
    dims = weight.ndim - 2
    convolve = {
        1: paddle.nn.functional.conv1d,
        2: paddle.nn.functional.conv2d,
        3: paddle.nn.functional.conv3d,
    }[dims]
    steps = torch_tuple(dilation, dims)
    if padding == "same":
        around = torch_same_padding(weight.shape[2:], steps)
    elif isinstance(padding, str):
        around = [0] * dims
    else:
        around = list(torch_tuple(padding, dims))
    if len(around) == 2 * dims and around[0::2] == around[1::2]:
        around = around[0::2]
    batched = input if input.ndim == dims + 2 else input.unsqueeze(0)
    output = torch_convolved(
        convolve,
        batched,
        weight,
        bias,
        stride=list(torch_tuple(stride, dims)),
        padding=around,
        dilation=list(steps),
        groups=groups,
    )
    return output if input.ndim == dims + 2 else output.squeeze(0)


def torch_convolved(
    convolve: Callable[..., paddle.Tensor],
    input: paddle.Tensor,
    weight: paddle.Tensor,
    bias: paddle.Tensor | None,
    **options: Any,
) -> paddle.Tensor:
    """A convolution, of whole and of complex numbers too, for which Paddle has no kernels."""
    if input.is_floating_point():
        return convolve(input, weight, bias, **options)
    if input.is_complex():
        parts, others = (input.real(), input.imag()), (weight.real(), weight.imag())
        (rr, ri), (ir, ii) = (
            [convolve(part, other, None, **options) for other in others] for part in parts
        )
        output = paddle.complex(rr - ii, ri + ir)
    else:
        output = convolve(input.astype("float64"), weight.astype("float64"), None, **options)
        output = output.astype(input.dtype)
    return output if bias is None else output + bias.reshape([-1] + [1] * (input.ndim - 2))


class TorchConvNd(paddle.nn.Layer):
    """What torch's convolution layers share: attributes, initial values, padding modes."""

    dims = 0
    transposed = False

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] = 1,
        padding: int | Sequence[int] | str = 0,
        dilation: int | Sequence[int] = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if in_channels % groups or out_channels % groups:
            raise ValueError("in_channels and out_channels must be divisible by groups")
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = torch_tuple(kernel_size, self.dims)
        self.stride = torch_tuple(stride, self.dims)
        self.padding: Any = padding if isinstance(padding, str) else torch_tuple(padding, self.dims)
        self.dilation = torch_tuple(dilation, self.dims)
        self.output_padding = (0,) * self.dims
        self.groups = groups
        self.padding_mode = padding_mode
        if self.padding == "same" and any(step != 1 for step in self.stride):
            raise ValueError("padding='same' is not supported for strided convolutions")
        channels = [out_channels, in_channels // groups]
        if self.transposed:
            channels = [in_channels, out_channels // groups]
        dtype = dtype or paddle.get_default_dtype()
        self.weight = self.create_parameter([*channels, *self.kernel_size], dtype=dtype)
        self.bias = self.create_parameter([out_channels], dtype=dtype) if bias else None
        self.reset_parameters()
        if device is not None:
            self.to(device)

    def reset_parameters(self) -> None:
        fan_in = self.weight.shape[1] * math.prod(self.kernel_size)
        bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
        with paddle.no_grad():
            self.weight.uniform_(-bound, bound)
            if self.bias is not None:
                self.bias.uniform_(-bound, bound)

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        return self._conv_forward(input, self.weight, self.bias)

    def _conv_forward(
        self, input: paddle.Tensor, weight: paddle.Tensor, bias: paddle.Tensor | None
    ) -> paddle.Tensor:
        padding: Any = self.padding
        if self.padding_mode != "zeros":
            input = self.pad_around(input)
            padding = 0
        return torch_conv(input, weight, bias, self.stride, padding, self.dilation, self.groups)

    def pad_around(self, input: paddle.Tensor) -> paddle.Tensor:
        """The input padded as `padding_mode` says."""
        if self.padding == "same":
            around = torch_same_padding(self.kernel_size, self.dilation)
        elif self.padding == "valid":
            return input
        else:
            around = [size for size in self.padding for _ in range(2)]
        pairs = [around[i : i + 2] for i in range(0, len(around), 2)]
        last_first = [size for pair in reversed(pairs) for size in pair]
        batched = input if input.ndim == self.dims + 2 else input.unsqueeze(0)
        layout = {1: "NCL", 2: "NCHW", 3: "NCDHW"}[self.dims]
        padded = paddle.nn.functional.pad(
            batched, last_first, mode=self.padding_mode, data_format=layout
        )
        return padded if input.ndim == self.dims + 2 else padded.squeeze(0)

    def extra_repr(self) -> str:
        parts = [
            f"{self.in_channels}, {self.out_channels}",
            f"kernel_size={self.kernel_size}, stride={self.stride}",
        ]
        for name, usual in (("padding", 0), ("dilation", 1), ("output_padding", 0)):
            if getattr(self, name) != (usual,) * self.dims:
                parts.append(f"{name}={getattr(self, name)}")
        if self.groups != 1:
            parts.append(f"groups={self.groups}")
        if self.bias is None:
            parts.append("bias=False")
        if self.padding_mode != "zeros":
            parts.append(f"padding_mode={self.padding_mode}")
        return ", ".join(parts)


@torch_named
class TorchConv1d(TorchConvNd):
    """`torch.nn.Conv1d`, with torch's attributes and initial values."""

    dims = 1


@torch_named
class TorchConv2d(TorchConvNd):
    """`torch.nn.Conv2d`, with torch's attributes and initial values."""

    dims = 2


@torch_named
class TorchConv3d(TorchConvNd):
    """`torch.nn.Conv3d`, with torch's attributes and initial values."""

    dims = 3
