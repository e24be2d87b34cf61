"""Bessel functions and the zeta function, to the precision of float64."""

from __future__ import annotations

import math
from typing import Any

import paddle

from workbench.targets.paddle.math.helpers.arithmetic import torch_binary_float
from workbench.targets.paddle.math.helpers.special import torch_floating
from workbench.targets.paddle.tensors.helpers.grad import torch_flat


def torch_bessel_orders(x: paddle.Tensor, count: int = 96) -> list[paddle.Tensor]:
    """J of the orders 0 to `count - 1` at values from 0 to 30, by recurrence from above.

    Each step is scaled by what came before, so that small values do not leave the range.
    """
    ratios = [paddle.zeros_like(x)]
    for order in range(count, 0, -1):
        ratios.append(x / (2 * order - x * ratios[-1]))
    ratios = ratios[:0:-1]
    values = [paddle.ones_like(x)]
    for ratio in ratios[: count - 1]:
        values.append(values[-1] * ratio)
    norm = values[0] + 2 * paddle.add_n(values[2::2])
    return [value / norm for value in values]


def torch_hankel(x: paddle.Tensor, order: int) -> tuple[paddle.Tensor, paddle.Tensor]:
    """J and Y of one order at values above 25, by their asymptotic series."""
    term = paddle.ones_like(x)
    even: list[paddle.Tensor] = [term]
    odd: list[paddle.Tensor] = []
    for k in range(1, 24):
        term = term * ((4 * order**2 - (2 * k - 1) ** 2) / (8 * k)) / x
        (odd if k % 2 else even).append(term if k % 4 < 2 else -term)
    angle = x - (order / 2 + 0.25) * math.pi
    p, q = paddle.add_n(even), paddle.add_n(odd)
    scale = paddle.sqrt(2 / (math.pi * x))
    sine, cosine = paddle.sin(angle), paddle.cos(angle)
    return scale * (p * cosine - q * sine), scale * (p * sine + q * cosine)


def torch_bessel(kind: str, order: int, tensor: paddle.Tensor) -> paddle.Tensor:
    """The Bessel function of the first kind, `j`, or of the second, `y`; of order 0 or 1."""
    tensor = torch_floating(tensor.detach())
    wide = tensor.astype("float64")
    x = wide.abs()
    far = x > 25
    near = paddle.where(far | paddle.isnan(x), paddle.ones_like(x), x)
    large = paddle.where(far, x, paddle.full_like(x, 30.0))
    j, y = torch_hankel(large, order)
    orders = torch_bessel_orders(near)
    if kind == "j":
        value = paddle.where(far, j, orders[order])
        value = paddle.where(wide < 0, -value, value) if order else value
    else:
        value = paddle.where(far, y, torch_neumann(orders, near, order))
        value = paddle.where(x == 0, paddle.full_like(x, -math.inf), value)
        value = paddle.where(wide < 0, paddle.full_like(x, math.nan), value)
    return paddle.where(paddle.isnan(x), x, value).astype(tensor.dtype)


def torch_neumann(orders: list[paddle.Tensor], x: paddle.Tensor, order: int) -> paddle.Tensor:
    """Y of order 0 or 1, from J of all orders."""
    log = paddle.log(x / 2) + 0.5772156649015329
    if order == 0:
        series = [(-1) ** k / k * orders[2 * k] for k in range(1, 40)]
        return 2 / math.pi * (log * orders[0] - 2 * paddle.add_n(series))
    slopes = [(-1) ** k / k * (orders[2 * k - 1] - orders[2 * k + 1]) / 2 for k in range(1, 40)]
    return 2 / math.pi * (log * orders[1] - orders[0] / x + 2 * paddle.add_n(slopes))


def torch_bessel_k(order: int, tensor: paddle.Tensor, scaled: bool = False) -> paddle.Tensor:
    """The modified Bessel function of the second kind; scaled, times the exponential of x."""
    tensor = torch_floating(tensor.detach())
    x = tensor.astype("float64")
    far = x > 40
    near = paddle.where(far | ~(x > 0), paddle.ones_like(x), x).unsqueeze(-1)
    step = 0.0625
    t = paddle.arange(1, 736, dtype="float64") * step
    # The integral of exp(-x (cosh t - 1)) cosh(order t): its sums converge exponentially.
    inner = paddle.exp(-near * (paddle.cosh(t) - 1) + order * t)
    inner = (inner + paddle.exp(-near * (paddle.cosh(t) - 1) - order * t)) / 2
    value = step * (0.5 + inner.sum(-1))
    large = paddle.where(far, x, paddle.full_like(x, 50.0))
    term = paddle.ones_like(x)
    terms = [term]
    for k in range(1, 24):
        term = term * ((4 * order**2 - (2 * k - 1) ** 2) / (8 * k)) / large
        terms.append(term)
    tail = paddle.sqrt(math.pi / (2 * large)) * paddle.add_n(terms)
    value = paddle.where(far, tail, value)
    value = value if scaled else value * paddle.exp(-x)
    value = paddle.where(paddle.isinf(x), paddle.zeros_like(x), value)
    value = paddle.where(x == 0, paddle.full_like(x, math.inf), value)
    value = paddle.where(x < 0, paddle.full_like(x, math.nan), value)
    return paddle.where(paddle.isnan(x), x, value).astype(tensor.dtype)


def torch_zeta(x: Any, q: Any) -> paddle.Tensor:
    """The Hurwitz zeta function, by the summation of Euler and Maclaurin."""

    def value(x: paddle.Tensor, q: paddle.Tensor) -> paddle.Tensor:
        dtype = x.dtype
        x, q = x.detach().astype("float64"), q.detach().astype("float64")
        total = paddle.add_n([paddle.pow(q + k, -x) for k in range(12)])
        end = q + 12
        total = total + paddle.pow(end, 1 - x) / (x - 1) + paddle.pow(end, -x) / 2
        factor = x * paddle.pow(end, -x - 1)
        numbers = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)
        for k, bernoulli in enumerate(numbers, 1):
            total = total + bernoulli / math.factorial(2 * k) * factor
            factor = factor * (x + 2 * k - 1) * (x + 2 * k) / (end * end)
        whole = (q <= 0) & (q == paddle.floor(q))
        total = paddle.where(whole | (x == 1), paddle.full_like(total, math.inf), total)
        invalid = (x < 1) | ((q < 0) & ~whole & (x != paddle.floor(x)))
        return paddle.where(invalid, paddle.full_like(total, math.nan), total).astype(dtype)

    def differentiable(x: paddle.Tensor, q: paddle.Tensor) -> paddle.Tensor:
        found = torch_flat(value(x, q), x)
        if q.stop_gradient:
            return found
        slope = -x.detach() * value(x + 1, q)
        return found + slope * (q - q.detach())

    return torch_binary_float(x, q, differentiable)
