"""Distributions of matrices, and of vectors through matrices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import paddle

from workbench.targets.paddle.distributions.helpers.base import TorchDistribution
from workbench.targets.paddle.distributions.helpers.constraints import (
    TorchCorrCholesky,
    TorchGreaterThan,
    TorchIndependentConstraint,
    TorchLowerCholesky,
    TorchPositiveDefinite,
    TorchReal,
    torch_constrained,
)
from workbench.targets.paddle.distributions.helpers.joint import (
    TorchMultivariateNormal,
    torch_scale_tril,
    torch_solved,
)
from workbench.targets.paddle.modules.helpers.class_names import torch_named


def torch_log_diagonal(matrix: Any) -> Any:
    """The sum of the logarithms of a matrix's diagonal."""
    return paddle.diagonal(matrix, axis1=-2, axis2=-1).log().sum(axis=-1)


@torch_named
@torch_constrained(
    TorchIndependentConstraint(TorchReal(), 1),
    loc=TorchIndependentConstraint(TorchReal(), 1),
    cov_factor=TorchIndependentConstraint(TorchReal(), 2),
    cov_diag=TorchIndependentConstraint(TorchGreaterThan(0.0), 1),
)
class TorchLowRankMultivariateNormal(TorchMultivariateNormal):
    """`torch.distributions.LowRankMultivariateNormal`, through its whole covariance."""

    names = ("loc", "cov_factor", "cov_diag", "scale_tril")

    def __init__(
        self, loc: Any, cov_factor: Any, cov_diag: Any, validate_args: bool | None = None
    ) -> None:
        batch = paddle.broadcast_shape(loc.shape[:-1], cov_factor.shape[:-2])
        batch = paddle.broadcast_shape(batch, cov_diag.shape[:-1])
        self.cov_factor = paddle.expand(cov_factor, [*batch, *cov_factor.shape[-2:]])
        self.cov_diag = paddle.expand(cov_diag, [*batch, cov_diag.shape[-1]])
        spread = paddle.matmul(self.cov_factor, self.cov_factor, transpose_y=True)
        eye = paddle.eye(cov_diag.shape[-1], dtype=cov_diag.dtype)
        own = self.cov_diag.unsqueeze(-1) * eye  # Paddle's diag_embed hands no gradient back
        super().__init__(loc, covariance_matrix=spread + own)


@torch_named
@torch_constrained(
    TorchPositiveDefinite(),
    covariance_matrix=TorchPositiveDefinite(),
    precision_matrix=TorchPositiveDefinite(),
    scale_tril=TorchLowerCholesky(),
    df=lambda self: TorchGreaterThan(self.event_shape[-1] - 1),
)
class TorchWishart(TorchDistribution):
    """`torch.distributions.Wishart`."""

    names = ("df", "scale_tril")
    has_rsample = True

    def __init__(
        self,
        df: Any,
        covariance_matrix: Any = None,
        precision_matrix: Any = None,
        scale_tril: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        root = torch_scale_tril(covariance_matrix, precision_matrix, scale_tril)
        freedom = df if isinstance(df, paddle.Tensor) else paddle.to_tensor(df, dtype=root.dtype)
        batch = paddle.broadcast_shape(root.shape[:-2], freedom.shape)
        self.df = paddle.expand(freedom, batch)
        self.scale_tril = paddle.expand(root, [*batch, *root.shape[-2:]])
        super().__init__(batch, root.shape[-2:])

    @property
    def covariance_matrix(self) -> Any:
        return paddle.matmul(self.scale_tril, self.scale_tril, transpose_y=True)

    @property
    def precision_matrix(self) -> Any:
        return paddle.linalg.inv(self.covariance_matrix)

    @property
    def freedom(self) -> Any:
        """The degrees of freedom, with dimensions for a matrix."""
        return self.df.unsqueeze(-1).unsqueeze(-1)

    @property
    def mean(self) -> Any:
        return self.freedom * self.covariance_matrix

    @property
    def mode(self) -> Any:
        factor = self.freedom - self.event_shape[-1] - 1
        factor = paddle.where(factor <= 0, paddle.full_like(factor, math.nan), factor)
        return factor * self.covariance_matrix

    @property
    def variance(self) -> Any:
        covariance = self.covariance_matrix
        diagonal = paddle.diagonal(covariance, axis1=-2, axis2=-1)
        products = diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2)
        return self.freedom * (covariance.pow(2) + products)

    @property
    def level(self) -> Any:
        """The logarithm of the scale's determinant, and that of two for each dimension, halved."""
        return self.event_shape[-1] * math.log(2) / 2 + torch_log_diagonal(self.scale_tril)

    def log_prob(self, value: Any) -> Any:
        size, root = self.event_shape[-1], self.scale_tril
        inner = torch_solved(root, value)
        whole = torch_solved(root, inner.mT)
        trace = paddle.diagonal(whole, axis1=-2, axis2=-1).sum(axis=-1)
        logdet = 2 * torch_log_diagonal(paddle.linalg.cholesky(value))
        norm = self.df * self.level + paddle.multigammaln(self.df / 2, size)
        return (self.df - size - 1) / 2 * logdet - trace / 2 - norm

    def entropy(self) -> Any:
        size, half = self.event_shape[-1], self.df / 2
        steps = paddle.arange(size).astype(half.dtype) / 2
        slopes = paddle.digamma(half.unsqueeze(-1) - steps).sum(axis=-1)
        rest = paddle.multigammaln(half, size) - (self.df - size - 1) / 2 * slopes
        return (size + 1) * self.level + rest + half * size

    def rsample(self, sample_shape: Sequence[int] = (), max_try_correction: Any = None) -> Any:
        size, shape = self.event_shape[-1], [*sample_shape, *self.batch_shape]
        steps = paddle.arange(size).astype(self.df.dtype)
        chi = (self.df.unsqueeze(-1) - steps) / 2
        drawn = 2 * paddle.standard_gamma(paddle.expand(chi, [*shape, size]))
        noise = paddle.tril(paddle.randn([*shape, size, size], dtype=self.df.dtype), -1)
        root = paddle.matmul(self.scale_tril, noise + paddle.diag_embed(drawn.sqrt()))
        return paddle.matmul(root, root, transpose_y=True)


