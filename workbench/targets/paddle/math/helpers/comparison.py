"""Comparisons whose answer is a Python value, or that take any dtypes."""

from __future__ import annotations

from typing import Any

import paddle

from workbench.targets.paddle.math.helpers.arithmetic import torch_binary_float, torch_operands
from workbench.targets.paddle.math.helpers.dtypes import torch_kind


def torch_equal(first: paddle.Tensor, second: paddle.Tensor) -> bool:
    """Whether two tensors have the same shape and the same values."""
    if list(first.shape) != list(second.shape):
        return False
    return bool((torch_operands(first, second)[0] == torch_operands(first, second)[1]).all())


def torch_isclose(
    first: paddle.Tensor, second: paddle.Tensor, rtol: float, atol: float, equal_nan: bool
) -> paddle.Tensor:
    """Which values are close to each other; integers are compared as well."""
    if torch_kind(first.dtype) < 2:
        first, second = first.astype("float64"), second.astype("float64")
    close = (first == second) | (
        ((first - second).abs() <= atol + rtol * second.abs()) & paddle.isfinite(first - second)
    )
    return close | (paddle.isnan(first) & paddle.isnan(second)) if equal_nan else close


def torch_isin(elements: Any, tests: Any, invert: bool = False) -> paddle.Tensor:
    """Which elements are among others; either may be a number."""
    first, second = torch_operands(elements, tests)
    found = (first.unsqueeze(-1) == second.flatten()).any(axis=-1)
    return paddle.logical_not(found) if invert else found


def torch_xlogy(first: Any, second: Any) -> paddle.Tensor:
    """A factor times a logarithm; nothing where the factor is zero."""

    def value(factor: paddle.Tensor, of: paddle.Tensor) -> paddle.Tensor:
        # Of other values the logarithm stays: it is the slope by the factor, at 0 too.
        none = (factor == 0) & ((of <= 0) | paddle.isinf(of))
        inner = paddle.where(none, paddle.ones_like(of), of)
        found = paddle.where(none, paddle.zeros_like(factor), factor * paddle.log(inner))
        return torch_steep(found, of, (factor == 0) & (of == 0))

    return torch_binary_float(first, second, value)


def torch_steep(
    value: paddle.Tensor, source: paddle.Tensor, places: paddle.Tensor
) -> paddle.Tensor:
    """A value whose gradient by a source is NaN where that is zero in these places, as of 0/0."""
    if source.stop_gradient:
        return value
    zero = paddle.where(places, source, paddle.ones_like(source))
    return value + paddle.where(places, paddle.sqrt(zero * zero), paddle.zeros_like(zero))


def torch_logaddexp(first: paddle.Tensor, second: paddle.Tensor) -> paddle.Tensor:
    """The logarithm of a sum of powers, which of two equal infinities is the same one."""
    ahead = first >= second
    low, high = paddle.where(ahead, second, first), paddle.where(ahead, first, second)
    same = paddle.isinf(first) & (first == second)
    # Paddle's own has no gradient beside an infinity.
    return paddle.where(same, first, high + paddle.nn.functional.softplus(low - high))


def torch_logaddexp2(first: Any, second: Any) -> paddle.Tensor:
    """The logarithm of a sum of powers, to the base of two."""
    log2 = 0.6931471805599453

    def value(one: paddle.Tensor, two: paddle.Tensor) -> paddle.Tensor:
        return torch_logaddexp(one * log2, two * log2) / log2

    return torch_binary_float(first, second, value)


def torch_ldexp(tensor: paddle.Tensor, other: Any) -> paddle.Tensor:
    """A tensor times a power of two."""
    exponent = other.astype("float32") if torch_kind(other.dtype) < 2 else other
    first, power = torch_operands(
        tensor, paddle.pow(paddle.full([], 2.0, dtype=exponent.dtype), exponent)
    )
    return first * power


def torch_is_nonzero(tensor: paddle.Tensor) -> bool:
    """Whether a tensor's single value is not zero."""
    if tensor.size != 1:
        kind = "more than one value" if tensor.size else "no values"
        raise RuntimeError(f"Boolean value of Tensor with {kind} is ambiguous")
    return bool(tensor != 0)
