"""Special functions that Paddle lacks."""

from __future__ import annotations

from typing import Any

import paddle

from workbench.targets.paddle.math.helpers.arithmetic import torch_binary_float, torch_operands
from workbench.targets.paddle.math.helpers.comparison import torch_steep
from workbench.targets.paddle.math.helpers.dtypes import torch_inexact
from workbench.targets.paddle.math.helpers.functions import torch_erfc
from workbench.targets.paddle.tensors.helpers.grad import torch_flat
from workbench.targets.paddle.tensors.helpers.shapes import torch_broadcast_tensors


def torch_floating(tensor: paddle.Tensor) -> paddle.Tensor:
    """Floating numbers, of integers those of the default dtype."""
    if tensor.is_floating_point():
        return tensor
    return tensor.astype(paddle.get_default_dtype())


def torch_incomplete_gamma(first: Any, second: Any, function: Any, last: float) -> paddle.Tensor:
    """An incomplete gamma function, with `last` as the value where the first argument is zero.

    Paddle's own read beyond operands of unlike shapes, and raise outside their domain.
    """
    first, second = torch_broadcast_tensors(
        [torch_inexact(value) for value in torch_operands(first, second)]
    )
    inside = (first > 0) & (second >= 0)
    one = paddle.ones_like(first)
    value = function(paddle.where(inside, first, one), paddle.where(inside, second, one))
    limit = paddle.where((first == 0) & (second > 0), one * last, one * float("nan"))
    return torch_flat(paddle.where(inside, value, limit), first)


def torch_gammainc(first: paddle.Tensor, second: paddle.Tensor) -> paddle.Tensor:
    """The lower incomplete gamma function."""
    return torch_incomplete_gamma(first, second, paddle.gammainc, 1.0)


def torch_gammaincc(first: paddle.Tensor, second: paddle.Tensor) -> paddle.Tensor:
    """The upper incomplete gamma function."""
    return torch_incomplete_gamma(first, second, paddle.gammaincc, 0.0)


def torch_entr(tensor: paddle.Tensor) -> paddle.Tensor:
    """`-x * log(x)`; zero at zero, and minus infinity below."""
    tensor = torch_floating(tensor)
    positive = tensor > 0
    inner = paddle.where(positive, tensor, paddle.ones_like(tensor))
    value = -inner * paddle.log(inner)
    below = tensor < 0
    ones, zeros = paddle.ones_like(tensor), paddle.zeros_like(tensor)
    # log(x - x) is minus infinity, and its gradient NaN, as torch's.
    least = paddle.log(paddle.where(below, tensor, ones) - paddle.where(below, tensor, zeros))
    value = paddle.where(below, least, value)
    if not tensor.stop_gradient:  # a root is as steep at zero as torch's slope there
        zero = tensor == 0
        value = value + paddle.where(zero, paddle.sqrt(paddle.where(zero, tensor, ones)), zeros)
    return paddle.where(paddle.isnan(tensor) | (tensor == -float("inf")), tensor, value)


def torch_ndtr(tensor: paddle.Tensor) -> paddle.Tensor:
    """The area under the normal curve up to each value."""
    tensor = torch_floating(tensor)
    return 0.5 * (1 + paddle.erf(tensor / 2**0.5))  # nothing far to the left, as of torch's


def torch_erfcx(tensor: paddle.Tensor) -> paddle.Tensor:
    """`exp(x**2) * erfc(x)`, by a continued fraction where the factors leave the range."""
    tensor = torch_floating(tensor)
    wide = tensor.astype("float64")
    large = wide > 5
    near = paddle.where(large, paddle.zeros_like(wide), wide)
    far = paddle.where(large, wide, paddle.full_like(wide, 6.0))
    fraction = paddle.zeros_like(far)
    for k in range(60, 0, -1):
        fraction = (k / 2) / (far + fraction)
    tail = 1 / (3.141592653589793**0.5 * (far + fraction))
    value = paddle.where(large, tail, paddle.exp(near * near) * torch_erfc(near))
    return value.astype(tensor.dtype)