@torch_named
@torch_constrained(TorchCorrCholesky(), concentration=TorchGreaterThan(0.0))
class TorchLKJCholesky(TorchDistribution):
    """`torch.distributions.LKJCholesky`: roots of correlation matrices."""

    names = ("concentration",)

    def __init__(
        self, dim: int, concentration: Any = 1.0, validate_args: bool | None = None
    ) -> None:
        if dim < 2:
            raise ValueError(
                f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}."
            )
        self.dim = dim
        given = isinstance(concentration, paddle.Tensor)
        self.concentration = (
            concentration
            if given
            else paddle.to_tensor(concentration, dtype=paddle.get_default_dtype())
        )
        super().__init__(self.concentration.shape, (dim, dim))

    def log_prob(self, value: Any) -> Any:
        eta, less = self.concentration, self.dim - 1
        diagonal = paddle.diagonal(value, axis1=-2, axis2=-1)[..., 1:]
        order = 2 * (eta - 1).unsqueeze(-1) + less - paddle.arange(1, self.dim).astype(eta.dtype)
        alpha = eta + 0.5 * less
        norm = 0.5 * less * math.log(math.pi) - paddle.lgamma(alpha) * less
        norm = norm + paddle.multigammaln(alpha - 0.5, less)
        return (order * diagonal.log()).sum(axis=-1) - norm

    def sample(self, sample_shape: Sequence[int] = ()) -> Any:
        with paddle.no_grad():
            eta, shape = self.concentration, [*sample_shape, *self.batch_shape]
            steps = paddle.clip(paddle.arange(-1, self.dim - 1), min=0).astype(eta.dtype)
            first = paddle.expand(steps + 0.5, [*shape, self.dim])
            second = (eta + 0.5 * (self.dim - 2)).unsqueeze(-1) - 0.5 * steps
            one = paddle.standard_gamma(first)
            two = paddle.standard_gamma(paddle.expand(second, [*shape, self.dim]))
            noise = paddle.tril(paddle.randn([*shape, self.dim, self.dim], dtype=eta.dtype), -1)
            lengths = noise.square().sum(axis=-1, keepdim=True).sqrt()
            turned = noise / paddle.where(lengths == 0, paddle.ones_like(lengths), lengths)
            rows = (one / (one + two)).sqrt().unsqueeze(-1) * turned
            tiny = float(paddle.finfo(eta.dtype).tiny)
            left = paddle.clip(1 - rows.square().sum(axis=-1), min=tiny)
            return rows + paddle.diag_embed(left.sqrt())
