"""Distributions with torch's parameters, statistics and densities: the base, and by location."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from typing import Any, ClassVar

import paddle

from workbench.targets.paddle.distributions.helpers.constraints import (
    TorchGreaterThan,
    TorchInterval,
    TorchLessThan,
    TorchReal,
    torch_constrained,
)
from workbench.targets.paddle.modules.helpers.class_names import torch_named
from workbench.targets.paddle.tensors.helpers.shapes import torch_broadcast_tensors


def torch_parameters(*values: Any) -> list[Any]:
    """Parameters of one shape and dtype; numbers become tensors of the others' dtype."""
    dtypes = [value.dtype for value in values if isinstance(value, paddle.Tensor)]
    dtype = dtypes[0] if dtypes else paddle.get_default_dtype()
    tensors = [
        value if isinstance(value, paddle.Tensor) else paddle.to_tensor(value, dtype=dtype)
        for value in values
    ]
    return list(torch_broadcast_tensors(tensors)) if len(tensors) > 1 else tensors


@torch_named
class TorchDistribution:
    """`torch.distributions.Distribution`: what distributions share."""

    names: tuple[str, ...] = ()  # the parameters
    has_rsample = False
    has_enumerate_support = False
    _validate_args = __debug__
    divergences: ClassVar[dict[tuple[Any, Any], Any]] = {}  # of one's own, by both kinds

    def __init__(
        self,
        batch_shape: Sequence[int] = (),
        event_shape: Sequence[int] = (),
        validate_args: bool | None = None,
    ) -> None:
        self._batch_shape = tuple(batch_shape)
        self._event_shape = tuple(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._validate_parameters()

    @property
    def batch_shape(self) -> tuple[int, ...]:
        return self._batch_shape

    @property
    def event_shape(self) -> tuple[int, ...]:
        return self._event_shape

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        TorchDistribution._validate_args = value

    @property
    def arg_constraints(self) -> Any:
        raise NotImplementedError

    @property
    def support(self) -> Any:
        raise NotImplementedError

    def _validate_parameters(self) -> None:
        try:
            constraints = self.arg_constraints
        except NotImplementedError:  # a class of the program's own may state none
            return
        for name, constraint in constraints.items():
            # Of what stand for each other, one is given.
            derived = ("probs", "logits", "covariance_matrix", "precision_matrix", "scale_tril")
            if (name in derived and name not in self.names) or not hasattr(self, name):
                continue
            if not bool(constraint.check(getattr(self, name)).all()):
                raise ValueError(
                    f"Expected parameter {name} of distribution {self!r} to satisfy the constraint"
                    f" {constraint!r}, but found invalid values: {getattr(self, name)}"
                )

    def _validate_sample(self, value: Any) -> None:
        if not isinstance(value, paddle.Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        try:
            support = self.support
        except NotImplementedError:
            return
        if not bool(support.check(value).all()):
            raise ValueError(
                "Expected value argument to be within the support"
                f" ({support!r}) of the distribution {self!r}, but found invalid values: {value}"
            )

    def _get_checked_instance(self, cls: Any, _instance: Any = None) -> Any:
        if _instance is None and type(self).__init__ != cls.__init__:
            raise NotImplementedError(
                f"Subclass {type(self).__name__} of {cls.__name__} that defines a custom __init__"
                " method must also define a custom .expand() method."
            )
        return self.__new__(type(self)) if _instance is None else _instance

    def _extended_shape(self, sample_shape: Sequence[int] = ()) -> Any:
        return tuple(self.shape_of(sample_shape))

    @property
    def mean(self) -> Any:
        raise NotImplementedError

    @property
    def variance(self) -> Any:
        raise NotImplementedError

    @property
    def stddev(self) -> Any:
        return self.variance.sqrt()

    def log_prob(self, value: Any) -> Any:
        raise NotImplementedError

    def entropy(self) -> Any:
        raise NotImplementedError

    def perplexity(self) -> Any:
        return paddle.exp(self.entropy())

    def rsample(self, sample_shape: Sequence[int] = ()) -> Any:
        raise NotImplementedError

    def sample(self, sample_shape: Sequence[int] = ()) -> Any:
        with paddle.no_grad():
            return self.rsample(sample_shape).detach()

    def sample_n(self, n: int) -> Any:
        return self.sample((n,))

    def shape_of(self, sample_shape: Sequence[int]) -> list[int]:
        """The shape of samples."""
        return [*sample_shape, *self.batch_shape, *self.event_shape]

    def uniform(self, sample_shape: Sequence[int], like: Any) -> Any:
        """Uniform numbers that are neither 0 nor 1."""
        tiny = float(paddle.finfo(like.dtype).eps)
        return paddle.uniform(self.shape_of(sample_shape), like.dtype, tiny, 1 - tiny)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = copy.copy(self) if _instance is None else _instance
        new.__dict__.update(self.__dict__)
        for name in self.names:
            value = getattr(self, name)
            own = value.shape[len(self.batch_shape) :]
            setattr(new, name, paddle.expand(value, [*batch_shape, *own]))
        new._batch_shape = tuple(batch_shape)
        return new

    def __repr__(self) -> str:
        values = {name: getattr(self, name) for name in self.names}
        shown = ", ".join(
            f"{name}: {float(value) if not value.ndim else f'torch.Size({list(value.shape)})'}"
            for name, value in values.items()
        )
        return f"{type(self).__name__.removeprefix('Torch')}({shown})"


class TorchLocationScale(TorchDistribution):
    """What distributions with a location and a scale share."""

    names: tuple[str, ...] = ("loc", "scale")
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = torch_parameters(loc, scale)
        super().__init__(self.loc.shape)

    @property
    def mean(self) -> Any:
        return self.loc

    @property
    def mode(self) -> Any:
        return self.loc

    @property
    def variance(self) -> Any:
        return self.stddev.pow(2)

    def standard(self, value: Any) -> Any:
        """A value measured from the location, in scales."""
        return (value - self.loc) / self.scale

    def icdf(self, value: Any) -> Any:
        raise NotImplementedError

    def rsample(self, sample_shape: Sequence[int] = ()) -> Any:
        return self.icdf(self.uniform(sample_shape, self.loc))


@torch_named
@torch_constrained(TorchReal(), loc=TorchReal(), scale=TorchGreaterThan(0.0))
class TorchNormal(TorchLocationScale):
    """`torch.distributions.Normal`."""

    @property
    def stddev(self) -> Any:
        return self.scale

    def log_prob(self, value: Any) -> Any:
        squares = (value - self.loc) ** 2 / (2 * self.scale**2)
        return -squares - self.scale.log() - math.log(math.sqrt(2 * math.pi))

    def cdf(self, value: Any) -> Any:
        return 0.5 * (1 + paddle.erf(self.standard(value) / math.sqrt(2)))

    def icdf(self, value: Any) -> Any:
        return self.loc + self.scale * paddle.erfinv(2 * value - 1) * math.sqrt(2)

    def entropy(self) -> Any:
        return 0.5 + 0.5 * math.log(2 * math.pi) + self.scale.log()

    def rsample(self, sample_shape: Sequence[int] = ()) -> Any:
        noise = paddle.randn(self.shape_of(sample_shape), dtype=self.loc.dtype)
        return self.loc + noise * self.scale

    def kl_to(self, other: Any) -> Any:
        ratio = (self.scale / other.scale) ** 2
        moved = ((self.loc - other.loc) / other.scale) ** 2
        return 0.5 * (ratio + moved - 1 - ratio.log())


@torch_named
@torch_constrained(TorchGreaterThan(0.0), loc=TorchReal(), scale=TorchGreaterThan(0.0))
class TorchLogNormal(TorchNormal):
    """`torch.distributions.LogNormal`."""

    @property
    def mean(self) -> Any:
        return (self.loc + self.scale**2 / 2).exp()

    @property
    def mode(self) -> Any:
        return (self.loc - self.scale.square()).exp()

    @property
    def variance(self) -> Any:
        square = self.scale**2
        return square.expm1() * (2 * self.loc + square).exp()

    @property
    def stddev(self) -> Any:
        return self.variance.sqrt()

    def log_prob(self, value: Any) -> Any:
        return super().log_prob(value.log()) - value.log()

    def cdf(self, value: Any) -> Any:
        return super().cdf(value.log())

    def icdf(self, value: Any) -> Any:
        return super().icdf(value).exp()

    def entropy(self) -> Any:
        return super().entropy() + self.loc

    def rsample(self, sample_shape: Sequence[int] = ()) -> Any:
        return super().rsample(sample_shape).exp()


@torch_named
@torch_constrained(TorchReal(), loc=TorchReal(), scale=TorchGreaterThan(0.0))
class TorchLaplace(TorchLocationScale):
    """`torch.distributions.Laplace`."""

    @property
    def stddev(self) -> Any:
        return math.sqrt(2) * self.scale

    @property
    def variance(self) -> Any:
        return 2 * self.scale.pow(2)

    def log_prob(self, value: Any) -> Any:
        return -paddle.log(2 * self.scale) - paddle.abs(value - self.loc) / self.scale

    def cdf(self, value: Any) -> Any:
        away = value - self.loc
        return 0.5 - 0.5 * away.sign() * paddle.expm1(-away.abs() / self.scale)

    def icdf(self, value: Any) -> Any:
        term = value - 0.5
        return self.loc - self.scale * term.sign() * paddle.log1p(-2 * term.abs())

    def entropy(self) -> Any:
        return 1 + paddle.log(2 * self.scale)

    def kl_to(self, other: Any) -> Any:
        ratio, apart = self.scale / other.scale, paddle.abs(self.loc - other.loc)
        decayed = ratio * paddle.exp(-apart / self.scale)
        return -ratio.log() + apart / other.scale + decayed - 1


@torch_named
@torch_constrained(TorchReal(), loc=TorchReal(), scale=TorchGreaterThan(0.0))
class TorchCauchy(TorchLocationScale):
    """`torch.distributions.Cauchy`."""

    def kl_to(self, other: Any) -> Any:
        apart = (self.scale + other.scale) ** 2 + (self.loc - other.loc) ** 2
        return apart.log() - (4 * self.scale * other.scale).log()

    @property
    def mean(self) -> Any:
        return paddle.full_like(self.loc, math.nan)

    @property
    def variance(self) -> Any:
        return paddle.full_like(self.loc, math.inf)

    @property
    def stddev(self) -> Any:
        return self.variance

    def log_prob(self, value: Any) -> Any:
        return -math.log(math.pi) - self.scale.log() - paddle.log1p(self.standard(value) ** 2)

    def cdf(self, value: Any) -> Any:
        return paddle.atan(self.standard(value)) / math.pi + 0.5

    def icdf(self, value: Any) -> Any:
        return paddle.tan(math.pi * (value - 0.5)) * self.scale + self.loc

    def entropy(self) -> Any:
        return math.log(4 * math.pi) + self.scale.log()


@torch_named
@torch_constrained(TorchReal(), loc=TorchReal(), scale=TorchGreaterThan(0.0))
class TorchGumbel(TorchLocationScale):
    """`torch.distributions.Gumbel`."""

    def kl_to(self, other: Any) -> Any:
        ratio = self.scale / other.scale
        moved = (other.loc - self.loc) / other.scale
        euler = 0.57721566490153286060
        tail = (moved + paddle.lgamma(1 + ratio)).exp()
        return tail - ratio.log() - moved + ratio * euler - (1 + euler)

    @property
    def mean(self) -> Any:
        return self.loc + self.scale * 0.57721566490153286060

    @property
    def stddev(self) -> Any:
        return (math.pi / math.sqrt(6)) * self.scale

    def log_prob(self, value: Any) -> Any:
        away = -self.standard(value)
        return (away - away.exp()) - self.scale.log()

    def cdf(self, value: Any) -> Any:
        return paddle.exp(-paddle.exp(-self.standard(value)))

    def icdf(self, value: Any) -> Any:
        return self.loc - self.scale * paddle.log(-paddle.log(value))

    def entropy(self) -> Any:
        return self.scale.log() + (1 + 0.57721566490153286060)


@torch_named
@torch_constrained(
    lambda self: TorchInterval(self.low, self.high),
    low=lambda self: TorchLessThan(self.high),
    high=lambda self: TorchGreaterThan(self.low),
)
class TorchUniform(TorchDistribution):
    """`torch.distributions.Uniform`."""

    names = ("low", "high")
    has_rsample = True

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None) -> None:
        self.low, self.high = torch_parameters(low, high)
        super().__init__(self.low.shape)

    @property
    def mean(self) -> Any:
        return (self.high + self.low) / 2

    @property
    def mode(self) -> Any:
        return math.nan * self.high

    @property
    def stddev(self) -> Any:
        return (self.high - self.low) / 12**0.5

    @property
    def variance(self) -> Any:
        return (self.high - self.low).pow(2) / 12

    def log_prob(self, value: Any) -> Any:
        inside = (self.low <= value).astype(self.low.dtype) * (self.high > value).astype(
            self.low.dtype
        )
        return paddle.log(inside) - paddle.log(self.high - self.low)

    def cdf(self, value: Any) -> Any:
        return paddle.clip((value - self.low) / (self.high - self.low), 0, 1)

    def icdf(self, value: Any) -> Any:
        return value * (self.high - self.low) + self.low

    def entropy(self) -> Any:
        return paddle.log(self.high - self.low)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Any:
        noise = paddle.rand(self.shape_of(sample_shape), dtype=self.low.dtype)
        return self.low + noise * (self.high - self.low)

    def kl_to(self, other: Any) -> Any:
        result = ((other.high - other.low) / (self.high - self.low)).log()
        outside = (other.low > self.low) | (other.high < self.high)
        return paddle.where(outside, paddle.full_like(result, math.inf), result)
