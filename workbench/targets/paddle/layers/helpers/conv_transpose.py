"""Transposed convolutions that take what torch's take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import paddle

from workbench.targets.paddle.layers.helpers.conv import TorchConvNd, torch_convolved, torch_tuple
from workbench.targets.paddle.modules.helpers.class_names import torch_named


def torch_conv_transpose(
    input: paddle.Tensor,
    weight: paddle.Tensor,
    bias: paddle.Tensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    output_padding: int | Sequence[int] = 0,
    groups: int = 1,
    dilation: int | Sequence[int] = 1,
) -> paddle.Tensor:
    """`torch.nn.functional.conv_transpose1d` to `3d`: the weight tells the dimensions."""
    dims = weight.ndim - 2
    convolve = {
        1: paddle.nn.functional.conv1d_transpose,
        2: paddle.nn.functional.conv2d_transpose,
        3: paddle.nn.functional.conv3d_transpose,
    }[dims]
    batched = input if input.ndim == dims + 2 else input.unsqueeze(0)
    step, pad = torch_tuple(stride, dims), torch_tuple(padding, dims)
    extra, gap = torch_tuple(output_padding, dims), torch_tuple(dilation, dims)
    if all(more < size for more, size in zip(extra, step, strict=True)):
        output = torch_convolved(
            convolve,
            batched,
            weight,
            bias,
            stride=list(step),
            padding=list(pad),
            output_padding=list(extra),
            dilation=list(gap),
            groups=groups,
        )
    else:  # torch takes it as far as the dilation goes, Paddle as far as the stride
        options = {"stride": list(step), "dilation": list(gap), "groups": groups}
        output = torch_convolved(convolve, batched, weight, None, **options)
        edges = [side for more in reversed(extra) for side in (0, more)]
        layout = {1: "NCL", 2: "NCHW", 3: "NCDHW"}[dims]
        output = paddle.nn.functional.pad(output, edges, data_format=layout)
        ends = [size - side for size, side in zip(output.shape[2:], pad, strict=True)]
        output = output[(..., *(slice(*each) for each in zip(pad, ends, strict=True)))]
        if bias is not None:
            # Dimension by dimension: so Paddle rounds the sums of its gradient less than in one.
            around = bias.reshape([-1] + [1] * dims)
            for axis in range(-1, -dims, -1):
                around = around.expand([*around.shape[:axis], *output.shape[axis:]])
            output = output + around
    return output if input.ndim == dims + 2 else output.squeeze(0)


class TorchConvTransposeNd(TorchConvNd):
    """What torch's transposed convolutions share; `output_size` may be given to the call."""

    transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] = 1,
        padding: int | Sequence[int] = 0,
        output_padding: int | Sequence[int] = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: int | Sequence[int] = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if padding_mode != "zeros":
            raise ValueError("only padding_mode='zeros' is supported for transposed convolutions")
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )
        self.output_padding = torch_tuple(output_padding, self.dims)

    def forward(
        self, input: paddle.Tensor, output_size: Sequence[int] | None = None
    ) -> paddle.Tensor:
        extra = self.output_padding
        if output_size is not None:
            wanted = list(output_size)[-self.dims :]
            around = zip(
                input.shape[-self.dims :],
                self.stride,
                self.padding,
                self.dilation,
                self.kernel_size,
                strict=True,
            )
            smallest = [
                (size - 1) * stride - 2 * padding + dilation * (kernel - 1) + 1
                for size, stride, padding, dilation, kernel in around
            ]
            extra = tuple(size - least for size, least in zip(wanted, smallest, strict=True))
            if any(not 0 <= more < step for more, step in zip(extra, self.stride, strict=True)):
                raise ValueError(f"output_size {wanted} is not within a stride of {smallest}")
        return torch_conv_transpose(
            input,
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            extra,
            self.groups,
            self.dilation,
        )


@torch_named
class TorchConvTranspose1d(TorchConvTransposeNd):
    """`torch.nn.ConvTranspose1d`, with torch's attributes and initial values."""

    dims = 1


@torch_named
class TorchConvTranspose2d(TorchConvTransposeNd):
    """`torch.nn.ConvTranspose2d`, with torch's attributes and initial values."""

    dims = 2


@torch_named
class TorchConvTranspose3d(TorchConvTransposeNd):
    """`torch.nn.ConvTranspose3d`, with torch's attributes and initial values."""

    dims = 3
