"""Distributions of vectors, and distributions made of others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import paddle

from workbench.targets.paddle.distributions.helpers.base import TorchDistribution, torch_parameters
from workbench.targets.paddle.distributions.helpers.constraints import (
    TorchGreaterThan,
    TorchIndependentConstraint,
    TorchInterval,
    TorchLowerCholesky,
    TorchPositiveDefinite,
    TorchReal,
    TorchSimplex,
    torch_constrained,
)
from workbench.targets.paddle.distributions.helpers.divergences import torch_divergence_across
from workbench.targets.paddle.distributions.helpers.positive import torch_x_log_y
from workbench.targets.paddle.linalg.helpers.solving import torch_solve_lower_or_upper
from workbench.targets.paddle.modules.helpers.class_names import torch_named


@torch_named
@torch_constrained(
    TorchSimplex(),
    concentration=TorchIndependentConstraint(TorchGreaterThan(0.0), 1),
)
class TorchDirichlet(TorchDistribution):
    """`torch.distributions.Dirichlet`; Paddle's samples have no gradient."""

    names = ("concentration",)
    has_rsample = True

    def __init__(self, concentration: Any, validate_args: bool | None = None) -> None:
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:])

    @property
    def mean(self) -> Any:
        return self.concentration / self.concentration.sum(axis=-1, keepdim=True)

    @property
    def mode(self) -> Any:
        excess = paddle.clip(self.concentration - 1, min=0)
        result = excess / excess.sum(axis=-1, keepdim=True)
        corner = (self.concentration < 1).all(axis=-1, keepdim=True)
        classes = self.concentration.argmax(axis=-1)
        peak = paddle.nn.functional.one_hot(classes, self.concentration.shape[-1])
        return paddle.where(corner, peak.astype(result.dtype), result)

    @property
    def variance(self) -> Any:
        total, alpha = self.concentration.sum(axis=-1, keepdim=True), self.concentration
        return alpha * (total - alpha) / (total.pow(2) * (total + 1))

    def log_prob(self, value: Any) -> Any:
        alpha = self.concentration
        spread = paddle.lgamma(alpha.sum(axis=-1)) - paddle.lgamma(alpha).sum(axis=-1)
        return torch_x_log_y(alpha - 1, value).sum(axis=-1) + spread

    def entropy(self) -> Any:
        alpha, count = self.concentration, self.concentration.shape[-1]
        total = alpha.sum(axis=-1)
        rest = (count - total) * paddle.digamma(total)
        tail = ((alpha - 1) * paddle.digamma(alpha)).sum(axis=-1)
        return paddle.lgamma(alpha).sum(axis=-1) - paddle.lgamma(total) - rest - tail

    def rsample(self, sample_shape: Sequence[int] = ()) -> Any:
        if paddle.is_grad_enabled() and not self.concentration.stop_gradient:
            raise NotImplementedError("Paddle's Dirichlet samples have no gradient; use sample()")
        alpha = paddle.expand(self.concentration, self.shape_of(sample_shape))
        drawn = paddle.standard_gamma(alpha)
        return drawn / drawn.sum(axis=-1, keepdim=True)

    def kl_to(self, other: Any) -> Any:
        alpha, beta = self.concentration, other.concentration
        total = alpha.sum(axis=-1)
        first = paddle.lgamma(total) - paddle.lgamma(beta.sum(axis=-1))
        second = (paddle.lgamma(alpha) - paddle.lgamma(beta)).sum(axis=-1)
        slope = paddle.digamma(alpha) - paddle.digamma(total).unsqueeze(-1)
        return first - second + ((alpha - beta) * slope).sum(axis=-1)


@torch_named
@torch_constrained(
    TorchInterval(0.0, 1.0),
    concentration1=TorchGreaterThan(0.0),
    concentration0=TorchGreaterThan(0.0),
)
class TorchBeta(TorchDirichlet):
    """`torch.distributions.Beta`: a Dirichlet distribution of two."""

    names = ("concentration",)

    def __init__(
        self, concentration1: Any, concentration0: Any, validate_args: bool | None = None
    ) -> None:
        super().__init__(paddle.stack(torch_parameters(concentration1, concentration0), axis=-1))
        self._event_shape = ()

    @property
    def concentration1(self) -> Any:
        return self.concentration[..., 0]

    @property
    def concentration0(self) -> Any:
        return self.concentration[..., 1]

    @property
    def mean(self) -> Any:
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def mode(self) -> Any:
        return super().mode[..., 0]

    @property
    def variance(self) -> Any:
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total.pow(2) * (total + 1))

    def log_prob(self, value: Any) -> Any:
        return super().log_prob(paddle.stack([value, 1 - value], axis=-1))

    def shape_of(self, sample_shape: Sequence[int]) -> list[int]:
        return [*sample_shape, *self.batch_shape, 2]

    def rsample(self, sample_shape: Sequence[int] = ()) -> Any:
        return super().rsample(sample_shape)[..., 0]


