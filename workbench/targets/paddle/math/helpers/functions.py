"""Functions of one tensor that Paddle lacks, or that differ for some values."""

from __future__ import annotations

from typing import Any, NamedTuple

import paddle

from workbench.targets.paddle.math.helpers.dtypes import torch_inexact


class TorchFrexp(NamedTuple):
    """Fractions and their powers of two."""

    mantissa: paddle.Tensor
    exponent: paddle.Tensor


def torch_relu(tensor: paddle.Tensor) -> paddle.Tensor:
    """Negative values become zero; NaN stays, which Paddle's own relu turns into zero."""
    if tensor.dtype == paddle.uint8:
        return tensor.clone()
    if tensor.dtype in (paddle.float16, paddle.bfloat16, paddle.int8, paddle.int16):  # no kernels
        return torch_relu(tensor.astype("float32")).astype(tensor.dtype)
    return paddle.where(tensor <= 0, paddle.zeros_like(tensor), tensor)


def torch_abs(tensor: paddle.Tensor) -> paddle.Tensor:
    """The absolute value, of narrow integers and half floats as well."""
    wide = "float32" if tensor.is_floating_point() else "int32"
    return paddle.abs(tensor.astype(wide)).astype(tensor.dtype)


def torch_rsqrt(tensor: paddle.Tensor) -> paddle.Tensor:
    """One over the square root, of integers and complex numbers as well."""
    tensor = torch_inexact(tensor)
    if tensor.is_complex():
        return 1 / paddle.sqrt(tensor)
    return paddle.rsqrt(tensor)


def torch_erfc(tensor: paddle.Tensor) -> paddle.Tensor:
    """The complementary error function, exact for large values through the incomplete gamma."""
    if not tensor.is_floating_point():
        tensor = tensor.astype(paddle.get_default_dtype())
    # Paddle's gamma function takes neither NaN nor infinity; beyond 30 all is zero anyway.
    large = paddle.where(tensor > 0.5, tensor, paddle.ones_like(tensor))
    squared = paddle.square(paddle.where(large < 30, large, paddle.full_like(large, 30.0)))
    tail = paddle.gammaincc(paddle.full_like(tensor, 0.5), squared)
    return paddle.where(tensor > 0.5, tail, 1 - paddle.erf(tensor))


def torch_exp2(tensor: paddle.Tensor) -> paddle.Tensor:
    """Two to the power of each value."""
    tensor = torch_inexact(tensor)
    if tensor.is_complex():
        return paddle.exp(tensor * 0.6931471805599453)
    return paddle.pow(paddle.full([], 2.0, dtype=tensor.dtype), tensor)


def torch_positive(tensor: paddle.Tensor) -> paddle.Tensor:
    """The tensor itself; truth values have no sign."""
    if tensor.dtype == paddle.bool:
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return tensor


def torch_logit(tensor: paddle.Tensor, eps: float | None = None) -> paddle.Tensor:
    """The logarithm of the odds; with `eps` of values held away from 0 and 1."""
    tensor = torch_inexact(tensor)
    if eps is not None:
        low, high = paddle.full_like(tensor, eps), paddle.full_like(tensor, 1 - eps)
        tensor = paddle.where(tensor < low, low, paddle.where(tensor > high, high, tensor))
    else:  # beyond 0 and 1 the gradient is NaN as well
        ones = paddle.ones_like(tensor)
        tensor = tensor * paddle.where((tensor < 0) | (tensor > 1), ones * float("nan"), ones)
    if tensor.stop_gradient:
        return paddle.log(tensor / (1 - tensor))
    # At 0 and 1 the gradient of the quotient would be no number.
    half = paddle.full_like(tensor, 0.5)
    edge = (tensor == 0) | (tensor == 1)
    end, inner = paddle.where(edge, tensor, half), paddle.where(edge, half, tensor)
    steep = paddle.log(end) - paddle.log1p(-end)
    return paddle.where(edge, steep, paddle.log(inner / (1 - inner)))


def torch_real(tensor: paddle.Tensor) -> paddle.Tensor:
    """The real part; real tensors as they are."""
    return paddle.real(tensor) if tensor.is_complex() else tensor


def torch_frexp(tensor: paddle.Tensor) -> TorchFrexp:
    """Each value as a fraction and a power of two."""
    mantissa, exponent = paddle.frexp(tensor)
    return TorchFrexp(mantissa, exponent.detach().astype("int32"))


def torch_sign(tensor: paddle.Tensor) -> paddle.Tensor:
    """The sign; zero of what is no number, and truth values as they are."""
    if tensor.dtype == paddle.bool:
        return tensor
    found = paddle.sign(tensor)
    if not tensor.is_floating_point():
        return found
    return paddle.where(paddle.isnan(tensor), paddle.zeros_like(found), found)


def torch_sgn(tensor: paddle.Tensor) -> paddle.Tensor:
    """The sign; of complex numbers the direction."""
    return paddle.sgn(tensor) if tensor.is_complex() else torch_sign(tensor)


def torch_nan_to_num(tensor: paddle.Tensor, nan: Any, posinf: Any, neginf: Any) -> paddle.Tensor:
    """Numbers in the place of NaN and infinity; integers as they are."""
    if tensor.is_complex():
        parts = (tensor.real(), tensor.imag())
        return paddle.complex(*(torch_nan_to_num(one, nan, posinf, neginf) for one in parts))
    if not tensor.is_floating_point():
        return tensor.clone()
    if tensor.dtype in (paddle.float16, paddle.bfloat16):  # no kernels on a CPU
        limits = paddle.finfo(tensor.dtype)
        high = limits.max if posinf is None else posinf
        low = limits.min if neginf is None else neginf
        return torch_nan_to_num(tensor.astype("float32"), nan, high, low).astype(tensor.dtype)
    return paddle.nan_to_num(tensor, 0.0 if nan is None else nan, posinf, neginf)


def torch_erfinv(tensor: paddle.Tensor) -> paddle.Tensor:
    """The inverse error function, which is no number beyond -1 and 1.

    It is steep near these, where Paddle's float32 is not as exact as torch's.
    """
    tensor = torch_inexact(tensor)
    beyond = paddle.full_like(tensor, float("nan"))
    found = paddle.erfinv(tensor.astype("float64")).astype(tensor.dtype)
    return paddle.where(tensor.abs() > 1, beyond, found)


def torch_digamma(tensor: paddle.Tensor) -> paddle.Tensor:
    """The digamma function; below zero by reflection, since Paddle's gradient fails there."""
    tensor = torch_inexact(tensor)
    below = tensor < 0
    inner = paddle.where(below, 1 - tensor, tensor)
    # What is beside a whole number alone: it is exact, and the tangent repeats itself.
    fraction = paddle.where(below, tensor - paddle.round(tensor.detach()), tensor)
    angle = paddle.where(below, fraction, paddle.full_like(tensor, 0.5)) * 3.141592653589793
    reflected = 3.141592653589793 / paddle.tan(angle) * below.astype(tensor.dtype)
    pole = below & (tensor == paddle.floor(tensor))
    return paddle.where(
        pole, paddle.full_like(tensor, float("nan")), paddle.digamma(inner) - reflected
    )
