"""Arithmetic and comparisons between tensors and numbers of any dtypes, as torch promotes them."""

from __future__ import annotations

from typing import Any

import paddle

from workbench.targets.paddle.math.helpers.dtypes import (
    torch_kind,
    torch_result_type,
    torch_with_kernels,
)
from workbench.targets.paddle.tensors.helpers.grad import torch_flat


def torch_operands(first: Any, second: Any) -> tuple[paddle.Tensor, paddle.Tensor]:
    """Both as tensors of the dtype that torch computes in."""
    dtype = torch_result_type(first, second)
    return tuple(  # type: ignore[return-value]
        (value if value.dtype == dtype else value.astype(dtype))
        if isinstance(value, paddle.Tensor)
        else paddle.to_tensor(value, dtype=dtype)
        for value in (first, second)
    )


def torch_add(input: Any, other: Any, alpha: Any = 1) -> paddle.Tensor:
    """The sum; of truth values their disjunction."""
    first, second = torch_operands(input, other)
    if alpha != 1:
        second = (second * alpha).astype(second.dtype)
    if first.dtype == paddle.bool:
        return paddle.logical_or(first, second)
    return torch_with_kernels(paddle.add, first, second)


def torch_sub(input: Any, other: Any, alpha: Any = 1) -> paddle.Tensor:
    """The difference."""
    first, second = torch_operands(input, other)
    second = (second * alpha).astype(second.dtype) if alpha != 1 else second
    return torch_with_kernels(paddle.subtract, first, second)


def torch_rsub(first: Any, second: Any, alpha: Any = 1) -> paddle.Tensor:
    """The second less the first."""
    return torch_sub(second, first, alpha)


def torch_mul(input: Any, other: Any) -> paddle.Tensor:
    """The product; of truth values their conjunction."""
    first, second = torch_operands(input, other)
    if first.dtype == paddle.bool:
        return paddle.logical_and(first, second)
    return torch_with_kernels(paddle.multiply, first, second)


def torch_outer(input: paddle.Tensor, vec2: paddle.Tensor) -> paddle.Tensor:
    """Products of every pair, in the dtype that torch computes in."""
    return torch_mul(input.unsqueeze(1), vec2)


def torch_div(input: Any, other: Any, rounding_mode: str | None = None) -> paddle.Tensor:
    """The quotient; of integers a floating one, unless it is rounded."""
    first, second = torch_operands(input, other)
    if rounding_mode is None:
        if torch_kind(first.dtype) < 2:
            default = paddle.get_default_dtype()
            first, second = first.astype(default), second.astype(default)
        return torch_with_kernels(paddle.divide, first, second)
    if rounding_mode == "floor":
        return torch_floor_divide(first, second)
    if first.dtype in (paddle.uint8, paddle.int8, paddle.int16):  # few kernels on a CPU
        wide = torch_div(first.astype("int32"), second.astype("int32"), rounding_mode)
        return wide.astype(first.dtype)
    if torch_kind(first.dtype) < 2:
        quotient = paddle.floor_divide(first, second)
        rest = first - quotient * second
        up = (rest != 0) & (quotient < 0)
        return quotient + up.astype(quotient.dtype)
    return paddle.trunc(first / second)


def torch_floor_divide(first: Any, second: Any) -> paddle.Tensor:
    """The quotient, rounded down."""
    first, second = torch_operands(first, second)
    if torch_kind(first.dtype) < 2 and bool((second == 0).any()):
        raise RuntimeError("ZeroDivisionError")
    if torch_kind(first.dtype) < 2:
        return torch_with_kernels(paddle.floor_divide, first, second)
    if first.dtype == paddle.float16:  # few kernels on a CPU
        whole = torch_floor_divide(first.astype("float32"), second.astype("float32"))
        return whole.astype("float16")
    rest = torch_fmod(first, second)
    down = (rest != 0) & ((rest < 0) != (second < 0))
    quotient = (first - rest) / second - down.astype(first.dtype)
    whole = paddle.floor(quotient)
    whole = whole + ((quotient - whole) > 0.5).astype(first.dtype)
    return paddle.where(
        second == 0, first / second, paddle.where(quotient == 0, first / second * 0, whole)
    )


