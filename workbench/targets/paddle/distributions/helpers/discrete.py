"""Distributions of counts; probabilities and logits are each other's image."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import paddle

from workbench.targets.paddle.distributions.helpers.base import TorchDistribution, torch_parameters
from workbench.targets.paddle.distributions.helpers.constraints import (
    TorchBoolean,
    TorchGreaterThanEq,
    TorchHalfOpenInterval,
    TorchIntegerGreaterThan,
    TorchIntegerInterval,
    TorchInterval,
    TorchReal,
    torch_constrained,
)
from workbench.targets.paddle.distributions.helpers.positive import torch_x_log_y
from workbench.targets.paddle.modules.helpers.class_names import torch_named
from workbench.targets.paddle.tensors.helpers.shapes import torch_broadcast_tensors


class TorchBinary(TorchDistribution):
    """What distributions over two outcomes share: one of `probs` and `logits` is given."""

    def __init__(self, probs: Any, logits: Any, *others: Any) -> None:
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        self.names = (*self.names, "probs" if logits is None else "logits")
        values = torch_parameters(logits if probs is None else probs, *others)
        self.given, self.others = values[0], values[1:]
        self.is_probs = logits is None
        if self.others:
            self.total_count = self.others[0].astype(self.given.dtype)
        super().__init__(self.given.shape)

    @property
    def probs(self) -> Any:
        return self.given if self.is_probs else paddle.nn.functional.sigmoid(self.given)

    @probs.setter
    def probs(self, value: Any) -> None:
        self.given = value

    @property
    def logits(self) -> Any:
        if not self.is_probs:
            return self.given
        tiny = float(paddle.finfo(self.given.dtype).eps)
        clipped = paddle.clip(self.given, tiny, 1 - tiny)
        return clipped.log() - paddle.log1p(-clipped)

    @logits.setter
    def logits(self, value: Any) -> None:
        self.given = value

    @property
    def param_shape(self) -> Any:
        return self.given.shape

    def cross_entropy(self, target: Any) -> Any:
        """What `binary_cross_entropy_with_logits` gives, element by element."""
        return (1 - target) * self.logits - paddle.nn.functional.log_sigmoid(self.logits)

    def draw(self, sample_shape: Sequence[int]) -> Any:
        """Zeros and ones."""
        return paddle.bernoulli(paddle.expand(self.probs, self.shape_of(sample_shape)))


@torch_named
@torch_constrained(TorchBoolean(), probs=TorchInterval(0.0, 1.0), logits=TorchReal())
class TorchBernoulli(TorchBinary):
    """`torch.distributions.Bernoulli`."""

    has_enumerate_support = True

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        super().__init__(probs, logits)

    @property
    def mean(self) -> Any:
        return self.probs

    @property
    def mode(self) -> Any:
        chosen = (self.probs >= 0.5).astype(self.given.dtype)
        return paddle.where(self.probs == 0.5, paddle.full_like(chosen, math.nan), chosen)

    @property
    def variance(self) -> Any:
        return self.probs * (1 - self.probs)

    def log_prob(self, value: Any) -> Any:
        return -self.cross_entropy(value)

    def entropy(self) -> Any:
        return self.cross_entropy(self.probs)

    def sample(self, sample_shape: Sequence[int] = ()) -> Any:
        with paddle.no_grad():
            return self.draw(sample_shape)

    def enumerate_support(self, expand: bool = True) -> Any:
        values = paddle.arange(2, dtype=self.given.dtype).reshape([2] + [1] * self.given.ndim)
        return paddle.expand(values, [2, *self.batch_shape]) if expand else values

    def kl_to(self, other: Any) -> Any:
        p, q = self.probs, other.probs
        first = torch_x_log_y(p, p / q)
        return first + torch_x_log_y(1 - p, (1 - p) / (1 - q))


@torch_named
@torch_constrained(TorchIntegerGreaterThan(0), probs=TorchInterval(0.0, 1.0), logits=TorchReal())
class TorchGeometric(TorchBinary):
    """`torch.distributions.Geometric`: how many failures come before the first success."""

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        super().__init__(probs, logits)

    @property
    def mean(self) -> Any:
        return 1 / self.probs - 1

    @property
    def mode(self) -> Any:
        return paddle.zeros_like(self.probs)

    @property
    def variance(self) -> Any:
        return (1 / self.probs - 1) / self.probs

    def log_prob(self, value: Any) -> Any:
        value, probs = torch_broadcast_tensors([value, self.probs])
        certain = (probs == 1) & (value == 0)
        inner = paddle.where(certain, paddle.zeros_like(probs), probs)
        return value * paddle.log1p(-inner) + self.probs.log()

    def entropy(self) -> Any:
        return self.cross_entropy(self.probs) / self.probs

    def sample(self, sample_shape: Sequence[int] = ()) -> Any:
        with paddle.no_grad():
            noise = self.uniform(sample_shape, self.given)
            return (noise.log() / paddle.log1p(-self.probs)).floor()

    def kl_to(self, other: Any) -> Any:
        return -self.entropy() - paddle.log1p(-other.probs) / self.probs - other.logits


@torch_named
@torch_constrained(
    lambda self: TorchIntegerInterval(0, self.total_count),
    total_count=TorchIntegerGreaterThan(0),
    probs=TorchInterval(0.0, 1.0),
    logits=TorchReal(),
)
class TorchBinomial(TorchBinary):
    """`torch.distributions.Binomial`."""

    names = ("total_count",)
    has_enumerate_support = True

    def __init__(
        self,
        total_count: Any = 1,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        super().__init__(probs, logits, total_count)

    def kl_to(self, other: Any) -> Any:
        each = self.probs * (self.logits - other.logits)
        each = each + paddle.log1p(-self.probs) - paddle.log1p(-other.probs)
        value = self.total_count * each
        more = paddle.broadcast_to(self.total_count > other.total_count, value.shape)
        return paddle.where(more, paddle.full_like(value, float("inf")), value)

    @property
    def mean(self) -> Any:
        return self.total_count * self.probs

    @property
    def mode(self) -> Any:
        return paddle.minimum(((self.total_count + 1) * self.probs).floor(), self.total_count)

    @property
    def variance(self) -> Any:
        return self.total_count * self.probs * (1 - self.probs)

    def log_prob(self, value: Any) -> Any:
        count, logits = self.total_count, self.logits
        ways = paddle.lgamma(value + 1) + paddle.lgamma(count - value + 1)
        # Half of the slope at exactly 0 belongs to either side, as torch has it.
        above = (paddle.clip(logits, min=0) + logits - paddle.clip(logits, max=0)) / 2
        level = above + paddle.log1p(paddle.exp(-logits.abs()))
        return value * logits - ways - count * level + paddle.lgamma(count + 1)

    def entropy(self) -> Any:
        logs = self.log_prob(self.enumerate_support(expand=False))
        return -(paddle.exp(logs) * logs).sum(axis=0)

    def enumerate_support(self, expand: bool = True) -> Any:
        most = int(self.total_count.max())
        if int(self.total_count.min()) != most:
            raise NotImplementedError("Inhomogeneous total count not supported")
        values = paddle.arange(most + 1, dtype=self.given.dtype)
        values = values.reshape([-1] + [1] * self.given.ndim)
        return paddle.expand(values, [most + 1, *self.batch_shape]) if expand else values

    def sample(self, sample_shape: Sequence[int] = ()) -> Any:
        with paddle.no_grad():
            shape = self.shape_of(sample_shape)
            count = paddle.expand(self.total_count, shape).astype("int32")
            return paddle.binomial(count, paddle.expand(self.probs, shape)).astype(self.given.dtype)


@torch_named
@torch_constrained(
    TorchIntegerGreaterThan(0),
    total_count=TorchGreaterThanEq(0),
    probs=TorchHalfOpenInterval(0.0, 1.0),
    logits=TorchReal(),
)
class TorchNegativeBinomial(TorchBinary):
    """`torch.distributions.NegativeBinomial`."""

    names = ("total_count",)

    def __init__(
        self,
        total_count: Any,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        super().__init__(probs, logits, total_count)

    @property
    def mean(self) -> Any:
        return self.total_count * paddle.exp(self.logits)

    @property
    def mode(self) -> Any:
        return paddle.clip(((self.total_count - 1) * self.logits.exp()).floor(), min=0)

    @property
    def variance(self) -> Any:
        return self.mean / paddle.nn.functional.sigmoid(-self.logits)

    def log_prob(self, value: Any) -> Any:
        count, sigmoid = self.total_count, paddle.nn.functional.log_sigmoid
        plain = count * sigmoid(-self.logits) + value * sigmoid(self.logits)
        ways = paddle.lgamma(count + value) - paddle.lgamma(1 + value) - paddle.lgamma(count)
        return plain + paddle.where(count + value == 0, paddle.zeros_like(ways), ways)

    def sample(self, sample_shape: Sequence[int] = ()) -> Any:
        with paddle.no_grad():
            shape = self.shape_of(sample_shape)
            rate = paddle.standard_gamma(paddle.expand(self.total_count, shape))
            return paddle.poisson(rate * paddle.exp(self.logits))


@torch_named
@torch_constrained(TorchIntegerGreaterThan(0), rate=TorchGreaterThanEq(0.0))
class TorchPoisson(TorchDistribution):
    """`torch.distributions.Poisson`."""

    names = ("rate",)

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        (self.rate,) = torch_parameters(rate)
        super().__init__(self.rate.shape)

    @property
    def mean(self) -> Any:
        return self.rate

    @property
    def mode(self) -> Any:
        return self.rate.floor()

    @property
    def variance(self) -> Any:
        return self.rate

    def log_prob(self, value: Any) -> Any:
        return torch_x_log_y(value, self.rate) - self.rate - paddle.lgamma(value + 1)

    def sample(self, sample_shape: Sequence[int] = ()) -> Any:
        with paddle.no_grad():
            return paddle.poisson(paddle.expand(self.rate, self.shape_of(sample_shape)))

    def kl_to(self, other: Any) -> Any:
        return self.rate * (self.rate.log() - other.rate.log()) - (self.rate - other.rate)
