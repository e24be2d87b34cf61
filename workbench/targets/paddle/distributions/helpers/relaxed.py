"""Mixtures, relaxed distributions and others that are built from simpler ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import paddle

from workbench.targets.paddle.distributions.helpers.base import TorchDistribution, torch_parameters
from workbench.targets.paddle.distributions.helpers.classes import (
    TorchCategorical,
    TorchOneHotCategorical,
)
from workbench.targets.paddle.distributions.helpers.constraints import (
    TorchGreaterThan,
    TorchIndependentConstraint,
    TorchInterval,
    TorchReal,
    TorchSimplex,
    torch_constrained,
)
from workbench.targets.paddle.distributions.helpers.discrete import TorchBinary
from workbench.targets.paddle.modules.helpers.class_names import torch_named


@torch_named
@torch_constrained(TorchInterval(0.0, 1.0), probs=TorchInterval(0.0, 1.0), logits=TorchReal())
class TorchContinuousBernoulli(TorchBinary):
    """`torch.distributions.ContinuousBernoulli`: near one half, by the start of its series."""

    has_rsample = True

    def __init__(
        self,
        probs: Any = None,
        logits: Any = None,
        lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:
        super().__init__(probs, logits)
        if self.is_probs:
            eps = float(paddle.finfo(self.given.dtype).eps)
            self.given = paddle.clip(self.given, eps, 1 - eps)
        self.lims = lims

    @property
    def is_far(self) -> Any:
        """Where the closed forms hold."""
        return (self.probs <= self.lims[0]) | (self.probs > self.lims[1])

    @property
    def cut(self) -> Any:
        """The probabilities, kept away from one half."""
        return paddle.where(self.is_far, self.probs, paddle.full_like(self.probs, self.lims[0]))

    @property
    def log_norm(self) -> Any:
        cut = self.cut
        exact = paddle.log((paddle.log1p(-cut) - cut.log()).abs()) - (1 - 2 * cut).abs().log()
        square = (self.probs - 0.5) ** 2
        near = math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * square) * square
        return paddle.where(self.is_far, exact, near)

    @property
    def mean(self) -> Any:
        cut = self.cut
        exact = cut / (2 * cut - 1) + 1 / (paddle.log1p(-cut) - cut.log())
        apart = self.probs - 0.5
        near = 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * apart**2) * apart
        return paddle.where(self.is_far, exact, near)

    @property
    def variance(self) -> Any:
        cut = self.cut
        exact = cut * (cut - 1) / (1 - 2 * cut) ** 2 + 1 / (paddle.log1p(-cut) - cut.log()) ** 2
        square = (self.probs - 0.5) ** 2
        near = 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * square) * square
        return paddle.where(self.is_far, exact, near)

    def log_prob(self, value: Any) -> Any:
        return -self.cross_entropy(value) + self.log_norm

    def cdf(self, value: Any) -> Any:
        cut = self.cut
        exact = (cut**value * (1 - cut) ** (1 - value) + cut - 1) / (2 * cut - 1)
        inside = paddle.where(self.is_far, exact, value + paddle.zeros_like(cut))
        inside = paddle.where(value <= 0, paddle.zeros_like(inside), inside)
        return paddle.where(value >= 1, paddle.ones_like(inside), inside)

    def icdf(self, value: Any) -> Any:
        cut = self.cut
        exact = (paddle.log1p(-cut + value * (2 * cut - 1)) - paddle.log1p(-cut)) / (
            cut.log() - paddle.log1p(-cut)
        )
        return paddle.where(self.is_far, exact, value + paddle.zeros_like(cut))

    def entropy(self) -> Any:
        low, high = paddle.log1p(-self.probs), self.probs.log()
        return self.mean * (low - high) - self.log_norm - low

    def rsample(self, sample_shape: Sequence[int] = ()) -> Any:
        return self.icdf(self.uniform(sample_shape, self.given))


@torch_named
@torch_constrained(
    TorchInterval(0.0, 1.0),
    concentration1=TorchGreaterThan(0.0),
    concentration0=TorchGreaterThan(0.0),
)
class TorchKumaraswamy(TorchDistribution):
    """`torch.distributions.Kumaraswamy`."""

    names = ("concentration1", "concentration0")
    has_rsample = True

    def __init__(
        self, concentration1: Any, concentration0: Any, validate_args: bool | None = None
    ) -> None:
        parameters = torch_parameters(concentration1, concentration0)
        self.concentration1, self.concentration0 = parameters
        super().__init__(self.concentration1.shape)

    def moment(self, order: int) -> Any:
        a, b = self.concentration1, self.concentration0
        shifted = 1 + order / a
        return paddle.exp(
            b.log() + paddle.lgamma(shifted) + paddle.lgamma(b) - paddle.lgamma(shifted + b)
        )

    @property
    def mean(self) -> Any:
        return self.moment(1)

    @property
    def mode(self) -> Any:
        a, b = self.concentration1, self.concentration0
        log_mode = paddle.log1p(-b) / b - paddle.log1p(-b * a)
        return paddle.where((b < 1) | (a < 1), paddle.full_like(log_mode, math.nan), log_mode).exp()

    @property
    def variance(self) -> Any:
        return self.moment(2) - self.mean**2

    def log_prob(self, value: Any) -> Any:
        a, b = self.concentration1, self.concentration0
        return a.log() + b.log() + (a - 1) * value.log() + (b - 1) * paddle.log1p(-(value**a))

    def cdf(self, value: Any) -> Any:
        return 1 - (1 - value**self.concentration1) ** self.concentration0

    def icdf(self, value: Any) -> Any:
        return (1 - (1 - value) ** (1 / self.concentration0)) ** (1 / self.concentration1)

    def entropy(self) -> Any:
        a, b = self.concentration1, self.concentration0
        harmonic = paddle.digamma(b + 1) + 0.5772156649015329
        return (1 - 1 / b) + (1 - 1 / a) * harmonic - a.log() - b.log()

    def rsample(self, sample_shape: Sequence[int] = ()) -> Any:
        return self.icdf(self.uniform(sample_shape, self.concentration1))


@torch_named
@torch_constrained(TorchGreaterThan(0.0), df1=TorchGreaterThan(0.0), df2=TorchGreaterThan(0.0))
class TorchFisherSnedecor(TorchDistribution):
    """`torch.distributions.FisherSnedecor`; Paddle's samples have no gradient."""

    names = ("df1", "df2")
    has_rsample = True

    def __init__(self, df1: Any, df2: Any, validate_args: bool | None = None) -> None:
        self.df1, self.df2 = torch_parameters(df1, df2)
        super().__init__(self.df1.shape)

    @staticmethod
    def where(holds: Any, value: Any) -> Any:
        return paddle.where(holds, value, paddle.full_like(value, math.nan))

    @property
    def mean(self) -> Any:
        df2 = self.where(self.df2 > 2, self.df2)
        return df2 / (df2 - 2)

    @property
    def mode(self) -> Any:
        return self.where(self.df1 > 2, (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2))

    @property
    def variance(self) -> Any:
        df1, df2 = self.df1, self.where(self.df2 > 4, self.df2)
        return 2 * df2.pow(2) * (df1 + df2 - 2) / (df1 * (df2 - 2).pow(2) * (df2 - 4))

    def log_prob(self, value: Any) -> Any:
        first, second = self.df1 / 2, self.df2 / 2
        ratio = self.df1 / self.df2
        norm = paddle.lgamma(first + second) - paddle.lgamma(first) - paddle.lgamma(second)
        shape = first * ratio.log() + (first - 1) * value.log()
        return norm + shape - (first + second) * paddle.log1p(ratio * value)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Any:
        learns = not (self.df1.stop_gradient and self.df2.stop_gradient)
        if paddle.is_grad_enabled() and learns:
            raise NotImplementedError("Paddle's gamma samples have no gradient; use sample()")
        shape = self.shape_of(sample_shape)
        first = paddle.standard_gamma(paddle.expand(self.df1 / 2, shape)) / self.df1
        second = paddle.standard_gamma(paddle.expand(self.df2 / 2, shape)) / self.df2
        return first / paddle.clip(second, min=float(paddle.finfo(second.dtype).tiny))