def torch_remainder(first: Any, second: Any) -> paddle.Tensor:
    """The rest of a division that rounds down: it has the sign of the divisor."""
    return torch_with_kernels(paddle.remainder, *torch_operands(first, second))


def torch_fmod(first: Any, second: Any) -> paddle.Tensor:
    """The rest of a division that rounds towards zero: it has the sign of the dividend."""
    return torch_with_kernels(torch_rest, *torch_operands(first, second))


def torch_rest(first: paddle.Tensor, second: paddle.Tensor) -> paddle.Tensor:
    """The rest of a division with the sign of the dividend, for tensors of one dtype."""
    rest = paddle.remainder(first.abs(), second.abs())
    return paddle.where(first < 0, -rest, rest)


def torch_pow(base: Any, exponent: Any) -> paddle.Tensor:
    """A power; one of integers with a negative exponent, which Paddle never returns from, too."""
    number = not isinstance(exponent, paddle.Tensor)
    base, exponent = torch_operands(base, exponent)
    if torch_kind(base.dtype) == 3 and not exponent.stop_gradient:
        # Paddle's own gradient of complex exponents is another.
        none = base == 0
        power = paddle.exp(exponent * paddle.log(paddle.where(none, paddle.ones_like(base), base)))
        return paddle.where(none, paddle.pow(base.detach(), exponent.detach()), power)
    if torch_kind(base.dtype) > 1:
        return torch_with_kernels(paddle.pow, base, exponent)
    if base.dtype in (paddle.uint8, paddle.int8, paddle.int16):  # few kernels on a CPU
        power = int(exponent) if number else exponent.astype("int32")
        return torch_pow(base.astype("int32"), power).astype(base.dtype)
    if base.dtype == paddle.bool:
        return (base.astype("int32") ** exponent.astype("int32")).astype("bool")
    negative = exponent < 0
    if not bool(negative.any()):
        return torch_with_kernels(paddle.pow, base, exponent)
    if number:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    whole = (base == 1) | (base == -1)  # of other integers nothing is left of a fraction
    power = paddle.pow(base, paddle.where(negative, exponent % 2, exponent))
    return paddle.where(negative & ~whole, paddle.zeros_like(power), power)


def torch_float_power(base: Any, exponent: Any) -> paddle.Tensor:
    """A power in double precision."""
    dtype = "complex128" if torch_kind(torch_result_type(base, exponent)) == 3 else "float64"
    values = [
        value.astype(dtype) if isinstance(value, paddle.Tensor) else paddle.to_tensor(value, dtype)
        for value in (base, exponent)
    ]
    return paddle.pow(*values)


def torch_binary(first: Any, second: Any, function: Any) -> paddle.Tensor:
    """A function of two tensors or numbers, in the dtype that torch computes in."""
    first, second = torch_operands(first, second)
    if first.dtype == paddle.bool:  # no kernel on a CPU
        return function(first.astype("int32"), second.astype("int32")).astype("bool")
    return torch_with_kernels(function, first, second)


def torch_binary_float(first: Any, second: Any, function: Any) -> paddle.Tensor:
    """The same for a function of floating numbers: integers become floating first."""
    default = paddle.get_default_dtype()
    if not isinstance(second, paddle.Tensor) and torch_kind(first.dtype) < 2:
        first = first.astype(default)  # before a number, which may be below zero
    first, second = torch_operands(first, second)
    if torch_kind(first.dtype) < 2:
        first, second = first.astype(default), second.astype(default)
    return function(first, second)


def torch_next_number(first: paddle.Tensor, second: paddle.Tensor) -> paddle.Tensor:
    """The number beside another one, on the way to a third, and as steep as the first."""
    beside = torch_flat(paddle.nextafter(first.detach(), second.detach()), first, second)
    moves = (first != second) & paddle.isfinite(first)
    return beside + paddle.where(moves, first - first.detach(), paddle.zeros_like(first))


