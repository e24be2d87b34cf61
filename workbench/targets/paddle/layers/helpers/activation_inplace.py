"""Activation layers that may write over their input, as torch's with `inplace=True` do."""

from __future__ import annotations

import paddle

from workbench.targets.paddle.layers.helpers.activation import (
    torch_in_place,
    torch_leaky_relu,
    torch_selu,
)
from workbench.targets.paddle.modules.helpers.class_names import torch_named


@torch_named
class TorchReLU(paddle.nn.ReLU):
    """`torch.nn.ReLU` with `inplace`."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        if not input.is_floating_point():  # of which Paddle's own takes none
            above = input * (input > 0).astype(input.dtype)
            return paddle.assign(above, input) if self.inplace else above
        if self.inplace:
            return paddle.nn.functional.relu_(input)
        return paddle.nn.functional.relu(input)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


@torch_named
class TorchReLU6(paddle.nn.ReLU6):
    """`torch.nn.ReLU6` with `inplace`, and the bounds that it has there."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.min_val, self.max_val = 0.0, 6.0
        self.inplace = inplace

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        if not input.is_floating_point():  # of which Paddle's own takes none
            return (input.clip_ if self.inplace else input.clip)(0, 6)
        if self.inplace:
            return torch_in_place(paddle.nn.functional.relu6, input)
        return paddle.nn.functional.relu6(input)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


@torch_named
class TorchSiLU(paddle.nn.Silu):
    """`torch.nn.SiLU` with `inplace`; the gradient of Paddle's own is NaN below -88."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        if self.inplace:
            return torch_in_place(paddle.nn.functional.swish, input)
        return paddle.nn.functional.swish(input)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


@torch_named
class TorchMish(paddle.nn.Mish):
    """`torch.nn.Mish` with `inplace`."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        if self.inplace:
            return torch_in_place(paddle.nn.functional.mish, input)
        return paddle.nn.functional.mish(input)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


@torch_named
class TorchHardsigmoid(paddle.nn.Hardsigmoid):
    """`torch.nn.Hardsigmoid` with `inplace`."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        if self.inplace:
            return torch_in_place(paddle.nn.functional.hardsigmoid, input)
        return paddle.nn.functional.hardsigmoid(input)


@torch_named
class TorchHardswish(paddle.nn.Hardswish):
    """`torch.nn.Hardswish` with `inplace`."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        if self.inplace:
            return torch_in_place(paddle.nn.functional.hardswish, input)
        return paddle.nn.functional.hardswish(input)


@torch_named
class TorchSELU(paddle.nn.SELU):
    """`torch.nn.SELU` with `inplace`."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        if self.inplace:
            return torch_in_place(torch_selu, input)
        return torch_selu(input)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


@torch_named
class TorchELU(paddle.nn.ELU):
    """`torch.nn.ELU` with `inplace`."""

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(alpha)
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        if self.inplace:
            return torch_in_place(paddle.nn.functional.elu, input, self.alpha)
        return paddle.nn.functional.elu(input, self.alpha)

    def extra_repr(self) -> str:
        return f"alpha={self._alpha}" + (", inplace=True" if self.inplace else "")


@torch_named
class TorchLeakyReLU(paddle.nn.LeakyReLU):
    """`torch.nn.LeakyReLU` with `inplace`."""

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__(negative_slope)
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        if self.inplace:
            return torch_in_place(torch_leaky_relu, input, self.negative_slope)
        return torch_leaky_relu(input, self.negative_slope)

    def extra_repr(self) -> str:
        return f"negative_slope={self._negative_slope}" + (", inplace=True" if self.inplace else "")


@torch_named
class TorchHardtanh(paddle.nn.Hardtanh):
    """`torch.nn.Hardtanh` with `inplace`, and the older names of its bounds."""

    def __init__(
        self,
        min_val: float = -1.0,
        max_val: float = 1.0,
        inplace: bool = False,
        min_value: float | None = None,
        max_value: float | None = None,
    ) -> None:
        low = min_val if min_value is None else min_value
        high = max_val if max_value is None else max_value
        super().__init__(low, high)
        self.min_val, self.max_val = low, high
        self.inplace = inplace

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        if not input.is_floating_point():  # of which Paddle's own takes none
            clip = input.clip_ if self.inplace else input.clip
            return clip(int(self.min_val), int(self.max_val))
        if self.inplace:
            return torch_in_place(paddle.nn.functional.hardtanh, input, self.min_val, self.max_val)
        return paddle.nn.functional.hardtanh(input, self.min_val, self.max_val)

    def extra_repr(self) -> str:
        text = f"min_val={self.min_val}, max_val={self.max_val}"
        return text + (", inplace=True" if self.inplace else "")