@torch_named
class TorchMixtureSameFamily(TorchDistribution):
    """`torch.distributions.MixtureSameFamily`: the components stand along the last batch axis."""

    def __init__(
        self,
        mixture_distribution: Any,
        component_distribution: Any,
        validate_args: bool | None = None,
    ) -> None:
        self.mixture_distribution = mixture_distribution
        self.component_distribution = component_distribution
        batch = component_distribution.batch_shape
        super().__init__(batch[:-1], component_distribution.event_shape)

    @property
    def arg_constraints(self) -> Any:
        return {}

    def _pad(self, value: Any) -> Any:
        return value.unsqueeze(-1 - len(self.event_shape))

    @property
    def weights(self) -> Any:
        """The probabilities of the components, with dimensions for an event."""
        probs = self.mixture_distribution.probs
        return probs.reshape([*probs.shape, *[1] * len(self.event_shape)])

    @property
    def mean(self) -> Any:
        axis = -1 - len(self.event_shape)
        return (self.weights * self.component_distribution.mean).sum(axis=axis)

    @property
    def variance(self) -> Any:
        axis = -1 - len(self.event_shape)
        inner = (self.weights * self.component_distribution.variance).sum(axis=axis)
        apart = (self.component_distribution.mean - self._pad(self.mean)) ** 2
        return inner + (self.weights * apart).sum(axis=axis)

    def log_prob(self, value: Any) -> Any:
        inner = self.component_distribution.log_prob(self._pad(value))
        logits = self.mixture_distribution.logits
        logits = logits - paddle.logsumexp(logits, axis=-1, keepdim=True)
        return paddle.logsumexp(inner + logits, axis=-1)

    def cdf(self, value: Any) -> Any:
        inner = self.component_distribution.cdf(self._pad(value))
        return (inner * self.mixture_distribution.probs).sum(axis=-1)

    def sample(self, sample_shape: Sequence[int] = ()) -> Any:
        with paddle.no_grad():
            chosen = self.mixture_distribution.sample(sample_shape)
            values = self.component_distribution.sample(sample_shape)
            events = len(self.event_shape)
            place = chosen.reshape([*chosen.shape, *[1] * (events + 1)])
            place = paddle.expand(place, [*chosen.shape, 1, *self.event_shape])
            axis = values.ndim - events - 1
            return paddle.take_along_axis(values, place, axis=axis).squeeze(axis)


