"""Which values a transform takes, and which it gives, as constraints."""

from __future__ import annotations

from typing import Any

from workbench.targets.paddle.distributions.helpers.constraints import (
    TorchCat,
    TorchCorrCholesky,
    TorchGreaterThan,
    TorchIndependentConstraint,
    TorchInterval,
    TorchLowerCholesky,
    TorchPositiveDefinite,
    TorchReal,
    TorchSimplex,
    TorchStack,
)


def torch_domain(transform: Any) -> Any:
    """`Transform.domain`: what a transform may be given."""
    return torch_transform_ends(transform)[0]


def torch_codomain(transform: Any) -> Any:
    """`Transform.codomain`: what a transform may give."""
    return torch_transform_ends(transform)[1]


def torch_transform_ends(transform: Any) -> tuple[Any, Any]:
    """The domain and the codomain of a transform, one of the user's own included."""
    if hasattr(transform, "domain"):
        return transform.domain, transform.codomain
    kind = type(transform).__name__.removeprefix("Torch")
    real, positive = TorchReal(), TorchGreaterThan(0.0)
    vector = TorchIndependentConstraint(real, 1)
    matrix = TorchIndependentConstraint(real, 2)
    known: dict[str, tuple[Any, Any]] = {
        "AbsTransform": (real, positive),
        "CorrCholeskyTransform": (vector, TorchCorrCholesky()),
        "ExpTransform": (real, positive),
        "LowerCholeskyTransform": (matrix, TorchLowerCholesky()),
        "PositiveDefiniteTransform": (matrix, TorchPositiveDefinite()),
        "PowerTransform": (positive, positive),
        "SigmoidTransform": (real, TorchInterval(0.0, 1.0)),
        "SoftmaxTransform": (vector, TorchSimplex()),
        "SoftplusTransform": (real, positive),
        "StickBreakingTransform": (vector, TorchSimplex()),
        "TanhTransform": (real, TorchInterval(-1.0, 1.0)),
    }
    if kind in known:
        return known[kind]
    if kind == "InverseTransform":
        first, last = torch_transform_ends(transform.inv)
        return last, first
    if kind == "AffineTransform":
        count = transform.event_dim
        both = TorchIndependentConstraint(real, count) if count else real
        return both, both
    if kind == "ReshapeTransform":
        first, last = len(transform.in_shape), len(transform.out_shape)
        return TorchIndependentConstraint(real, first), TorchIndependentConstraint(real, last)
    if kind == "CumulativeDistributionTransform":
        return transform.distribution.support, TorchInterval(0.0, 1.0)
    if kind == "IndependentTransform":
        count = transform.reinterpreted_batch_ndims
        first, last = torch_transform_ends(transform.base_transform)
        return TorchIndependentConstraint(first, count), TorchIndependentConstraint(last, count)
    if kind == "ComposeTransform":
        return torch_composed_ends([torch_transform_ends(part) for part in transform.parts])
    ends = [torch_transform_ends(part) for part in transform.transforms]
    given, gives = [first for first, _ in ends], [last for _, last in ends]
    if kind == "StackTransform":
        return TorchStack(given, transform.dim), TorchStack(gives, transform.dim)
    lengths = transform.lengths
    return TorchCat(given, transform.dim, lengths), TorchCat(gives, transform.dim, lengths)


def torch_composed_ends(ends: list[tuple[Any, Any]]) -> tuple[Any, Any]:
    """The domain and the codomain of transforms one after the other, given those of each."""
    if not ends:
        return TorchReal(), TorchReal()
    given, gives = ends[0][0], ends[-1][1]
    first, last = gives.event_dim, given.event_dim
    for before, after in reversed(ends):
        first = max(first + before.event_dim - after.event_dim, before.event_dim)
    for before, after in ends:
        last = max(last + after.event_dim - before.event_dim, after.event_dim)
    if first > given.event_dim:
        given = TorchIndependentConstraint(given, first - given.event_dim)
    if last > gives.event_dim:
        gives = TorchIndependentConstraint(gives, last - gives.event_dim)
    return given, gives
