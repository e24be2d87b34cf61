"""The Airy function: its power series near zero, its asymptotic series beyond."""

from __future__ import annotations

import math

import paddle

from workbench.targets.paddle.math.helpers.special import torch_floating


def torch_airy_series(x: paddle.Tensor) -> paddle.Tensor:
    """The power series, for values whose terms do not outgrow their sum."""
    cube, even, odd = x**3, paddle.ones_like(x), x
    sum_even, sum_odd = even, odd
    for k in range(3, 150, 3):
        even, odd = even * cube / (k * (k - 1)), odd * cube / (k * (k + 1))
        sum_even, sum_odd = sum_even + even, sum_odd + odd
    start = 1 / (3 ** (2 / 3) * math.gamma(2 / 3))
    slope = 1 / (3 ** (1 / 3) * math.gamma(1 / 3))
    return start * sum_even - slope * sum_odd


def torch_airy_tail(x: paddle.Tensor) -> paddle.Tensor:
    """The asymptotic series: a decay above zero, waves below."""
    size = x.abs()
    phase = 2 / 3 * size**1.5
    terms, coefficient = [paddle.ones_like(x)], 1.0
    for k in range(1, 14):
        coefficient *= (6 * k - 5) * (6 * k - 3) * (6 * k - 1) / (216 * k * (2 * k - 1))
        terms.append(coefficient / phase**k)
    root = math.sqrt(math.pi) * size**0.25
    signed = [term * (-1) ** k for k, term in enumerate(terms)]
    above = sum(signed[1:], signed[0]) * paddle.exp(-phase) / (2 * root)
    whole = [term * (-1) ** k for k, term in enumerate(terms[::2])]
    half = [term * (-1) ** k for k, term in enumerate(terms[1::2])]
    turned = phase + math.pi / 4
    below = paddle.sin(turned) * sum(whole[1:], whole[0])
    below = (below - paddle.cos(turned) * sum(half[1:], half[0])) / root
    return paddle.where(x > 0, above, below)


def torch_airy_ai(input: paddle.Tensor) -> paddle.Tensor:
    """`torch.special.airy_ai` in float64, without a gradient; torch's is off by 3e-6 near -2.1."""
    given = torch_floating(input.detach())
    x = given.astype("float64")
    near = x.abs() < 5.5
    series = torch_airy_series(paddle.where(near, x, paddle.zeros_like(x)))
    tail = torch_airy_tail(paddle.where(near, paddle.full_like(x, 6.0), x))
    value = paddle.where(near, series, tail)
    lost = paddle.isnan(x) | paddle.isinf(x)
    return paddle.where(lost, paddle.full_like(x, math.nan), value).astype(given.dtype)