def torch_atan2(first: paddle.Tensor, second: paddle.Tensor) -> paddle.Tensor:
    """The angle of a point; in the origin its gradient is zero, and Paddle's none."""
    if first.stop_gradient and second.stop_gradient:
        return paddle.atan2(first, second)
    origin = (first == 0) & (second == 0)
    moved = paddle.where(origin, paddle.ones_like(second), second)
    still = paddle.atan2(first.detach(), second.detach())
    return paddle.where(origin, still, paddle.atan2(first, moved))


def torch_compare(first: Any, second: Any, function: Any) -> paddle.Tensor:
    """A comparison of tensors and numbers of any dtypes."""
    first, second = torch_operands(first, second)
    if first.dtype == paddle.bool and function not in (paddle.equal, paddle.not_equal):
        first, second = first.astype("int32"), second.astype("int32")
    return function(first, second)


def torch_contains(element: Any, container: Any) -> bool:
    """`element in container`, where all values of a tensor are looked through."""
    if isinstance(container, paddle.Tensor):
        return bool(torch_compare(container, element, paddle.equal).any())
    return element in container


def torch_logical(first: Any, second: Any, function: Any) -> paddle.Tensor:
    """A logical operation: whatever is not zero is true."""
    return function(first.astype("bool"), second.astype("bool"))


def torch_choose(condition: paddle.Tensor, first: Any, second: Any) -> paddle.Tensor:
    """Values of two tensors of one dtype; on a CPU Paddle chooses among no narrow numbers."""
    name = str(first.dtype).rpartition(".")[2]
    wide = {"uint8": "int32", "int8": "int32", "int16": "int32"}.get(name)
    wide = "float32" if name in {"float16", "bfloat16"} else wide
    if wide is None:
        return paddle.where(condition, first, second)
    chosen = paddle.where(condition, first.astype(wide), second.astype(wide))
    return chosen.astype(first.dtype)


def torch_clamp(tensor: paddle.Tensor, min: Any = None, max: Any = None) -> paddle.Tensor:
    """Values held between bounds, which may be tensors; the upper bound wins."""
    if min is None and max is None:
        raise RuntimeError("torch.clamp: at least one of min or max must not be None")
    for bound, beyond in ((min, paddle.less_than), (max, paddle.greater_than)):
        if bound is not None:
            tensor, limit = torch_operands(tensor, bound)
            outside = beyond(tensor, limit)
            if isinstance(bound, paddle.Tensor) and torch_kind(limit.dtype) == 2:
                outside = outside | paddle.isnan(limit)
            tensor = torch_choose(outside, limit, tensor)  # a value at its bound has a gradient
    return tensor


def torch_where(condition: Any, first: Any = None, second: Any = None) -> Any:
    """Choose by a condition, or the places where it holds."""
    if first is None and second is None:
        return tuple(paddle.nonzero(condition.astype("bool"), as_tuple=True))
    return torch_choose(condition.astype("bool"), *torch_operands(first, second))


def torch_lerp(start: paddle.Tensor, end: paddle.Tensor, weight: Any) -> paddle.Tensor:
    """Linear interpolation."""
    if isinstance(weight, paddle.Tensor):
        return start + weight * (end - start)
    return (
        start + (end - start) * weight if abs(weight) < 0.5 else end - (end - start) * (1 - weight)
    )


def torch_addcmul(tensor: Any, first: Any, second: Any, value: Any = 1) -> paddle.Tensor:
    """A tensor plus a scaled product, which stays one of integers."""
    product = torch_mul(first, second)
    if torch_kind(product.dtype) < 2 and isinstance(value, float):
        value = int(value)
    return torch_add(tensor, torch_mul(product, value))


def torch_addcdiv(tensor: Any, first: Any, second: Any, value: Any = 1) -> paddle.Tensor:
    """A tensor plus a scaled quotient."""
    return torch_add(tensor, torch_mul(torch_div(first, second), value))
