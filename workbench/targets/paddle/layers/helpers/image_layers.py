"""Padding, folding and rearranging layers with torch's arguments and attributes."""

from __future__ import annotations

from typing import Any

import paddle

from workbench.targets.paddle.layers.helpers.images import (
    TorchPad,
    torch_channel_shuffle,
    torch_fold,
    torch_pixel_shuffle,
    torch_pixel_unshuffle,
    torch_unfold,
)
from workbench.targets.paddle.modules.helpers.class_names import torch_named


@torch_named
class TorchConstantPad1d(TorchPad):
    """`torch.nn.ConstantPad1d`."""

    dims = 1


@torch_named
class TorchConstantPad2d(TorchPad):
    """`torch.nn.ConstantPad2d`."""

    dims = 2


@torch_named
class TorchConstantPad3d(TorchPad):
    """`torch.nn.ConstantPad3d`."""

    dims = 3


@torch_named
class TorchZeroPad1d(TorchConstantPad1d):
    """`torch.nn.ZeroPad1d`."""

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)


@torch_named
class TorchZeroPad2d(TorchConstantPad2d):
    """`torch.nn.ZeroPad2d`."""

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)


@torch_named
class TorchZeroPad3d(TorchConstantPad3d):
    """`torch.nn.ZeroPad3d`."""

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)


@torch_named
class TorchReflectionPad1d(TorchPad):
    """`torch.nn.ReflectionPad1d`."""

    dims = 1
    mode = "reflect"


@torch_named
class TorchReflectionPad2d(TorchPad):
    """`torch.nn.ReflectionPad2d`."""

    dims = 2
    mode = "reflect"


@torch_named
class TorchReflectionPad3d(TorchPad):
    """`torch.nn.ReflectionPad3d`."""

    dims = 3
    mode = "reflect"


@torch_named
class TorchReplicationPad1d(TorchPad):
    """`torch.nn.ReplicationPad1d`."""

    dims = 1
    mode = "replicate"


@torch_named
class TorchReplicationPad2d(TorchPad):
    """`torch.nn.ReplicationPad2d`."""

    dims = 2
    mode = "replicate"


@torch_named
class TorchReplicationPad3d(TorchPad):
    """`torch.nn.ReplicationPad3d`."""

    dims = 3
    mode = "replicate"


@torch_named
class TorchCircularPad1d(TorchPad):
    """`torch.nn.CircularPad1d`."""

    dims = 1
    mode = "circular"


@torch_named
class TorchCircularPad2d(TorchPad):
    """`torch.nn.CircularPad2d`."""

    dims = 2
    mode = "circular"


@torch_named
class TorchCircularPad3d(TorchPad):
    """`torch.nn.CircularPad3d`."""

    dims = 3
    mode = "circular"


@torch_named
class TorchPixelShuffle(paddle.nn.Layer):
    """`torch.nn.PixelShuffle`."""

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        return torch_pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        return f"upscale_factor={self.upscale_factor}"


@torch_named
class TorchPixelUnshuffle(paddle.nn.Layer):
    """`torch.nn.PixelUnshuffle`."""

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        return torch_pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        return f"downscale_factor={self.downscale_factor}"


@torch_named
class TorchChannelShuffle(paddle.nn.Layer):
    """`torch.nn.ChannelShuffle`."""

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        return torch_channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        return f"groups={self.groups}"


@torch_named
class TorchUnfold(paddle.nn.Layer):
    """`torch.nn.Unfold`."""

    def __init__(
        self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        return torch_unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, dilation={self.dilation}, "
            f"padding={self.padding}, stride={self.stride}"
        )


@torch_named
class TorchFold(paddle.nn.Layer):
    """`torch.nn.Fold`."""

    def __init__(
        self,
        output_size: Any,
        kernel_size: Any,
        dilation: Any = 1,
        padding: Any = 0,
        stride: Any = 1,
    ) -> None:
        super().__init__()
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        return torch_fold(
            input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride
        )

    def extra_repr(self) -> str:
        return (
            f"output_size={self.output_size}, kernel_size={self.kernel_size}, "
            f"dilation={self.dilation}, padding={self.padding}, stride={self.stride}"
        )
