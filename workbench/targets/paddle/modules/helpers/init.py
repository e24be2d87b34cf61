"""Initial values as `torch.nn.init` draws them: in place, giving the tensor back."""

from __future__ import annotations

import math
from typing import Any

import paddle

from workbench.targets.paddle.tensors.helpers.random import torch_drawn


def torch_fans(tensor: paddle.Tensor) -> tuple[int, int]:
    """The numbers of inputs and outputs of a weight: [out, in, ...], unlike Paddle's linear."""
    if tensor.ndim < 2:
        raise ValueError("fan in and fan out need a tensor of two dimensions or more")
    field = math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


def torch_gain(nonlinearity: str, param: float | None = None) -> float:
    """`torch.nn.init.calculate_gain`."""
    if nonlinearity == "leaky_relu":
        return math.sqrt(2.0 / (1 + (0.01 if param is None else param) ** 2))
    gains = {"tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 0.75}
    linear = (
        "linear",
        "sigmoid",
        "conv1d",
        "conv2d",
        "conv3d",
        "conv_transpose1d",
        "conv_transpose2d",
        "conv_transpose3d",
    )
    gains.update(dict.fromkeys(linear, 1))
    if nonlinearity not in gains:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    return gains[nonlinearity]


def torch_init_uniform(
    tensor: paddle.Tensor, a: float = 0.0, b: float = 1.0, generator: Any = None
) -> paddle.Tensor:
    """Uniform over [a, b), where Paddle wants a to be smaller than b."""
    with paddle.no_grad():
        return torch_drawn(generator, tensor.uniform_, a, b) if a < b else tensor.fill_(a)


def torch_init_normal(
    tensor: paddle.Tensor, mean: float = 0.0, std: float = 1.0, generator: Any = None
) -> paddle.Tensor:
    """Normal with this mean and standard deviation."""
    with paddle.no_grad():
        return torch_drawn(generator, tensor.normal_, mean, std)


def torch_init_constant(tensor: paddle.Tensor, val: float) -> paddle.Tensor:
    """One value everywhere."""
    with paddle.no_grad():
        return tensor.fill_(val)


def torch_init_set(tensor: paddle.Tensor, value: paddle.Tensor) -> paddle.Tensor:
    """Overwrite a tensor's values, whatever its dtype."""
    with paddle.no_grad():
        tensor.set_value(value.astype(tensor.dtype))
    return tensor


def torch_init_trunc_normal(
    tensor: paddle.Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Any = None,
) -> paddle.Tensor:
    """Normal, cut off at a and b (values, not multiples of the deviation)."""

    def below(value: float) -> float:
        return (1.0 + math.erf(value / math.sqrt(2.0))) / 2.0

    low, high = below((a - mean) / std), below((b - mean) / std)
    ends = 2 * low - 1, 2 * high - 1
    drawn = torch_drawn(generator, paddle.uniform, tensor.shape, "float64", *ends)
    drawn = drawn.erfinv() * (std * math.sqrt(2.0)) + mean
    return torch_init_set(tensor, drawn.clip(a, b))


def torch_init_xavier_uniform(
    tensor: paddle.Tensor, gain: float = 1.0, generator: Any = None
) -> paddle.Tensor:
    """Glorot's uniform values for weights of torch's layout."""
    fan_in, fan_out = torch_fans(tensor)
    bound = gain * math.sqrt(6.0 / (fan_in + fan_out))
    return torch_init_uniform(tensor, -bound, bound, generator)


def torch_init_xavier_normal(
    tensor: paddle.Tensor, gain: float = 1.0, generator: Any = None
) -> paddle.Tensor:
    """Glorot's normal values for weights of torch's layout."""
    fan_in, fan_out = torch_fans(tensor)
    return torch_init_normal(tensor, 0.0, gain * math.sqrt(2.0 / (fan_in + fan_out)), generator)


def torch_init_kaiming_uniform(
    tensor: paddle.Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> paddle.Tensor:
    """He's uniform values for weights of torch's layout."""
    if 0 in tensor.shape:
        return tensor
    fan = torch_fans(tensor)[("fan_in", "fan_out").index(mode.lower())]
    bound = math.sqrt(3.0) * torch_gain(nonlinearity, a) / math.sqrt(fan)
    return torch_init_uniform(tensor, -bound, bound, generator)


def torch_init_kaiming_normal(
    tensor: paddle.Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> paddle.Tensor:
    """He's normal values for weights of torch's layout."""
    if 0 in tensor.shape:
        return tensor
    fan = torch_fans(tensor)[("fan_in", "fan_out").index(mode.lower())]
    return torch_init_normal(tensor, 0.0, torch_gain(nonlinearity, a) / math.sqrt(fan), generator)


def torch_init_orthogonal(
    tensor: paddle.Tensor, gain: float = 1, generator: Any = None
) -> paddle.Tensor:
    """A (semi-)orthogonal matrix, of all dimensions but the first taken together."""
    if tensor.ndim < 2:
        raise ValueError("an orthogonal matrix needs two dimensions or more")
    if 0 in tensor.shape:
        return tensor
    rows = tensor.shape[0]
    columns = math.prod(tensor.shape[1:])
    drawn = torch_drawn(generator, paddle.randn, [max(rows, columns), min(rows, columns)])
    q, r = paddle.linalg.qr(drawn)
    q = q * paddle.sign(paddle.diag(r))
    return torch_init_set(tensor, (q.T if rows < columns else q).reshape(tensor.shape) * gain)


def torch_init_eye(tensor: paddle.Tensor) -> paddle.Tensor:
    """The identity matrix."""
    if tensor.ndim != 2:
        raise ValueError("the identity matrix needs two dimensions")
    return torch_init_set(tensor, paddle.eye(*tensor.shape))


def torch_init_dirac(tensor: paddle.Tensor, groups: int = 1) -> paddle.Tensor:
    """A convolution's weight that hands its input on."""
    if tensor.ndim not in (3, 4, 5):
        raise ValueError("a Dirac delta needs three, four or five dimensions")
    if tensor.shape[0] % groups:
        raise ValueError("the first dimension must be divisible by groups")
    value: Any = paddle.zeros(tensor.shape)
    each = tensor.shape[0] // groups
    centre = [size // 2 for size in tensor.shape[2:]]
    for group in range(groups):
        for channel in range(min(each, tensor.shape[1])):
            value[(group * each + channel, channel, *centre)] = 1.0
    return torch_init_set(tensor, value)


def torch_init_sparse(
    tensor: paddle.Tensor, sparsity: float, std: float = 0.01, generator: Any = None
) -> paddle.Tensor:
    """Normal values of which this share in each column is zero."""
    if tensor.ndim != 2:
        raise ValueError("sparse values need two dimensions")
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    value: Any = torch_drawn(generator, paddle.randn, [rows, columns]) * std
    order = paddle.argsort(torch_drawn(generator, paddle.rand, [rows, columns]), axis=0)
    return torch_init_set(tensor, paddle.where(order < zeros, paddle.zeros_like(value), value))
