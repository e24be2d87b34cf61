"""Transforms from all real numbers to what a constraint allows."""

from __future__ import annotations

from typing import Any

from workbench.targets.paddle.distributions.helpers.constraints import (
    TorchCat,
    TorchGreaterThan,
    TorchGreaterThanEq,
    TorchHalfOpenInterval,
    TorchIndependentConstraint,
    TorchInterval,
    TorchLessThan,
    TorchLowerCholesky,
    TorchPositiveDefinite,
    TorchPositiveSemidefinite,
    TorchReal,
    TorchSimplex,
    TorchStack,
)
from workbench.targets.paddle.distributions.helpers.shaping import (
    TorchCatTransform,
    TorchIndependentTransform,
    TorchLowerCholeskyTransform,
    TorchPositiveDefiniteTransform,
    TorchStackTransform,
    TorchStickBreakingTransform,
)
from workbench.targets.paddle.distributions.helpers.transforms import (
    TorchAffineTransform,
    TorchComposeTransform,
    TorchExpTransform,
    TorchSigmoidTransform,
    TorchSoftmaxTransform,
)


def torch_bounded(constraint: Any) -> Any:
    """The transform to numbers with a bound or two; None for other constraints."""
    if type(constraint) in (TorchGreaterThan, TorchGreaterThanEq):
        return TorchComposeTransform(
            [TorchExpTransform(), TorchAffineTransform(constraint.lower_bound, 1)]
        )
    if type(constraint) is TorchLessThan:
        return TorchComposeTransform(
            [TorchExpTransform(), TorchAffineTransform(constraint.upper_bound, -1)]
        )
    if type(constraint) in (TorchInterval, TorchHalfOpenInterval):
        low, high = constraint.lower_bound, constraint.upper_bound
        if low == 0 and high == 1:
            return TorchSigmoidTransform()
        within = TorchAffineTransform(low, high - low)
        return TorchComposeTransform([TorchSigmoidTransform(), within])
    return None


def torch_transform_to(constraint: Any, bijective: bool = False) -> Any:
    """`transform_to`, and `biject_to` where no two numbers may be sent to one."""
    kind = type(constraint)
    if kind is TorchReal:
        return TorchComposeTransform([])
    if (bounded := torch_bounded(constraint)) is not None:
        return bounded
    if kind is TorchIndependentConstraint:
        inner = torch_transform_to(constraint.base_constraint, bijective)
        return TorchIndependentTransform(inner, constraint.reinterpreted_batch_ndims)
    if kind is TorchSimplex:
        return TorchStickBreakingTransform() if bijective else TorchSoftmaxTransform()
    if kind is TorchLowerCholesky and not bijective:
        return TorchLowerCholeskyTransform()
    if kind in (TorchPositiveDefinite, TorchPositiveSemidefinite) and not bijective:
        return TorchPositiveDefiniteTransform()
    if kind in (TorchCat, TorchStack):
        parts = [torch_transform_to(one, bijective) for one in constraint.cseq]
        if kind is TorchCat:
            return TorchCatTransform(parts, constraint.dim, constraint.lengths)
        return TorchStackTransform(parts, constraint.dim)
    raise NotImplementedError(f"Cannot transform {kind.__name__} constraints")


def torch_biject_to(constraint: Any) -> Any:
    """`torch.distributions.biject_to`."""
    return torch_transform_to(constraint, bijective=True)