@torch_named
@torch_constrained(
    TorchReal(),
    df=TorchGreaterThan(0.0),
    loc=TorchReal(),
    scale=TorchGreaterThan(0.0),
)
class TorchStudentT(TorchDistribution):
    """`torch.distributions.StudentT`; Paddle's samples have no gradient by `df`."""

    names = ("df", "loc", "scale")
    has_rsample = True

    def __init__(
        self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None
    ) -> None:
        self.df, self.loc, self.scale = torch_parameters(df, loc, scale)
        super().__init__(self.df.shape)

    @property
    def mean(self) -> Any:
        return paddle.where(self.df > 1, self.loc, paddle.full_like(self.loc, math.nan))

    @property
    def mode(self) -> Any:
        return self.loc

    @property
    def variance(self) -> Any:
        result = self.scale.pow(2) * self.df / (self.df - 2)
        heavy = paddle.full_like(result, math.inf)
        none = paddle.full_like(result, math.nan)
        return paddle.where(self.df > 2, result, paddle.where(self.df > 1, heavy, none))

    def log_prob(self, value: Any) -> Any:
        df, away = self.df, (value - self.loc) / self.scale
        level = self.scale.log() + 0.5 * df.log() + 0.5 * math.log(math.pi)
        level = level + paddle.lgamma(0.5 * df) - paddle.lgamma(0.5 * (df + 1))
        return -0.5 * (df + 1) * paddle.log1p(away**2 / df) - level

    def entropy(self) -> Any:
        half, more = 0.5 * self.df, 0.5 * (self.df + 1)
        beta = paddle.lgamma(half) + math.lgamma(0.5) - paddle.lgamma(more)
        slopes = paddle.digamma(more) - paddle.digamma(half)
        return self.scale.log() + more * slopes + 0.5 * self.df.log() + beta

    def rsample(self, sample_shape: Sequence[int] = ()) -> Any:
        shape = self.shape_of(sample_shape)
        noise = paddle.randn(shape, dtype=self.loc.dtype)
        chi = 2 * paddle.standard_gamma(paddle.expand(0.5 * self.df, shape))
        return self.loc + self.scale * noise * paddle.rsqrt(chi / self.df)


def torch_solved(root: paddle.Tensor, right: paddle.Tensor) -> paddle.Tensor:
    """The solution of a lower triangular system, over what the batches broadcast to."""
    batch = paddle.broadcast_shape(root.shape[:-2], right.shape[:-2])
    left = paddle.expand(root, [*batch, *root.shape[-2:]])
    right = paddle.expand(right, [*batch, *right.shape[-2:]])
    return paddle.linalg.triangular_solve(left, right, upper=False)


def torch_scale_tril(covariance_matrix: Any, precision_matrix: Any, scale_tril: Any) -> Any:
    """The triangular root of a covariance that is given in one of three ways."""
    given = [m for m in (covariance_matrix, precision_matrix, scale_tril) if m is not None]
    if len(given) != 1:
        raise ValueError(
            "Exactly one of covariance_matrix, precision_matrix and scale_tril may be given."
        )
    if precision_matrix is not None:
        covariance_matrix = paddle.linalg.inv(precision_matrix)
    return paddle.linalg.cholesky(covariance_matrix) if scale_tril is None else scale_tril


