"""Padding, folding and rearranging layers with torch's arguments and attributes."""

from __future__ import annotations

from typing import Any

import paddle

from workbench.targets.paddle.helpers.nn_vision import (
    TorchPad,
    torch_channel_shuffle,
    torch_fold,
    torch_pixel_shuffle,
    torch_pixel_unshuffle,
    torch_unfold,
)


class TorchConstantPad1d(TorchPad):
    """`torch.nn.ConstantPad1d`."""

    dims = 1


class TorchConstantPad2d(TorchPad):
    """`torch.nn.ConstantPad2d`."""

    dims = 2


class TorchConstantPad3d(TorchPad):
    """`torch.nn.ConstantPad3d`."""

    dims = 3


class TorchZeroPad1d(TorchConstantPad1d):
    """`torch.nn.ZeroPad1d`."""

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)


class TorchZeroPad2d(TorchConstantPad2d):
    """`torch.nn.ZeroPad2d`."""

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)


class TorchZeroPad3d(TorchConstantPad3d):
    """`torch.nn.ZeroPad3d`."""

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)


class TorchReflectionPad1d(TorchPad):
    """`torch.nn.ReflectionPad1d`."""

    dims = 1
    mode = "reflect"


class TorchReflectionPad2d(TorchPad):
    """`torch.nn.ReflectionPad2d`."""

    dims = 2
    mode = "reflect"


class TorchReflectionPad3d(TorchPad):
    """`torch.nn.ReflectionPad3d`."""

    dims = 3
    mode = "reflect"


class TorchReplicationPad1d(TorchPad):
    """`torch.nn.ReplicationPad1d`."""

    dims = 1
    mode = "replicate"


class TorchReplicationPad2d(TorchPad):
    """`torch.nn.ReplicationPad2d`."""

    dims = 2
    mode = "replicate"


class TorchReplicationPad3d(TorchPad):
    """`torch.nn.ReplicationPad3d`."""

    dims = 3
    mode = "replicate"


class TorchCircularPad1d(TorchPad):
    """`torch.nn.CircularPad1d`."""

    dims = 1
    mode = "circular"


class TorchCircularPad2d(TorchPad):
    """`torch.nn.CircularPad2d`."""

    dims = 2
    mode = "circular"


class TorchCircularPad3d(TorchPad):
    """`torch.nn.CircularPad3d`."""

    dims = 3
    mode = "circular"


class TorchPixelShuffle(paddle.nn.Layer):
    """`torch.nn.PixelShuffle`."""

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        return torch_pixel_shuffle(input, self.upscale_factor)


class TorchPixelUnshuffle(paddle.nn.Layer):
    """`torch.nn.PixelUnshuffle`."""

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        return torch_pixel_unshuffle(input, self.downscale_factor)


class TorchChannelShuffle(paddle.nn.Layer):
    """`torch.nn.ChannelShuffle`."""

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        return torch_channel_shuffle(input, self.groups)


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
