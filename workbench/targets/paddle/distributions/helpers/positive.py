"""Distributions of positive numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import paddle

from workbench.targets.paddle.distributions.helpers.base import (
    TorchCauchy,
    TorchDistribution,
    TorchNormal,
    torch_parameters,
)
from workbench.targets.paddle.distributions.helpers.constraints import (
    TorchGreaterThan,
    TorchGreaterThanEq,
    torch_constrained,
)
from workbench.targets.paddle.modules.helpers.class_names import torch_named
from workbench.targets.paddle.tensors.helpers.shapes import torch_broadcast_tensors


@torch_named
@torch_constrained(TorchGreaterThanEq(0.0), scale=TorchGreaterThan(0.0))
class TorchHalfNormal(TorchNormal):
    """`torch.distributions.HalfNormal`."""

    names = ("scale",)

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(0, scale)

    @property
    def mean(self) -> Any:
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def mode(self) -> Any:
        return paddle.zeros_like(self.scale)

    @property
    def variance(self) -> Any:
        return self.scale.pow(2) * (1 - 2 / math.pi)

    @property
    def stddev(self) -> Any:
        return self.variance.sqrt()

    def log_prob(self, value: Any) -> Any:
        result = super().log_prob(value) + math.log(2)
        return paddle.where(value >= 0, result, paddle.full_like(result, -math.inf))

    def cdf(self, value: Any) -> Any:
        return 2 * super().cdf(value) - 1

    def icdf(self, value: Any) -> Any:
        return super().icdf((value + 1) / 2)

    def entropy(self) -> Any:
        return super().entropy() - math.log(2)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Any:
        return super().rsample(sample_shape).abs()


@torch_named
@torch_constrained(TorchGreaterThanEq(0.0), scale=TorchGreaterThan(0.0))
class TorchHalfCauchy(TorchCauchy):
    """`torch.distributions.HalfCauchy`."""

    names = ("scale",)

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(0, scale)

    @property
    def mean(self) -> Any:
        return paddle.full_like(self.scale, math.inf)

    @property
    def mode(self) -> Any:
        return paddle.zeros_like(self.scale)

    def log_prob(self, value: Any) -> Any:
        result = super().log_prob(value) + math.log(2)
        return paddle.where(value >= 0, result, paddle.full_like(result, -math.inf))

    def cdf(self, value: Any) -> Any:
        return 2 * super().cdf(value) - 1

    def icdf(self, value: Any) -> Any:
        return super().icdf((value + 1) / 2)

    def entropy(self) -> Any:
        return super().entropy() - math.log(2)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Any:
        return super().rsample(sample_shape).abs()


@torch_named
@torch_constrained(TorchGreaterThanEq(0.0), rate=TorchGreaterThan(0.0))
class TorchExponential(TorchDistribution):
    """`torch.distributions.Exponential`."""

    names = ("rate",)
    has_rsample = True

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        (self.rate,) = torch_parameters(rate)
        super().__init__(self.rate.shape)

    @property
    def mean(self) -> Any:
        return self.rate.reciprocal()

    @property
    def mode(self) -> Any:
        return paddle.zeros_like(self.rate)

    @property
    def stddev(self) -> Any:
        return self.rate.reciprocal()

    @property
    def variance(self) -> Any:
        return self.rate.pow(-2)

    def log_prob(self, value: Any) -> Any:
        return self.rate.log() - self.rate * value

    def cdf(self, value: Any) -> Any:
        return 1 - paddle.exp(-self.rate * value)

    def icdf(self, value: Any) -> Any:
        return -paddle.log1p(-value) / self.rate

    def entropy(self) -> Any:
        return 1 - paddle.log(self.rate)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Any:
        return -paddle.log(self.uniform(sample_shape, self.rate)) / self.rate

    def kl_to(self, other: Any) -> Any:
        ratio = other.rate / self.rate
        return -ratio.log() + ratio - 1


@torch_named
@torch_constrained(
    TorchGreaterThanEq(0.0),
    concentration=TorchGreaterThan(0.0),
    rate=TorchGreaterThan(0.0),
)
class TorchGamma(TorchDistribution):
    """`torch.distributions.Gamma`; Paddle's samples have no gradient."""

    names = ("concentration", "rate")
    has_rsample = True

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        self.concentration, self.rate = torch_parameters(concentration, rate)
        super().__init__(self.rate.shape)

    @property
    def mean(self) -> Any:
        return self.concentration / self.rate

    @property
    def mode(self) -> Any:
        return paddle.clip((self.concentration - 1) / self.rate, min=0)

    @property
    def variance(self) -> Any:
        return self.concentration / self.rate.pow(2)

    def log_prob(self, value: Any) -> Any:
        shape, rate = self.concentration, self.rate
        value = paddle.to_tensor(value).astype(rate.dtype)
        return (
            shape * paddle.log(rate)
            + torch_x_log_y(shape - 1, value)
            - rate * value
            - paddle.lgamma(shape)
        )

    def cdf(self, value: Any) -> Any:
        shape, scaled = torch_broadcast_tensors([self.concentration, self.rate * value])
        return paddle.gammainc(shape, scaled)

    def entropy(self) -> Any:
        shape = self.concentration
        rest = (1 - shape) * paddle.digamma(shape)
        return shape - paddle.log(self.rate) + paddle.lgamma(shape) + rest

    def rsample(self, sample_shape: Sequence[int] = ()) -> Any:
        shape = self.concentration
        if paddle.is_grad_enabled() and not shape.stop_gradient:
            raise NotImplementedError("Paddle's gamma samples have no gradient; use sample()")
        drawn = paddle.standard_gamma(paddle.expand(shape, self.shape_of(sample_shape)))
        return drawn / self.rate

    def kl_to(self, other: Any) -> Any:
        shape, rate = self.concentration, self.rate
        first = other.concentration * (rate / other.rate).log()
        second = paddle.lgamma(other.concentration) - paddle.lgamma(shape)
        third = (shape - other.concentration) * paddle.digamma(shape)
        return first + second + third + (other.rate - rate) * (shape / rate)


