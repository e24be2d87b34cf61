"""How far distributions are from distributions of another kind."""

from __future__ import annotations

import math
from typing import Any

import paddle


def torch_expected_log(p: Any) -> Any:
    """What the logarithm of a positive value is on average."""
    kind = type(p).__name__
    if kind == "Beta":
        one, both = p.concentration1, p.concentration1 + p.concentration0
        return paddle.digamma(one) - paddle.digamma(both)
    if kind == "Exponential":
        return -p.rate.log() - 0.57721566490153286060
    if kind == "Pareto":
        return p.scale.log() + p.alpha.reciprocal()
    high, low = (value * value.log() for value in (p.high, p.low))
    low = paddle.where(p.low == 0, paddle.zeros_like(low), low)
    return (high - low) / (p.high - p.low) - 1


def torch_needed_across(p: Any, q: Any) -> Any:
    """What `q` would need to tell values of `p`; None where there is no formula for it."""
    kinds = type(p).__name__, type(q).__name__
    spread = (
        "Beta",
        "ContinuousBernoulli",
        "Exponential",
        "Gamma",
        "Gumbel",
        "Laplace",
        "Pareto",
        "Uniform",
    )
    if kinds[1] == "Normal" and kinds[0] in spread:
        away = (p.variance + (p.mean - q.loc) ** 2) / (2 * q.scale**2)
        return away + q.scale.log() + 0.5 * math.log(2 * math.pi)
    if kinds[1] == "Exponential" and kinds[0] in (
        "Beta",
        "ContinuousBernoulli",
        "Gamma",
        "Pareto",
        "Uniform",
    ):
        return q.rate * p.mean - q.rate.log()
    if kinds[1] == "Gamma" and kinds[0] in ("Beta", "Exponential", "Pareto", "Uniform"):
        shape, rate = q.concentration, q.rate
        drawn = (shape - 1) * torch_expected_log(p)
        return rate * p.mean - drawn - shape * rate.log() + paddle.lgamma(shape)
    if kinds in (("Beta", "Uniform"), ("ContinuousBernoulli", "Uniform")):
        needed = (q.high - q.low).log()
        return paddle.where((q.low <= 0) & (q.high >= 1), needed, needed + math.inf)
    return None


def torch_divergence_across(p: Any, q: Any) -> Any:
    """The divergence of two distributions of different kinds."""
    bounded = ("Beta", "ContinuousBernoulli", "Pareto", "Uniform")
    everywhere = ("Beta", "ContinuousBernoulli", "Exponential", "Gamma", "Pareto", "Uniform")
    never = {  # of the kinds whose values the others cannot all have
        "Beta": ("Pareto",),
        "ContinuousBernoulli": ("Pareto",),
        "Exponential": bounded,
        "Gamma": bounded,
        "Gumbel": everywhere,
        "Laplace": everywhere,
        "Normal": everywhere,
        "Pareto": ("Beta", "ContinuousBernoulli", "Uniform"),
        "Poisson": ("Bernoulli", "Binomial"),
    }
    if type(q).__name__ in never.get(type(p).__name__, ()):
        return paddle.full_like(p.mean, math.inf)
    needed = torch_needed_across(p, q)
    if needed is None:
        raise NotImplementedError(f"no KL divergence of {type(p).__name__} and {type(q).__name__}")
    result = needed - p.entropy()
    outside = type(p).__name__ == "Uniform" and type(q).__name__ in ("Exponential", "Gamma")
    return paddle.where(p.low < 0, result + math.inf, result) if outside else result
