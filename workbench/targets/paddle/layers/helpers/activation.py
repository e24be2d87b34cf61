"""Activations where Paddle has none that is torch's: in place, at their bounds, with weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import paddle

from workbench.targets.paddle.modules.helpers.class_names import torch_named


def torch_in_place(
    function: Callable[..., paddle.Tensor], input: paddle.Tensor, *args: Any, **kwargs: Any
) -> paddle.Tensor:
    """Apply a function and write its result over its input, which gradients still flow through."""
    result = function(input.clone(), *args, **kwargs)
    if input.dtype in (paddle.float32, paddle.float64):  # which alone has second gradients
        return paddle.where_(paddle.zeros_like(input, dtype="bool"), input, result)
    if input.ndim:
        input[...] = result
    else:  # Paddle assigns to no part of a tensor without dimensions
        paddle.assign(result, input)
    return input


def torch_able_in_place(function: Callable[..., paddle.Tensor]) -> Callable[..., paddle.Tensor]:
    """The function, with torch's `inplace`."""

    def able(
        input: paddle.Tensor, *args: Any, inplace: bool = False, **kwargs: Any
    ) -> paddle.Tensor:
        if inplace:
            return torch_in_place(function, input, *args, **kwargs)
        return function(input, *args, **kwargs)

    return able


def torch_softmax(input: paddle.Tensor, dim: int | None = None, dtype: Any = None) -> paddle.Tensor:
    """`torch.nn.functional.softmax` without a dimension: 0 for 0, 1 and 3 dimensions, else 1."""
    if dim is None:
        dim = 0 if input.ndim in (0, 1, 3) else 1
    return paddle.nn.functional.softmax(input, axis=dim, dtype=dtype)


def torch_log_softmax(
    input: paddle.Tensor, dim: int | None = None, dtype: Any = None
) -> paddle.Tensor:
    """`torch.nn.functional.log_softmax`: Paddle's ends at -64, below which it has no gradient."""
    if dim is None:
        dim = 0 if input.ndim in (0, 1, 3) else 1
    if dtype is not None:
        input = input.astype(dtype)
    if not input.size:
        return input.clone()
    given = input.dtype
    if given in (paddle.float16, paddle.bfloat16):
        input = input.astype("float32")
    centred = input - input.detach().max(axis=dim, keepdim=True)
    return (centred - centred.exp().sum(axis=dim, keepdim=True).log()).astype(given)


def torch_log_sigmoid(input: paddle.Tensor) -> paddle.Tensor:
    """`torch.nn.functional.logsigmoid`; Paddle's is NaN at minus infinity."""
    near = paddle.nn.functional.log_sigmoid(paddle.clip(input, min=-1e4))
    return paddle.where(input < -1e4, input, near)


def torch_celu(input: paddle.Tensor, alpha: float = 1.0) -> paddle.Tensor:
    """`torch.nn.functional.celu`; the gradient of Paddle's overflows for large inputs."""
    below = alpha * paddle.expm1(paddle.clip(input, max=0.0) / alpha)
    return paddle.where(input > 0, input, below)


def torch_selu(input: paddle.Tensor) -> paddle.Tensor:
    """`torch.nn.functional.selu`; the numbers of Paddle's are rounded to float32."""
    if input.dtype != paddle.float64:
        return paddle.nn.functional.selu(input)
    scale, alpha = 1.0507009873554804934193349852946, 1.6732632423543772848170429916717
    below = alpha * paddle.expm1(paddle.clip(input, max=0.0))
    return scale * paddle.where(input > 0, input, below)


def torch_hardshrink(input: paddle.Tensor, lambd: float = 0.5) -> paddle.Tensor:
    """`torch.nn.functional.hardshrink`: the bounds themselves become 0, NaN stays."""
    inside = paddle.logical_and(input >= -lambd, input <= lambd)
    return paddle.where(inside, paddle.zeros_like(input), input)


def torch_softshrink(input: paddle.Tensor, lambd: float = 0.5) -> paddle.Tensor:
    """`torch.nn.functional.softshrink`; infinity stays infinity."""
    above = paddle.where(input > lambd, input - lambd, input * 0.0)
    return paddle.where(input < -lambd, input + lambd, above)


def torch_threshold(input: paddle.Tensor, threshold: float, value: float) -> paddle.Tensor:
    """`torch.nn.functional.threshold`: what is not above the threshold becomes the value."""
    return paddle.where(input <= threshold, paddle.full_like(input, value), input)