def torch_x_log_y(x: Any, y: Any) -> Any:
    """`torch.xlogy`: 0 where x is 0, whatever y is."""
    x, y = torch_broadcast_tensors([x, y])
    # Of other y the logarithm stays: it is the slope by x, at 0 too.
    none = (x == 0) & ((y <= 0) | paddle.isinf(y))
    safe = paddle.where(none, paddle.ones_like(y), y)
    return paddle.where(none, paddle.zeros_like(x), x * paddle.log(safe))


@torch_named
@torch_constrained(TorchGreaterThanEq(0.0), df=TorchGreaterThan(0.0))
class TorchChi2(TorchGamma):
    """`torch.distributions.Chi2`."""

    def __init__(self, df: Any, validate_args: bool | None = None) -> None:
        (freedom,) = torch_parameters(df)
        super().__init__(0.5 * freedom, 0.5)

    @property
    def df(self) -> Any:
        return self.concentration * 2


@torch_named
@torch_constrained(
    TorchGreaterThan(0.0),
    concentration=TorchGreaterThan(0.0),
    rate=TorchGreaterThan(0.0),
)
class TorchInverseGamma(TorchGamma):
    """`torch.distributions.InverseGamma`."""

    @property
    def mean(self) -> Any:
        result = self.rate / (self.concentration - 1)
        return paddle.where(self.concentration > 1, result, paddle.full_like(result, math.inf))

    @property
    def mode(self) -> Any:
        return self.rate / (self.concentration + 1)

    @property
    def variance(self) -> Any:
        shape = self.concentration
        result = self.rate.square() / ((shape - 1).square() * (shape - 2))
        return paddle.where(shape > 2, result, paddle.full_like(result, math.inf))

    def log_prob(self, value: Any) -> Any:
        return super().log_prob(1 / value) - 2 * value.log()

    def cdf(self, value: Any) -> Any:
        return 1 - super().cdf(1 / value)

    def entropy(self) -> Any:
        shape = self.concentration
        rest = (1 + shape) * paddle.digamma(shape)
        return shape + self.rate.log() + paddle.lgamma(shape) - rest

    def rsample(self, sample_shape: Sequence[int] = ()) -> Any:
        return 1 / super().rsample(sample_shape)


