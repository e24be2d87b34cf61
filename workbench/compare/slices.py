"""Detailed view of one tensor's two values: where they differ, and slices to draw."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from workbench.compare.result import worst_first

if TYPE_CHECKING:
    from workbench.compare.result import Comparison

Pairs = Mapping[str, tuple[torch.Tensor, torch.Tensor]]
MOST_BYTES = 32 << 20  # for both values of all tensors of a comparison
_SIDE = 128  # larger slices are drawn with fewer rows and columns
_NEAR = 0.1  # smaller shares of the largest difference do not count as near it


@dataclass(frozen=True, slots=True)
class Span:
    """The indices along one dimension with differences near the largest."""

    size: int
    indices: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Peak:
    """The element that differs most, and the extent of nearly equal differences."""

    index: tuple[int, ...]
    ours: float
    theirs: float
    near: int
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Slice:
    """The last two dimensions at an index of the others: both values and their distance.

    `shape` is the original shape; each of the three tensors may have fewer rows and columns. `low`
    and `high` are the extremes of both values in the whole tensor, `most` is the largest distance
    in it.
    """

    shape: tuple[int, int]
    ours: torch.Tensor
    theirs: torch.Tensor
    apart: torch.Tensor
    low: float
    high: float
    most: float


def copies(comparison: Comparison, most_bytes: int = MOST_BYTES) -> Pairs:
    """Return copies of the rows' tensors, different ones first, up to the memory limit."""
    kept: dict[str, tuple[torch.Tensor, torch.Tensor]] = {}
    for row in sorted(comparison.rows, key=worst_first):
        one = comparison.torch.tensors.get(row.name)
        other = comparison.target.tensors.get(row.name)
        if one is None or other is None or one.shape != other.shape or not _is_drawn(one):
            continue
        size = one.numel() * one.element_size()
        size *= 1 if row.max_abs == 0 else 2
        if size <= most_bytes:
            most_bytes -= size
            ours = one.detach().cpu().clone()
            kept[row.name] = ours, ours if row.max_abs == 0 else other.detach().cpu().clone()
    return kept


def peak(one: torch.Tensor, other: torch.Tensor) -> Peak:
    """Return the position where two values of one shape differ most."""
    ours, theirs, apart = _wide(one, other)
    place = int(apart.argmax())
    index = tuple(int(each) for each in torch.unravel_index(torch.tensor(place), apart.shape))
    most = float(apart.max())
    near = (apart >= most * _NEAR).nonzero() if most > 0 else apart.new_empty(0, apart.dim())
    spans = tuple(
        Span(size, len(found), int(found[0]), int(found[-1]))
        for size, found in zip(apart.shape, (column.unique() for column in near.T), strict=True)
        if len(found)
    )
    return Peak(index, float(ours[index]), float(theirs[index]), len(near), spans)


def slice_at(one: torch.Tensor, other: torch.Tensor, at: Sequence[int]) -> Slice:
    """Return the slice at an index of all dimensions but the last two.

    Raises:
        ValueError: there is no such slice.
    """
    ours, theirs, apart = _wide(one, other)
    leading = apart.shape[:-2]
    if len(at) != len(leading) or any(
        not 0 <= index < size for index, size in zip(at, leading, strict=True)
    ):
        raise ValueError(f"no slice {list(at)} of {list(apart.shape)}")
    both = torch.stack([ours, theirs])
    finite = both[both.isfinite()]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 0.0)
    flat = [_plane(value[tuple(at)]) for value in (ours, theirs, apart)]
    rows, columns = flat[0].shape
    return Slice(
        (rows, columns),
        _smaller(flat[0], most=False),
        _smaller(flat[1], most=False),
        _smaller(flat[2], most=True),
        low,
        high,
        float(apart.max()),
    )


def _is_drawn(value: torch.Tensor) -> bool:
    return value.layout is torch.strided and value.numel() > 0


def _wide(
    one: torch.Tensor, other: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return both as real numbers (absolute values of complex ones), and their distance."""
    wide = torch.complex128 if one.is_complex() else torch.float64
    a, b = one.to(wide), other.to(wide)
    gap = (a - b).abs()
    unlike = (a != b) & ~(a.isnan() & b.isnan())
    gap = torch.where(gap.isfinite(), gap, torch.where(unlike, math.inf, 0.0))
    if one.is_complex():
        return a.abs(), b.abs(), gap
    return a, b, gap


def _plane(value: torch.Tensor) -> torch.Tensor:
    return value.reshape(-1, value.shape[-1]) if value.dim() else value.reshape(1, 1)


def _smaller(value: torch.Tensor, *, most: bool) -> torch.Tensor:
    """Return at most `_SIDE` rows and columns: maxima of differences, or sampled values."""
    rows, columns = (min(size, _SIDE) for size in value.shape)
    if (rows, columns) == tuple(value.shape):
        return value.float().contiguous()
    if most:
        pooled = torch.nn.functional.adaptive_max_pool2d(value[None], (rows, columns))[0]
        return pooled.float().contiguous()
    lines = torch.arange(rows) * value.shape[0] // rows
    return value[lines][:, torch.arange(columns) * value.shape[1] // columns].float().contiguous()
