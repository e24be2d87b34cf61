"""Convolutions at places of their own, as torchvision's operator computes them."""

from __future__ import annotations

from typing import Any

import paddle

from workbench.targets.paddle.layers.helpers.conv import TorchConvNd
from workbench.targets.paddle.modules.helpers.class_names import torch_named


def torch_deform_conv2d(
    input: paddle.Tensor,
    offset: paddle.Tensor,
    weight: paddle.Tensor,
    bias: paddle.Tensor | None = None,
    stride: Any = (1, 1),
    padding: Any = (0, 0),
    dilation: Any = (1, 1),
    mask: paddle.Tensor | None = None,
) -> paddle.Tensor:
    """`torchvision.ops.deform_conv2d`, which tells the groups from the shapes."""
    groups = input.shape[1] // weight.shape[1]
    of_offsets = offset.shape[1] // (2 * weight.shape[2] * weight.shape[3])
    if of_offsets == 0:
        raise RuntimeError(
            "the shape of the offset tensor at dimension 1 is not valid. It should be a multiple"
            " of 2 * weight.size[2] * weight.size[3]."
        )
    return paddle.vision.ops.deform_conv2d(
        input, offset, weight, bias, stride, padding, dilation, of_offsets, groups, mask
    )


@torch_named
class TorchDeformConv2d(TorchConvNd):
    """`torchvision.ops.DeformConv2d`."""

    dims = 2

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
    ) -> None:
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias
        )

    def forward(  # type: ignore[override]
        self, input: paddle.Tensor, offset: paddle.Tensor, mask: paddle.Tensor | None = None
    ) -> paddle.Tensor:
        return torch_deform_conv2d(
            input,
            offset,
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            self.dilation,
            mask,
        )