@torch_named
@torch_constrained(
    lambda self: TorchGreaterThanEq(self.scale),
    alpha=TorchGreaterThan(0.0),
    scale=TorchGreaterThan(0.0),
)
class TorchPareto(TorchDistribution):
    """`torch.distributions.Pareto`."""

    names = ("scale", "alpha")
    has_rsample = True

    def __init__(self, scale: Any, alpha: Any, validate_args: bool | None = None) -> None:
        self.scale, self.alpha = torch_parameters(scale, alpha)
        super().__init__(self.scale.shape)

    def kl_to(self, other: Any) -> Any:
        ratio = other.alpha / self.alpha
        value = other.alpha * (self.scale / other.scale).log() - ratio.log() + ratio - 1
        outside = self.scale < other.scale
        return paddle.where(outside, paddle.full_like(value, float("inf")), value)

    @property
    def mean(self) -> Any:
        alpha = paddle.clip(self.alpha, min=1)
        return alpha * self.scale / (alpha - 1)

    @property
    def mode(self) -> Any:
        return self.scale

    @property
    def variance(self) -> Any:
        alpha = paddle.clip(self.alpha, min=2)
        return self.scale.pow(2) * alpha / ((alpha - 1).pow(2) * (alpha - 2))

    def log_prob(self, value: Any) -> Any:
        base = paddle.log(self.alpha) + self.alpha * paddle.log(self.scale)
        return base - (self.alpha + 1) * paddle.log(value)

    def cdf(self, value: Any) -> Any:
        return 1 - (self.scale / value) ** self.alpha

    def icdf(self, value: Any) -> Any:
        return self.scale * (1 - value) ** (-1 / self.alpha)

    def entropy(self) -> Any:
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())

    def rsample(self, sample_shape: Sequence[int] = ()) -> Any:
        return self.icdf(self.uniform(sample_shape, self.scale))


@torch_named
@torch_constrained(
    TorchGreaterThan(0.0),
    scale=TorchGreaterThan(0.0),
    concentration=TorchGreaterThan(0.0),
)
class TorchWeibull(TorchDistribution):
    """`torch.distributions.Weibull`."""

    names = ("scale", "concentration")
    has_rsample = True

    def __init__(self, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.scale, self.concentration = torch_parameters(scale, concentration)
        super().__init__(self.scale.shape)

    @property
    def mean(self) -> Any:
        return self.scale * paddle.exp(paddle.lgamma(1 + self.concentration.reciprocal()))

    @property
    def mode(self) -> Any:
        shape = self.concentration
        return self.scale * ((shape - 1) / shape) ** shape.reciprocal()

    @property
    def variance(self) -> Any:
        inverse = self.concentration.reciprocal()
        squares = paddle.exp(paddle.lgamma(1 + 2 * inverse))
        return self.scale.pow(2) * (squares - paddle.exp(2 * paddle.lgamma(1 + inverse)))

    def log_prob(self, value: Any) -> Any:
        shape, scaled = self.concentration, value / self.scale
        return (shape / self.scale).log() + (shape - 1) * scaled.log() - scaled**shape

    def cdf(self, value: Any) -> Any:
        return 1 - paddle.exp(-((value / self.scale) ** self.concentration))

    def icdf(self, value: Any) -> Any:
        return self.scale * (-paddle.log1p(-value)) ** self.concentration.reciprocal()

    def entropy(self) -> Any:
        spread = 0.57721566490153286060 * (1 - self.concentration.reciprocal())
        return spread + paddle.log(self.scale * self.concentration.reciprocal()) + 1

    def rsample(self, sample_shape: Sequence[int] = ()) -> Any:
        return self.icdf(self.uniform(sample_shape, self.scale))
