"""Distributions on circles, beyond thresholds and on simplexes; families of one's own."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import paddle

from workbench.targets.paddle.distributions.helpers.base import (
    TorchDistribution,
    TorchNormal,
    torch_parameters,
)
from workbench.targets.paddle.distributions.helpers.constraints import (
    TorchGreaterThan,
    TorchInterval,
    TorchReal,
    TorchSimplex,
    torch_constrained,
)
from workbench.targets.paddle.distributions.helpers.shaping import TorchStickBreakingTransform
from workbench.targets.paddle.distributions.helpers.transforms import TorchTransformedDistribution
from workbench.targets.paddle.modules.helpers.class_names import torch_named


@torch_named
@torch_constrained(TorchReal(), loc=TorchReal(), concentration=TorchGreaterThan(0.0))
class TorchVonMises(TorchDistribution):
    """`torch.distributions.VonMises`: angles."""

    names = ("loc", "concentration")

    def __init__(self, loc: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.concentration = torch_parameters(loc, concentration)
        super().__init__(self.loc.shape)

    @property
    def mean(self) -> Any:
        return self.loc

    @property
    def mode(self) -> Any:
        return self.loc

    @property
    def variance(self) -> Any:
        return 1 - paddle.i1e(self.concentration) / paddle.i0e(self.concentration)

    def log_prob(self, value: Any) -> Any:
        kappa = self.concentration
        log_bessel = paddle.i0e(kappa).log() + kappa
        return kappa * paddle.cos(value - self.loc) - math.log(2 * math.pi) - log_bessel

    def sample(self, sample_shape: Sequence[int] = ()) -> Any:
        with paddle.no_grad():
            shape = self.shape_of(sample_shape)
            kappa = paddle.expand(self.concentration, shape).astype("float64")
            root = (1 + 4 * kappa**2).sqrt() + 1
            rho = (root - (2 * root).sqrt()) / (2 * kappa)
            wide = paddle.where(kappa < 1e-5, 1 / kappa + kappa, (1 + rho**2) / (2 * rho))
            angles = paddle.zeros(shape, dtype="float64")
            left = paddle.ones(shape, dtype="bool")
            while bool(left.any()):
                one, two, three = paddle.rand([3, *shape], dtype="float64").unbind(0)
                turn = paddle.cos(math.pi * one)
                near = (1 + wide * turn) / (wide + turn)
                gap = kappa * (wide - near)
                taken = (gap * (2 - gap) - two > 0) | ((gap / two).log() + 1 - gap >= 0)
                angle = (three - 0.5).sign() * paddle.acos(near)
                angles = paddle.where(left & taken, angle, angles)
                left = left & ~taken
            turned = angles + math.pi + paddle.expand(self.loc, shape).astype("float64")
            return (turned % (2 * math.pi) - math.pi).astype(self.loc.dtype)


@torch_named
@torch_constrained(
    lambda self: TorchInterval(self.loc, self.highest),
    loc=TorchReal(),
    scale=TorchGreaterThan(0.0),
    concentration=TorchReal(),
)
class TorchGeneralizedPareto(TorchDistribution):
    """`torch.distributions.GeneralizedPareto`: what lies beyond a threshold."""

    names = ("loc", "scale", "concentration")
    has_rsample = True

    def __init__(
        self, loc: Any, scale: Any, concentration: Any, validate_args: bool | None = None
    ) -> None:
        self.loc, self.scale, self.concentration = torch_parameters(loc, scale, concentration)
        super().__init__(self.loc.shape)

    @property
    def highest(self) -> Any:
        """The end of the support, which is infinite unless the concentration is negative."""
        ends = self.loc - self.scale / self.concentration
        return paddle.where(self.concentration < 0, ends, paddle.full_like(ends, math.inf))

    @property
    def flat(self) -> Any:
        """Where the distribution is an exponential one."""
        return paddle.isclose(self.concentration, paddle.zeros_like(self.concentration))

    @property
    def bent(self) -> Any:
        """The concentration, and one where it is nothing to divide by."""
        return paddle.where(self.flat, paddle.ones_like(self.concentration), self.concentration)

    def standard(self, value: Any) -> Any:
        """A value measured from the threshold, in scales."""
        return (value - self.loc) / self.scale

    def choose(self, flat: Any, bent: Any) -> Any:
        """The value of the exponential case, or of the other."""
        return paddle.where(paddle.expand(self.flat, flat.shape), flat, bent)

    def log_prob(self, value: Any) -> Any:
        z = self.standard(value)
        bent = (1 / self.bent + 1) * paddle.log1p(self.bent * z)
        return -self.scale.log() - self.choose(z, bent)

    def log_survival_function(self, value: Any) -> Any:
        z = self.standard(value)
        return -self.choose(z, paddle.log1p(self.bent * z) / self.bent)

    def log_cdf(self, value: Any) -> Any:
        return paddle.log1p(-paddle.exp(self.log_survival_function(value)))

    def cdf(self, value: Any) -> Any:
        return paddle.exp(self.log_cdf(value))

    def icdf(self, value: Any) -> Any:
        left = paddle.log1p(-value)
        moved = self.choose(-left, paddle.expm1(-self.bent * left) / self.bent)
        return self.loc + self.scale * moved

    def rsample(self, sample_shape: Sequence[int] = ()) -> Any:
        return self.icdf(paddle.rand(self.shape_of(sample_shape), dtype=self.loc.dtype))

    def moment(self, value: Any, order: int) -> Any:
        """A moment where it exists, which is below a concentration of one over its order."""
        exists = self.concentration < 1 / order
        return paddle.where(exists, value, paddle.full_like(value, math.nan))

    @property
    def mean(self) -> Any:
        return self.moment(self.loc + self.scale / (1 - self.concentration), 1)

    @property
    def mode(self) -> Any:
        return self.loc

    @property
    def variance(self) -> Any:
        share = (1 - self.concentration) ** 2 * (1 - 2 * self.concentration)
        return self.moment(self.scale**2 / share, 2)

    def entropy(self) -> Any:
        return self.scale.log() + self.concentration + 1


@torch_named
@torch_constrained(TorchSimplex(), loc=TorchReal(), scale=TorchGreaterThan(0.0))
class TorchLogisticNormal(TorchTransformedDistribution):
    """`torch.distributions.LogisticNormal`: normal values broken off a stick."""

    names = ("loc", "scale")

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        base = TorchNormal(loc, scale, validate_args=validate_args)
        if not base.batch_shape:
            base = base.expand([1])
        self.loc, self.scale = base.loc, base.scale
        super().__init__(base, TorchStickBreakingTransform())
        self._event_shape = (base.batch_shape[-1] + 1,)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        wide = [*batch_shape, self.loc.shape[-1]]
        return TorchLogisticNormal(paddle.expand(self.loc, wide), paddle.expand(self.scale, wide))


class TorchFamilyKind(type):
    """Tells the distributions of the exponential family, which do not inherit from it here."""

    def __subclasscheck__(cls, kind: type) -> bool:
        known = (
            "Bernoulli",
            "Beta",
            "Chi2",
            "ContinuousBernoulli",
            "Dirichlet",
            "Exponential",
            "Gamma",
            "Normal",
            "Poisson",
            "Wishart",
        )
        told = cls.__name__ == "ExponentialFamily" and kind.__name__ in known
        return told or super().__subclasscheck__(kind)

    def __instancecheck__(cls, one: Any) -> bool:
        return cls.__subclasscheck__(type(one))


@torch_named
class TorchExponentialFamily(TorchDistribution, metaclass=TorchFamilyKind):
    """`torch.distributions.ExponentialFamily`: its entropy comes from its normalizer's slope."""

    _mean_carrier_measure: Any = 0.0

    @property
    def _natural_params(self) -> Any:
        raise NotImplementedError

    def _log_normalizer(self, *natural_params: Any) -> Any:
        raise NotImplementedError

    def entropy(self) -> Any:
        given = []
        for value in self._natural_params:
            value = value.detach()
            value.stop_gradient = False
            given.append(value)
        level = self._log_normalizer(*given)
        slopes = paddle.grad(level.sum(), given, create_graph=True)
        result = level - self._mean_carrier_measure
        for value, slope in zip(given, slopes, strict=True):
            result = result - (value * slope).reshape([*self.batch_shape, -1]).sum(axis=-1)
        return result


def torch_register_kl(type_p: Any, type_q: Any) -> Callable[[Any], Any]:
    """`torch.distributions.register_kl`: a divergence of one's own of two kinds."""

    def register(function: Any) -> Any:
        TorchDistribution.divergences[type_p, type_q] = function
        return function

    return register