@torch_named
@torch_constrained(
    TorchIndependentConstraint(TorchReal(), 1),
    loc=TorchIndependentConstraint(TorchReal(), 1),
    covariance_matrix=TorchPositiveDefinite(),
    precision_matrix=TorchPositiveDefinite(),
    scale_tril=TorchLowerCholesky(),
)
class TorchMultivariateNormal(TorchDistribution):
    """`torch.distributions.MultivariateNormal`."""

    names: tuple[str, ...] = ("loc", "scale_tril")
    has_rsample = True

    def __init__(
        self,
        loc: Any,
        covariance_matrix: Any = None,
        precision_matrix: Any = None,
        scale_tril: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        root = torch_scale_tril(covariance_matrix, precision_matrix, scale_tril)
        batch = paddle.broadcast_shape(root.shape[:-2], loc.shape[:-1])
        self.loc = paddle.expand(loc, [*batch, loc.shape[-1]])
        self.scale_tril = paddle.expand(root, [*batch, *root.shape[-2:]])
        super().__init__(batch, loc.shape[-1:])

    def kl_to(self, other: Any) -> Any:
        moved = torch_solved(other.scale_tril, (other.loc - self.loc).unsqueeze(-1))
        turned = torch_solved(other.scale_tril, self.scale_tril)
        roots = (
            paddle.diagonal(each.scale_tril, axis1=-2, axis2=-1).log().sum(axis=-1)
            for each in (other, self)
        )
        squares = turned.pow(2).sum(axis=[-2, -1]) + moved.pow(2).sum(axis=[-2, -1])
        return next(roots) - next(roots) + 0.5 * (squares - self.event_shape[0])

    @property
    def mean(self) -> Any:
        return self.loc

    @property
    def mode(self) -> Any:
        return self.loc

    @property
    def covariance_matrix(self) -> Any:
        return paddle.matmul(self.scale_tril, self.scale_tril, transpose_y=True)

    @property
    def precision_matrix(self) -> Any:
        return paddle.linalg.inv(self.covariance_matrix)

    @property
    def variance(self) -> Any:
        return self.scale_tril.pow(2).sum(axis=-1)

    @property
    def half_log_det(self) -> Any:
        return paddle.diagonal(self.scale_tril, axis1=-2, axis2=-1).log().sum(axis=-1)

    def log_prob(self, value: Any) -> Any:
        away = (value - self.loc).unsqueeze(-1)
        root = paddle.expand(self.scale_tril, [*away.shape[:-2], *self.scale_tril.shape[-2:]])
        solved = torch_solve_lower_or_upper(root, away, upper=False).squeeze(-1)
        size = self.loc.shape[-1]
        squares = solved.pow(2).sum(axis=-1)
        return -0.5 * (size * math.log(2 * math.pi) + squares) - self.half_log_det

    def entropy(self) -> Any:
        size = self.loc.shape[-1]
        return 0.5 * size * (1 + math.log(2 * math.pi)) + self.half_log_det

    def rsample(self, sample_shape: Sequence[int] = ()) -> Any:
        noise = paddle.randn(self.shape_of(sample_shape), dtype=self.loc.dtype)
        return self.loc + paddle.matmul(self.scale_tril, noise.unsqueeze(-1)).squeeze(-1)


@torch_named
class TorchIndependent(TorchDistribution):
    """`torch.distributions.Independent`: the last batch dimensions become one event."""

    def __init__(
        self,
        base_distribution: Any,
        reinterpreted_batch_ndims: int,
        validate_args: bool | None = None,
    ) -> None:
        base, count = base_distribution, reinterpreted_batch_ndims
        if count > len(base.batch_shape):
            raise ValueError("Expected reinterpreted_batch_ndims <= len(base.batch_shape)")
        split = len(base.batch_shape) - count
        super().__init__(base.batch_shape[:split], base.batch_shape[split:] + base.event_shape)
        self.base_dist = base
        self.reinterpreted_batch_ndims = count
        self.has_rsample = base.has_rsample

    @property
    def arg_constraints(self) -> Any:
        return {}

    @property
    def support(self) -> Any:
        inner, count = self.base_dist.support, self.reinterpreted_batch_ndims
        return TorchIndependentConstraint(inner, count) if count else inner

    @property
    def mean(self) -> Any:
        return self.base_dist.mean

    @property
    def mode(self) -> Any:
        return self.base_dist.mode

    @property
    def variance(self) -> Any:
        return self.base_dist.variance

    def __repr__(self) -> str:
        return f"Independent({self.base_dist!r}, {self.reinterpreted_batch_ndims})"

    def summed(self, value: Any) -> Any:
        """The sum over the dimensions that belong to one event."""
        count = self.reinterpreted_batch_ndims
        return value.sum(axis=list(range(-count, 0))) if count else value

    def log_prob(self, value: Any) -> Any:
        return self.summed(self.base_dist.log_prob(value))

    def entropy(self) -> Any:
        return self.summed(self.base_dist.entropy())

    def sample(self, sample_shape: Sequence[int] = ()) -> Any:
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Any:
        return self.base_dist.rsample(sample_shape)

    def kl_to(self, other: Any) -> Any:
        return self.summed(self.base_dist.kl_to(other.base_dist))

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        inner = self.base_dist.batch_shape[len(self.batch_shape) :]
        new = super().expand(batch_shape, _instance)
        new.base_dist = self.base_dist.expand((*batch_shape, *inner))
        return new


def torch_kl_divergence(p: Any, q: Any) -> Any:
    """`torch.distributions.kl_divergence`."""
    for kind in type(p).__mro__:
        for other in type(q).__mro__:
            if (kind, other) in TorchDistribution.divergences:
                return TorchDistribution.divergences[kind, other](p, q)
    if type(p) is not type(q) or not hasattr(p, "kl_to"):
        return torch_divergence_across(p, q)
    return p.kl_to(q)