def torch_log_ndtr(tensor: paddle.Tensor) -> paddle.Tensor:
    """The logarithm of the area under the normal curve, exact far to the left as well."""
    tensor = torch_floating(tensor)
    wide = tensor.astype("float64")
    left = wide < -1
    low = paddle.where(left, wide, paddle.full_like(wide, -2.0))
    high = paddle.where(left, paddle.zeros_like(wide), wide)
    far = paddle.log(torch_erfcx(-low / 2**0.5) / 2) - low * low / 2
    near = paddle.log1p(-torch_erfc(high / 2**0.5) / 2)
    return paddle.where(left, far, near).astype(tensor.dtype)


def torch_ndtri(tensor: paddle.Tensor) -> paddle.Tensor:
    """The value up to which the normal curve has a given area."""
    tensor = torch_floating(tensor)
    value = (2**0.5 * paddle.erfinv(2 * tensor.astype("float64") - 1)).astype(tensor.dtype)
    outside = (tensor < 0) | (tensor > 1)
    return paddle.where(outside, paddle.full_like(tensor, float("nan")), value)


def torch_sinc(tensor: paddle.Tensor) -> paddle.Tensor:
    """`sin(πx) / πx`, one at zero; of what is not finite no number."""
    tensor = torch_inexact(tensor)
    return paddle.sinc(tensor) + (tensor - tensor)


def torch_i0e(tensor: paddle.Tensor) -> paddle.Tensor:
    """The scaled Bessel function `i0`; Paddle's gradient at its peak, zero, is not zero."""
    tensor = torch_floating(tensor)
    return paddle.i0e(paddle.where(tensor == 0, tensor.detach(), tensor))


def torch_spherical_bessel_j0(tensor: paddle.Tensor) -> paddle.Tensor:
    """`sin(x) / x`, one at zero and zero at infinity."""
    tensor = torch_floating(tensor).detach()
    found = paddle.sinc(tensor / 3.141592653589793)
    found = paddle.where(paddle.isinf(tensor), paddle.zeros_like(found), found)
    return paddle.where(paddle.isnan(tensor), tensor, found)


def torch_xlog1py(first: Any, second: Any) -> paddle.Tensor:
    """A factor times `log1p`; nothing where the factor is zero."""

    def value(factor: paddle.Tensor, of: paddle.Tensor) -> paddle.Tensor:
        # Of other values the logarithm stays: it is the slope by the factor, at 0 too.
        none = (factor == 0) & ((of <= -1) | paddle.isinf(of))
        inner = paddle.where(none, paddle.zeros_like(of), of)
        found = paddle.where(none, paddle.zeros_like(factor), factor * paddle.log1p(inner))
        return torch_steep(found, 1 + of, (factor == 0) & (of == -1))

    return torch_binary_float(first, second, value)


def torch_polynomial(kind: str, x: Any, n: Any, shifted: bool = False) -> paddle.Tensor:
    """Orthogonal polynomials of a degree, or of a degree for each value, by their recurrence."""
    if not isinstance(x, paddle.Tensor):
        x = paddle.to_tensor(float(x), dtype=paddle.get_default_dtype())
    x = torch_floating(x).detach()  # torch has no gradient of these
    x = 2 * x - 1 if shifted else x
    degree = (n if isinstance(n, paddle.Tensor) else paddle.to_tensor(n)).astype("int64")
    shape = paddle.broadcast_shape(x.shape, degree.shape)
    x, degree = paddle.expand(x, shape), paddle.expand(degree, shape)
    before, now = (
        paddle.ones_like(x),
        {
            "t": x,
            "u": 2 * x,
            "v": 2 * x - 1,
            "w": 2 * x + 1,
            "h": 2 * x,
            "he": x,
            "l": 1 - x,
            "p": x,
        }[kind],
    )
    result = paddle.where(degree == 0, before, paddle.zeros_like(x))
    for k in range(1, int(degree.max()) + 1 if degree.size else 0):
        result = paddle.where(degree == k, now, result)
        if kind in "tuvw":
            after = 2 * x * now - before
        elif kind == "h":
            after = 2 * x * now - 2 * k * before
        elif kind == "he":
            after = x * now - k * before
        elif kind == "l":
            after = ((2 * k + 1 - x) * now - k * before) / (k + 1)
        else:
            after = ((2 * k + 1) * x * now - k * before) / (k + 1)
        before, now = now, after
    return result
