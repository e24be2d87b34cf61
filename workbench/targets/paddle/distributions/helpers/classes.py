"""Distributions over classes, by number or one-hot."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import paddle

from workbench.targets.paddle.distributions.helpers.base import TorchDistribution
from workbench.targets.paddle.distributions.helpers.constraints import (
    TorchIndependentConstraint,
    TorchIntegerInterval,
    TorchMultinomialCounts,
    TorchOneHot,
    TorchReal,
    TorchSimplex,
    torch_constrained,
)
from workbench.targets.paddle.distributions.helpers.discrete import TorchBinomial
from workbench.targets.paddle.modules.helpers.class_names import torch_named
from workbench.targets.paddle.tensors.helpers.shapes import torch_broadcast_tensors


@torch_named
@torch_constrained(
    lambda self: TorchIntegerInterval(0, self._num_events - 1),
    probs=TorchSimplex(),
    logits=TorchIndependentConstraint(TorchReal(), 1),
)
class TorchCategorical(TorchDistribution):
    """`torch.distributions.Categorical`: probabilities, or logits, over the last axis."""

    has_enumerate_support = True

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        self.is_probs = logits is None
        self.names = ("probs",) if self.is_probs else ("logits",)
        if self.is_probs:
            self.given = probs / probs.sum(axis=-1, keepdim=True)
        else:
            self.given = logits - paddle.logsumexp(logits, axis=-1, keepdim=True)
        super().__init__(self.given.shape[:-1])

    @property
    def probs(self) -> Any:
        return self.given if self.is_probs else paddle.nn.functional.softmax(self.given, axis=-1)

    @probs.setter
    def probs(self, value: Any) -> None:
        self.given = value

    @property
    def logits(self) -> Any:
        tiny = float(paddle.finfo(self.given.dtype).eps)
        return paddle.clip(self.given, tiny, 1 - tiny).log() if self.is_probs else self.given

    @logits.setter
    def logits(self, value: Any) -> None:
        self.given = value

    @property
    def param_shape(self) -> Any:
        return self.given.shape

    @property
    def _num_events(self) -> int:
        return int(self.given.shape[-1])

    @property
    def mean(self) -> Any:
        return paddle.full(self.batch_shape, math.nan, dtype=self.given.dtype)

    @property
    def variance(self) -> Any:
        return paddle.full(self.batch_shape, math.nan, dtype=self.given.dtype)

    @property
    def mode(self) -> Any:
        return self.probs.argmax(axis=-1)

    def log_prob(self, value: Any) -> Any:
        value = value.astype("int64").unsqueeze(-1)
        shape = paddle.broadcast_shape(value.shape[:-1], self.given.shape[:-1])
        logits = paddle.expand(self.logits, [*shape, self._num_events])
        value = paddle.expand(value, [*shape, 1])
        return paddle.take_along_axis(logits, value, axis=-1, broadcast=False).squeeze(-1)

    def entropy(self) -> Any:
        logits = paddle.clip(self.logits, min=float(paddle.finfo(self.given.dtype).min))
        return -(logits * self.probs).sum(axis=-1)

    def draw(self, sample_shape: Sequence[int]) -> Any:
        """Classes."""
        with paddle.no_grad():
            count = math.prod(sample_shape)
            flat = self.probs.reshape([-1, self._num_events])
            drawn = paddle.multinomial(flat, count, replacement=True)
            return drawn.T.reshape([*sample_shape, *self.batch_shape])

    def sample(self, sample_shape: Sequence[int] = ()) -> Any:
        return self.draw(sample_shape)

    def enumerate_support(self, expand: bool = True) -> Any:
        values = paddle.arange(self._num_events).reshape([-1] + [1] * len(self.batch_shape))
        return paddle.expand(values, [self._num_events, *self.batch_shape]) if expand else values

    def kl_to(self, other: Any) -> Any:
        apart = self.probs * (self.logits - other.logits)
        apart = paddle.where(other.probs == 0, paddle.full_like(apart, math.inf), apart)
        apart = paddle.where(self.probs == 0, paddle.zeros_like(apart), apart)
        return apart.sum(axis=-1)


@torch_named
@torch_constrained(
    TorchOneHot(),
    probs=TorchSimplex(),
    logits=TorchIndependentConstraint(TorchReal(), 1),
)
class TorchOneHotCategorical(TorchCategorical):
    """`torch.distributions.OneHotCategorical`."""

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        super().__init__(probs, logits)
        self._event_shape = (self._num_events,)

    @property
    def mean(self) -> Any:
        return self.probs

    @property
    def variance(self) -> Any:
        return self.probs * (1 - self.probs)

    @property
    def mode(self) -> Any:
        return self.one_hot(self.probs.argmax(axis=-1))

    def one_hot(self, classes: Any) -> Any:
        return paddle.nn.functional.one_hot(classes, self._num_events).astype(self.given.dtype)

    def log_prob(self, value: Any) -> Any:
        return super().log_prob(value.argmax(axis=-1))

    def sample(self, sample_shape: Sequence[int] = ()) -> Any:
        return self.one_hot(self.draw(sample_shape))

    def enumerate_support(self, expand: bool = True) -> Any:
        return self.one_hot(super().enumerate_support(expand))


@torch_named
@torch_constrained(
    lambda self: TorchMultinomialCounts(self.total_count),
    probs=TorchSimplex(),
    logits=TorchIndependentConstraint(TorchReal(), 1),
)
class TorchMultinomial(TorchCategorical):
    """`torch.distributions.Multinomial`."""

    has_enumerate_support = False

    def __init__(
        self,
        total_count: int = 1,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        super().__init__(probs, logits)
        self.total_count = total_count
        self._event_shape = (self._num_events,)

    @property
    def mean(self) -> Any:
        return self.probs * self.total_count

    @property
    def variance(self) -> Any:
        return self.total_count * self.probs * (1 - self.probs)

    def log_prob(self, value: Any) -> Any:
        ways = paddle.lgamma(value.sum(axis=-1) + 1) - paddle.lgamma(value + 1).sum(axis=-1)
        logits, value = torch_broadcast_tensors([self.logits, value])
        never = (value == 0) & paddle.isinf(logits)
        logits = paddle.where(never, paddle.zeros_like(logits), logits)
        return ways + (logits * value).sum(axis=-1)

    def entropy(self) -> Any:
        count = paddle.to_tensor(float(self.total_count), dtype=self.given.dtype)
        each = TorchBinomial(self.total_count, probs=self.probs)
        values = each.enumerate_support(expand=False)[1:]
        weights = paddle.exp(each.log_prob(values))
        terms = (weights * paddle.lgamma(values + 1)).sum(axis=[0, -1])
        return count * super().entropy() - paddle.lgamma(count + 1) + terms

    def sample(self, sample_shape: Sequence[int] = ()) -> Any:
        drawn = self.draw((self.total_count, *sample_shape))
        return (
            paddle.nn.functional.one_hot(drawn, self._num_events)
            .sum(axis=0)
            .astype(self.given.dtype)
        )
