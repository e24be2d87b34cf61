"""Transforms that rearrange values, and those whose values are simplexes and matrices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import paddle

from workbench.targets.paddle.distributions.helpers.transforms import (
    TorchTransform,
    torch_sum_last,
)
from workbench.targets.paddle.modules.helpers.class_names import torch_named


@torch_named
class TorchReshapeTransform(TorchTransform):
    """`torch.distributions.ReshapeTransform`."""

    bijective = True

    def __init__(
        self, in_shape: Sequence[int], out_shape: Sequence[int], cache_size: int = 0
    ) -> None:
        super().__init__(cache_size)
        self.in_shape, self.out_shape = tuple(in_shape), tuple(out_shape)
        self.event_dim = max(len(self.in_shape), len(self.out_shape))

    def dims(self) -> tuple[int, int]:
        return len(self.in_shape), len(self.out_shape)

    def forward_shape(self, shape: Sequence[int]) -> Any:
        return (*shape[: len(shape) - len(self.in_shape)], *self.out_shape)

    def inverse_shape(self, shape: Sequence[int]) -> Any:
        return (*shape[: len(shape) - len(self.out_shape)], *self.in_shape)

    def _call(self, x: Any) -> Any:
        return x.reshape([*x.shape[: x.ndim - len(self.in_shape)], *self.out_shape])

    def _inverse(self, y: Any) -> Any:
        return y.reshape([*y.shape[: y.ndim - len(self.out_shape)], *self.in_shape])

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return paddle.zeros(x.shape[: x.ndim - len(self.in_shape)], dtype=x.dtype)


@torch_named
class TorchIndependentTransform(TorchTransform):
    """`torch.distributions.IndependentTransform`: some batch dimensions belong to the event."""

    def __init__(
        self, base_transform: Any, reinterpreted_batch_ndims: int, cache_size: int = 0
    ) -> None:
        super().__init__(cache_size)
        self.base_transform = base_transform
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        self.event_dim = base_transform.event_dim + reinterpreted_batch_ndims
        self.bijective = base_transform.bijective

    def dims(self) -> tuple[int, int]:
        first, last = self.base_transform.dims()
        return first + self.reinterpreted_batch_ndims, last + self.reinterpreted_batch_ndims

    def __repr__(self) -> str:
        base = repr(self.base_transform)
        return f"{type(self).__name__}({base}, {self.reinterpreted_batch_ndims})"

    @property
    def sign(self) -> Any:
        return self.base_transform.sign

    def _call(self, x: Any) -> Any:
        return self.base_transform(x)

    def _inverse(self, y: Any) -> Any:
        return self.base_transform._inverse(y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        result = self.base_transform.log_abs_det_jacobian(x, y)
        return torch_sum_last(result, self.reinterpreted_batch_ndims)


@torch_named
class TorchStackTransform(TorchTransform):
    """`torch.distributions.StackTransform`: one transform for each slice of a dimension."""

    def __init__(self, tseq: Sequence[Any], dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.transforms = list(tseq)
        self.dim = dim
        self.bijective = all(transform.bijective for transform in self.transforms)

    def parts(self, value: Any) -> list[Any]:
        return list(paddle.unbind(value, axis=self.dim))

    def _call(self, x: Any) -> Any:
        pairs = zip(self.transforms, self.parts(x), strict=True)
        return paddle.stack([transform(part) for transform, part in pairs], axis=self.dim)

    def _inverse(self, y: Any) -> Any:
        pairs = zip(self.transforms, self.parts(y), strict=True)
        return paddle.stack([transform._inverse(part) for transform, part in pairs], axis=self.dim)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        triples = zip(self.transforms, self.parts(x), self.parts(y), strict=True)
        terms = [transform.log_abs_det_jacobian(x, y) for transform, x, y in triples]
        return paddle.stack(terms, axis=self.dim)


@torch_named
class TorchCatTransform(TorchTransform):
    """`torch.distributions.CatTransform`: one transform for each stretch of a dimension."""

    def __init__(
        self,
        tseq: Sequence[Any],
        dim: int = 0,
        lengths: Sequence[int] | None = None,
        cache_size: int = 0,
    ) -> None:
        super().__init__(cache_size)
        self.transforms = list(tseq)
        self.dim = dim
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        self.length = sum(self.lengths)
        self.event_dim = max(transform.event_dim for transform in self.transforms)
        self.bijective = all(transform.bijective for transform in self.transforms)

    def parts(self, value: Any) -> list[Any]:
        return list(paddle.split(value, self.lengths, axis=self.dim))

    def _call(self, x: Any) -> Any:
        pairs = zip(self.transforms, self.parts(x), strict=True)
        return paddle.concat([transform(part) for transform, part in pairs], axis=self.dim)

    def _inverse(self, y: Any) -> Any:
        pairs = zip(self.transforms, self.parts(y), strict=True)
        return paddle.concat([transform._inverse(part) for transform, part in pairs], axis=self.dim)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        triples = zip(self.transforms, self.parts(x), self.parts(y), strict=True)
        terms = [
            torch_sum_last(each.log_abs_det_jacobian(a, b), self.event_dim - each.event_dim)
            for each, a, b in triples
        ]
        axis = (self.dim - x.ndim if self.dim >= 0 else self.dim) + self.event_dim
        return paddle.concat(terms, axis=axis) if axis < 0 else sum(terms)


@torch_named
class TorchCumulativeDistributionTransform(TorchTransform):
    """`torch.distributions.CumulativeDistributionTransform`: to the area below each value."""

    bijective = True
    sign = 1

    def __init__(self, distribution: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.distribution = distribution

    def _call(self, x: Any) -> Any:
        return self.distribution.cdf(x)

    def _inverse(self, y: Any) -> Any:
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return self.distribution.log_prob(x)


@torch_named
class TorchStickBreakingTransform(TorchTransform):
    """`torch.distributions.StickBreakingTransform`: from real numbers to a simplex."""

    bijective = True
    compared = ()

    event_dim = 1

    def forward_shape(self, shape: Sequence[int]) -> Any:
        return (*shape[:-1], shape[-1] + 1)

    def inverse_shape(self, shape: Sequence[int]) -> Any:
        return (*shape[:-1], shape[-1] - 1)

    def _call(self, x: Any) -> Any:
        z = paddle.nn.functional.sigmoid(x - self.offset(x))
        rest = (1 - z).cumprod(dim=-1)
        one = paddle.ones_like(z[..., :1])
        return paddle.concat([z, one], axis=-1) * paddle.concat([one, rest], axis=-1)

    def _inverse(self, y: Any) -> Any:
        x = y[..., :-1]
        rest = 1 - x.cumsum(axis=-1)
        rest = paddle.clip(rest, min=float(paddle.finfo(y.dtype).tiny))
        return x.log() - rest.log() + self.offset(x)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        x = x - self.offset(x)
        return (-x + paddle.nn.functional.log_sigmoid(x) + y[..., :-1].log()).sum(axis=-1)

    @staticmethod
    def offset(x: Any) -> Any:
        """The logarithm of how many pieces are still to be broken off."""
        return paddle.arange(x.shape[-1], 0, -1).astype(x.dtype).log()


@torch_named
class TorchLowerCholeskyTransform(TorchTransform):
    """`torch.distributions.LowerCholeskyTransform`: lower triangular, the diagonal positive."""

    compared = ()

    bijective = False
    event_dim = 2

    def _call(self, x: Any) -> Any:
        return x.tril(-1) + paddle.diag_embed(x.diagonal(axis1=-2, axis2=-1).exp())

    def _inverse(self, y: Any) -> Any:
        return y.tril(-1) + paddle.diag_embed(y.diagonal(axis1=-2, axis2=-1).log())


@torch_named
class TorchPositiveDefiniteTransform(TorchTransform):
    """`torch.distributions.PositiveDefiniteTransform`: a matrix times its own transpose."""

    compared = ()

    bijective = False
    event_dim = 2

    def _call(self, x: Any) -> Any:
        lower = TorchLowerCholeskyTransform()(x)
        return paddle.matmul(lower, lower, transpose_y=True)

    def _inverse(self, y: Any) -> Any:
        return TorchLowerCholeskyTransform()._inverse(paddle.linalg.cholesky(y))


@torch_named
class TorchCorrCholeskyTransform(TorchTransform):
    """`torch.distributions.CorrCholeskyTransform`: from a vector to a correlation's factor."""

    bijective = True
    compared = ()

    event_dim = 1

    def dims(self) -> tuple[int, int]:
        return 1, 2

    def forward_shape(self, shape: Sequence[int]) -> Any:
        size = round((0.25 + 2 * shape[-1]) ** 0.5 + 0.5)
        if size * (size - 1) // 2 != shape[-1]:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return (*shape[:-1], size, size)

    def inverse_shape(self, shape: Sequence[int]) -> Any:
        if len(shape) < 2 or shape[-2] != shape[-1]:
            raise ValueError("Input is not square")
        return (*shape[:-2], shape[-1] * (shape[-1] - 1) // 2)

    def _call(self, x: Any) -> Any:
        near = 1 - paddle.finfo(x.dtype).eps
        shape = list(self.forward_shape(x.shape))
        values = paddle.clip(paddle.tanh(x), min=-near, max=near)
        places = paddle.tril_indices(shape[-1], shape[-1], -1)
        flat = places[0] * shape[-1] + places[1]
        spread = paddle.nn.functional.one_hot(flat, shape[-1] ** 2).astype(x.dtype)
        rows = paddle.matmul(values, spread).reshape(shape)
        left = (1 - rows**2).sqrt().cumprod(dim=-1)
        left = paddle.concat([paddle.ones_like(left[..., :1]), left[..., :-1]], axis=-1)
        return (rows + paddle.eye(shape[-1], dtype=x.dtype)) * left

    def _inverse(self, y: Any) -> Any:
        left = 1 - (y * y).cumsum(axis=-1)
        left = paddle.concat([paddle.ones_like(left[..., :1]), left[..., :-1]], axis=-1)
        value = self.lower(y, -1) / self.lower(left, -1).sqrt()
        return (paddle.log1p(value) - paddle.log1p(-value)) / 2

    def log_abs_det_jacobian(self, x: Any, y: Any, intermediates: Any = None) -> Any:
        left = self.lower(1 - (y * y).cumsum(axis=-1), -2)
        bent = x + paddle.nn.functional.softplus(-2 * x) - math.log(2.0)
        return 0.5 * left.log().sum(axis=-1) - 2 * bent.sum(axis=-1)

    @staticmethod
    def lower(matrix: Any, diagonal: int) -> Any:
        """The values below a diagonal, row by row."""
        places = paddle.tril_indices(matrix.shape[-1], matrix.shape[-1], diagonal)
        flat = matrix.reshape([*matrix.shape[:-2], -1])
        return paddle.index_select(flat, places[0] * matrix.shape[-1] + places[1], axis=-1)