def torch_prelu(input: paddle.Tensor, weight: paddle.Tensor) -> paddle.Tensor:
    """`torch.nn.functional.prelu`: one weight, or one for each channel of dimension 1."""
    slope = weight.reshape([]) if weight.size == 1 else weight
    if weight.size > 1 and input.ndim > 1:
        slope = weight.reshape([-1, *[1] * (input.ndim - 2)])
    return paddle.where(input > 0, input, input * slope)


def torch_leaky_relu(input: paddle.Tensor, negative_slope: float = 0.01) -> paddle.Tensor:
    """`torch.nn.functional.leaky_relu`; at 0 the gradient of Paddle's is 1 instead of the slope."""
    return paddle.where(input > 0, input, input * negative_slope)


def torch_rrelu(
    input: paddle.Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False
) -> paddle.Tensor:
    """`torch.nn.functional.rrelu`, which does not draw unless it is told to train."""
    if not training:
        return torch_leaky_relu(input, (lower + upper) / 2)
    slope = paddle.uniform(input.shape, input.dtype, lower, upper)
    return paddle.where(input > 0, input, input * slope)


@torch_named
class TorchPReLU(paddle.nn.Layer):
    """`torch.nn.PReLU`: its parameter is called `weight`."""

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = self.create_parameter(
            [num_parameters],
            dtype=dtype or paddle.get_default_dtype(),
            default_initializer=paddle.nn.initializer.Constant(init),
        )
        if device is not None:
            self.to(device)

    def reset_parameters(self) -> None:
        with paddle.no_grad():
            self.weight.fill_(self.init)

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        return torch_prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


@torch_named
class TorchSoftmax(paddle.nn.Softmax):
    """`torch.nn.Softmax` without a dimension."""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__(dim)

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        return torch_softmax(input, self._axis)

    def extra_repr(self) -> str:
        return f"dim={self._axis}"


@torch_named
class TorchLogSoftmax(paddle.nn.LogSoftmax):
    """`torch.nn.LogSoftmax`, which has no lowest value."""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__(dim)

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        return torch_log_softmax(input, self._axis)

    def extra_repr(self) -> str:
        return f"dim={self._axis}"


@torch_named
class TorchSoftmin(paddle.nn.Layer):
    """`torch.nn.Softmin`."""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        return torch_softmax(-input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


@torch_named
class TorchSoftmax2d(paddle.nn.Layer):
    """`torch.nn.Softmax2d`: over the channels of images, in a batch or alone."""

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        if input.ndim not in (3, 4):
            raise ValueError("expected an input of 3 or 4 dimensions")
        return paddle.nn.functional.softmax(input, axis=-3)


@torch_named
class TorchCELU(paddle.nn.CELU):
    """`torch.nn.CELU`."""

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(alpha)
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        if self.inplace:
            return torch_in_place(torch_celu, input, self.alpha)
        return torch_celu(input, self.alpha)

    def extra_repr(self) -> str:
        return f"alpha={self.alpha}" + (", inplace=True" if self.inplace else "")


@torch_named
class TorchHardshrink(paddle.nn.Hardshrink):
    """`torch.nn.Hardshrink`."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__(lambd)
        self.lambd = lambd

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        return torch_hardshrink(input, self.lambd)

    def extra_repr(self) -> str:
        return f"{self.lambd}"


@torch_named
class TorchSoftshrink(paddle.nn.Softshrink):
    """`torch.nn.Softshrink`."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__(lambd)
        self.lambd = lambd

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        return torch_softshrink(input, self.lambd)

    def extra_repr(self) -> str:
        return f"{self.lambd}"


@torch_named
class TorchThreshold(paddle.nn.Layer):
    """`torch.nn.Threshold`."""

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        if self.inplace:
            return torch_in_place(torch_threshold, input, self.threshold, self.value)
        return torch_threshold(input, self.threshold, self.value)

    def extra_repr(self) -> str:
        text = f"threshold={self.threshold}, value={self.value}"
        return text + (", inplace=True" if self.inplace else "")


@torch_named
class TorchRReLU(paddle.nn.RReLU):
    """`torch.nn.RReLU`, in place or not."""

    def __init__(
        self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False
    ) -> None:
        super().__init__(lower, upper)
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        if self.inplace:
            return torch_in_place(torch_rrelu, input, self.lower, self.upper, self.training)
        return torch_rrelu(input, self.lower, self.upper, self.training)

    def extra_repr(self) -> str:
        text = f"lower={self.lower}, upper={self.upper}"
        return text + (", inplace=True" if self.inplace else "")
