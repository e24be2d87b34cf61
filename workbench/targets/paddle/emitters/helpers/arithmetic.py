"""Arithmetic of elements, with torch's results at the edges: zero, infinity, NaN, the last bit."""

# Paddle types part of itself, which strict checking would have us say again at every call.
# mypy: disable-error-code="no-untyped-call, arg-type"

from __future__ import annotations

from typing import Any

import paddle


def _log_sigmoid(x: Any) -> Any:
    """log(sigmoid(x)), also where exp(-x) is far below 1; Paddle's own is NaN at -inf."""
    below = x < 0
    small = paddle.where(below, x, -x)
    return paddle.where(below, x, paddle.zeros_like(x)) - paddle.log1p(paddle.exp(small))


def _variance(x: Any, correction: float, axis: Any = None, keepdim: bool = False) -> Any:
    """The variance with any correction of its divisor."""
    spread = paddle.square(x - paddle.mean(x, axis=axis, keepdim=True))
    total = paddle.sum(spread, axis=axis, keepdim=keepdim)
    count = x.size // max(total.size, 1)
    return total / max(count - correction, 0)


def _check_divisor(b: Any) -> None:
    """Raise for a whole number divided by zero, which the processor would trap."""
    zero = bool((b == 0).any()) if isinstance(b, paddle.Tensor) else b == 0
    if zero:
        raise ZeroDivisionError("ZeroDivisionError")


def _truncating_divide(a: Any, b: Any) -> Any:
    """Whole numbers divided, rounded towards zero."""
    _check_divisor(b)
    quotient = paddle.floor_divide(
        a, b if isinstance(b, paddle.Tensor) else paddle.full([], b, a.dtype)
    )
    inexact = quotient * b != a
    return quotient + paddle.logical_and(inexact, quotient < 0).astype(quotient.dtype)


def _integer_floor_divide(a: Any, b: Any) -> Any:
    """Whole numbers divided, rounded down."""
    _check_divisor(b)
    if not isinstance(a, paddle.Tensor):
        a = paddle.full([], a, b.dtype)
    return paddle.floor_divide(
        a, b if isinstance(b, paddle.Tensor) else paddle.full([], b, a.dtype)
    )


def _integer_remainder(a: Any, b: Any) -> Any:
    """The remainder of whole numbers, with the sign of the divisor."""
    _check_divisor(b)
    return paddle.remainder(a, b if isinstance(b, paddle.Tensor) else paddle.full([], b, a.dtype))


def _floor_divide(a: Any, b: Any) -> Any:
    """Floating point numbers divided and rounded down, by way of the exact remainder."""
    if not isinstance(a, paddle.Tensor):
        a = paddle.full([], a, b.dtype)
    if not isinstance(b, paddle.Tensor):
        b = paddle.full([], b, a.dtype)
    rest = paddle.remainder(a, b)
    quotient = paddle.round((a - rest) / b)
    return paddle.where(b == 0, a / b, quotient)


def _fmod(a: Any, b: Any) -> Any:
    """The remainder with the sign of the dividend."""
    if not isinstance(a, paddle.Tensor):
        a = paddle.full([], a, b.dtype)
    return paddle.sign(a) * paddle.remainder(paddle.abs(a), paddle.abs(b))


def _integer_power(a: Any, b: Any) -> Any:
    """Whole numbers to whole powers; Paddle would never return from a negative one."""
    if isinstance(b, paddle.Tensor) and b.size and int(b.min()) < 0:
        raise ValueError("Integers to negative integer powers are not allowed.")
    return paddle.pow(a, b)


def _integer_einsum(equation: str, *operands: Any) -> Any:
    """A contraction of whole numbers: the product of all, summed over what the result lacks."""
    inputs, result = equation.split("->")
    letters = result + "".join(sorted(set(inputs) - set(result) - {","}))
    product: Any = 1
    for names, x in zip(inputs.split(","), operands, strict=True):
        order = [names.index(letter) for letter in letters if letter in names]
        sizes = [x.shape[names.index(name)] if name in names else 1 for name in letters]
        product = product * paddle.transpose(x, order).reshape(sizes)
    summed = list(range(len(result), len(letters)))
    return paddle.sum(product, axis=summed) if summed else product


def _log_softmax(x: Any, axis: int) -> Any:
    """The logarithm of softmax, exact also where an element is far below the largest."""
    if not x.shape:
        return x - x
    lower = x - paddle.max(x.detach(), axis=axis, keepdim=True)
    return lower - paddle.log(paddle.sum(paddle.exp(lower), axis=axis, keepdim=True))


def _logsumexp(x: Any, axis: Any = None, keepdim: bool = False) -> Any:
    """The logarithm of a sum of exponentials along axes, of any number of dimensions."""
    most = paddle.max(x.detach(), axis=axis, keepdim=True)
    most = paddle.where(paddle.isinf(most), paddle.zeros_like(most), most)
    found = paddle.log(paddle.sum(paddle.exp(x - most), axis=axis, keepdim=True)) + most
    return found if keepdim else found.squeeze(axis)


def _logaddexp(a: Any, b: Any) -> Any:
    """The logarithm of a sum of exponentials; equal infinities stay what they are."""
    larger = paddle.maximum(a, b)
    sum_ = larger + paddle.log1p(paddle.exp(-paddle.abs(a - b)))
    return paddle.where(paddle.logical_and(a == b, paddle.isinf(a)), larger, sum_)


def _lerp(a: Any, b: Any, weight: Any) -> Any:
    """Between a and b, from the nearer end: exact at both."""
    near = weight < 0.5
    if isinstance(weight, paddle.Tensor):
        return paddle.where(near, a + weight * (b - a), b - (b - a) * (1 - weight))
    return a + weight * (b - a) if near else b - (b - a) * (1 - weight)


def _cast_items(values: Any, dtypes: list[Any]) -> Any:
    """The items of a tuple in these dtypes; None leaves one as it is."""
    pairs = zip(values, dtypes, strict=True)
    return tuple(x if dtype is None else x.astype(dtype) for x, dtype in pairs)


def _histogram(x: Any, bins: int, low: Any, high: Any) -> Any:
    """How many elements lie in each of some bins of equal width, the last one closed."""
    x = x.flatten()
    if low == high:
        least, most = paddle.min(x), paddle.max(x)
        apart = (least == most).astype(x.dtype)
        low, high = least - apart, most + apart
    inside = paddle.logical_and(x >= low, x <= high)
    place = paddle.clip(paddle.floor((x - low) * (bins / (high - low))), 0, bins - 1)
    place = paddle.where(inside, place, paddle.full([], bins, x.dtype)).astype("int64")
    return paddle.bincount(place, minlength=bins + 1)[:bins].astype(x.dtype)


def _quantization_range(
    x: Any, low: int, high: int, eps: float, symmetric: float | None = None
) -> Any:
    """The scale and zero point that let all of x, and zero, be whole numbers from low to high."""
    least = paddle.minimum(paddle.min(x), paddle.zeros([], x.dtype))
    most = paddle.maximum(paddle.max(x), paddle.zeros([], x.dtype))
    if symmetric is not None:
        scale = paddle.maximum(-least, most) / ((high - low) / 2)
        zero = paddle.full([1], symmetric, "int64")
    else:
        scale = (most - least) / float(high - low)
    scale = paddle.maximum(scale, paddle.full([], eps, x.dtype))
    if symmetric is None:
        zero = paddle.clip(low - paddle.round(least / scale), low, high).astype("int64")
    return scale.reshape([1]).astype("float64"), zero.reshape([1])