@torch_named
@torch_constrained(TorchInterval(0.0, 1.0), probs=TorchInterval(0.0, 1.0), logits=TorchReal())
class TorchRelaxedBernoulli(TorchBinary):
    """`torch.distributions.RelaxedBernoulli`."""

    has_rsample = True

    def __init__(
        self,
        temperature: Any,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        super().__init__(probs, logits)
        self.temperature = temperature

    def log_prob(self, value: Any) -> Any:
        logit = value.log() - paddle.log1p(-value)
        apart = self.logits - logit * self.temperature
        inner = self.temperature.log() + apart - 2 * paddle.log1p(apart.exp())
        softplus = paddle.nn.functional.softplus
        return inner + softplus(-logit) + softplus(logit)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Any:
        uniform = self.uniform(sample_shape, self.given)
        noise = uniform.log() - paddle.log1p(-uniform)
        value = paddle.nn.functional.sigmoid((noise + self.logits) / self.temperature)
        info = paddle.finfo(value.dtype)
        return paddle.clip(value, float(info.tiny), 1 - float(info.eps))


@torch_named
@torch_constrained(
    TorchSimplex(),
    probs=TorchSimplex(),
    logits=TorchIndependentConstraint(TorchReal(), 1),
)
class TorchRelaxedOneHotCategorical(TorchCategorical):
    """`torch.distributions.RelaxedOneHotCategorical`."""

    has_rsample = True
    has_enumerate_support = False

    def __init__(
        self,
        temperature: Any,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        super().__init__(probs, logits)
        self.temperature = temperature
        self._event_shape = (self._num_events,)

    def log_prob(self, value: Any) -> Any:
        count = float(self._num_events)
        scale = math.lgamma(count) + (count - 1) * self.temperature.log()
        score = self.logits - value.log() * self.temperature
        score = score - paddle.logsumexp(score, axis=-1, keepdim=True)
        return score.sum(axis=-1) + scale - value.log().sum(axis=-1)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Any:
        uniform = self.uniform(sample_shape, self.given)
        scores = (self.logits - (-uniform.log()).log()) / self.temperature
        return paddle.nn.functional.softmax(scores, axis=-1)

    def sample(self, sample_shape: Sequence[int] = ()) -> Any:
        with paddle.no_grad():
            return self.rsample(sample_shape)


@torch_named
class TorchOneHotCategoricalStraightThrough(TorchOneHotCategorical):
    """`torch.distributions.OneHotCategoricalStraightThrough`."""

    has_rsample = True

    def rsample(self, sample_shape: Sequence[int] = ()) -> Any:
        probs = self.probs
        return self.sample(sample_shape) + (probs - probs.detach())
