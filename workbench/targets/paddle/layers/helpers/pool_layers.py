"""Pooling layers with torch's arguments and attributes."""

from __future__ import annotations

from typing import Any

import paddle

from workbench.targets.paddle.layers.helpers.pool import (
    torch_adaptive_avg_pool,
    torch_adaptive_max_pool,
    torch_avg_pool,
    torch_lp_pool,
    torch_max_pool,
    torch_max_unpool,
    torch_pool_sizes,
)
from workbench.targets.paddle.modules.helpers.class_names import torch_named
from workbench.targets.paddle.modules.helpers.module import torch_size_tuple


class TorchMaxPool(paddle.nn.Layer):
    """What torch's maximum pooling layers share."""

    dims = 0

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def forward(self, input: paddle.Tensor) -> Any:
        return torch_max_pool(
            self.dims,
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            self.ceil_mode,
            self.return_indices,
        )

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


@torch_named
class TorchMaxPool1d(TorchMaxPool):
    """`torch.nn.MaxPool1d`."""

    dims = 1


@torch_named
class TorchMaxPool2d(TorchMaxPool):
    """`torch.nn.MaxPool2d`."""

    dims = 2


@torch_named
class TorchMaxPool3d(TorchMaxPool):
    """`torch.nn.MaxPool3d`."""

    dims = 3


class TorchAvgPool(paddle.nn.Layer):
    """What torch's average pooling layers share; padding counts unless told otherwise."""

    dims = 0

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        return torch_avg_pool(
            self.dims,
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


@torch_named
class TorchAvgPool1d(TorchAvgPool):
    """`torch.nn.AvgPool1d`, which keeps its sizes as tuples."""

    dims = 1

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__(kernel_size, stride, padding, ceil_mode, count_include_pad)
        self.kernel_size = tuple(torch_pool_sizes(kernel_size, 1))
        self.stride = tuple(torch_pool_sizes(self.stride, 1))
        self.padding = tuple(torch_pool_sizes(padding, 1))


@torch_named
class TorchAvgPool2d(TorchAvgPool):
    """`torch.nn.AvgPool2d`."""

    dims = 2


@torch_named
class TorchAvgPool3d(TorchAvgPool):
    """`torch.nn.AvgPool3d`."""

    dims = 3


class TorchAdaptiveAvgPool(paddle.nn.Layer):
    """What torch's adaptive average pooling layers share."""

    dims = 0

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        return torch_adaptive_avg_pool(self.dims, input, self.output_size)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


@torch_named
class TorchAdaptiveAvgPool1d(TorchAdaptiveAvgPool):
    """`torch.nn.AdaptiveAvgPool1d`."""

    dims = 1


@torch_named
class TorchAdaptiveAvgPool2d(TorchAdaptiveAvgPool):
    """`torch.nn.AdaptiveAvgPool2d`."""

    dims = 2


@torch_named
class TorchAdaptiveAvgPool3d(TorchAdaptiveAvgPool):
    """`torch.nn.AdaptiveAvgPool3d`."""

    dims = 3


class TorchAdaptiveMaxPool(paddle.nn.Layer):
    """What torch's adaptive maximum pooling layers share."""

    dims = 0

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def forward(self, input: paddle.Tensor) -> Any:
        return torch_adaptive_max_pool(self.dims, input, self.output_size, self.return_indices)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


@torch_named
class TorchAdaptiveMaxPool1d(TorchAdaptiveMaxPool):
    """`torch.nn.AdaptiveMaxPool1d`."""

    dims = 1


@torch_named
class TorchAdaptiveMaxPool2d(TorchAdaptiveMaxPool):
    """`torch.nn.AdaptiveMaxPool2d`."""

    dims = 2


@torch_named
class TorchAdaptiveMaxPool3d(TorchAdaptiveMaxPool):
    """`torch.nn.AdaptiveMaxPool3d`."""

    dims = 3


class TorchLPPool(paddle.nn.Layer):
    """What torch's power-average pooling layers share."""

    dims = 0

    def __init__(
        self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        return torch_lp_pool(
            self.dims, input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode
        )

    def extra_repr(self) -> str:
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}, ceil_mode={self.ceil_mode}"
        )


@torch_named
class TorchLPPool1d(TorchLPPool):
    """`torch.nn.LPPool1d`."""

    dims = 1


@torch_named
class TorchLPPool2d(TorchLPPool):
    """`torch.nn.LPPool2d`."""

    dims = 2


@torch_named
class TorchLPPool3d(TorchLPPool):
    """`torch.nn.LPPool3d`."""

    dims = 3


class TorchMaxUnpool(paddle.nn.Layer):
    """What torch's maximum unpooling layers share."""

    dims = 0

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        self.kernel_size = torch_size_tuple(kernel_size, self.dims)
        self.stride = torch_size_tuple(kernel_size if stride is None else stride, self.dims)
        self.padding = torch_size_tuple(padding, self.dims)

    def forward(
        self, input: paddle.Tensor, indices: paddle.Tensor, output_size: Any = None
    ) -> paddle.Tensor:
        return torch_max_unpool(
            self.dims, input, indices, self.kernel_size, self.stride, self.padding, output_size
        )

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


@torch_named
class TorchMaxUnpool1d(TorchMaxUnpool):
    """`torch.nn.MaxUnpool1d`."""

    dims = 1


@torch_named
class TorchMaxUnpool2d(TorchMaxUnpool):
    """`torch.nn.MaxUnpool2d`."""

    dims = 2


@torch_named
class TorchMaxUnpool3d(TorchMaxUnpool):
    """`torch.nn.MaxUnpool3d`."""

    dims = 3
