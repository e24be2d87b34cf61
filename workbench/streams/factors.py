"""Eigenvectors and singular vectors, which torch and the target may return with opposite signs.

Either sign is right, and so is any vector of the space that belongs to equal values. What a cell
computes from such vectors differs then as well, which would hide other differences. The target's
vectors therefore get torch's signs. Where only their space is determined, torch's vectors are
taken, provided that they belong to the target's own values.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import torch

_MOST = 1 << 28  # bytes
_CLOSE = 1e-3  # relative difference of the values of one matrix on both sides
_SAME = 1e-3  # of the cosine of one vector on both sides, from 1
_ROUNDINGS = 1e3  # of a residual, in roundings of the largest value


@dataclass(frozen=True, slots=True, eq=False)
class Factors:
    """Values in the last dimension, and their vectors as columns; `right` only of a SVD."""

    values: torch.Tensor
    left: torch.Tensor
    right: torch.Tensor | None = None

    @property
    def sides(self) -> list[torch.Tensor]:
        """The matrices of vectors."""
        return [self.left] if self.right is None else [self.left, self.right]


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """How to make one side's vectors torch's: factors ±1 per column, then columns to take over."""

    signs: torch.Tensor
    taken: torch.Tensor  # which columns
    vectors: torch.Tensor  # torch's


@dataclass(slots=True)
class Chosen:
    """torch's factors of one statement, which the target takes by their values."""

    followed: bool = False  # whether the target's vectors were changed
    _found: deque[Factors] = field(default_factory=deque)
    _bytes: int = 0

    def note(self, factors: Factors) -> None:
        """Add factors that torch computed; complex ones have more than two possible phases."""
        if factors.left.is_complex() or self._bytes > _MOST:
            return
        self._bytes += sum(one.numel() * one.element_size() for one in factors.sides)
        self._found.append(factors)

    def choices(self, own: Factors) -> list[Choice] | None:
        """Return what makes the target's factors torch's, per side, or None if nothing has to."""
        same = (one for one in self._found if _are_of_one_matrix(one, own))
        torchs = next(same, None)
        if torchs is None:
            return None
        self._found.remove(torchs)
        choices = _choices(torchs, own)
        changed = any(bool((one.signs < 0).any() or one.taken.any()) for one in choices)
        self.followed |= changed
        return choices if changed else None


def _are_of_one_matrix(one: Factors, other: Factors) -> bool:
    shapes = [[side.shape for side in each.sides] for each in (one, other)]
    if shapes[0] != shapes[1] or not one.values.numel():
        return False
    apart = (one.values.double() - other.values.double()).abs().max()
    return bool(apart <= _CLOSE * one.values.double().abs().max())


def _choices(torchs: Factors, own: Factors) -> list[Choice]:
    values = own.values.double()
    count = values.shape[-1]
    pairs = [
        (one.double(), other.double()) for one, other in zip(torchs.sides, own.sides, strict=True)
    ]
    cosines = [(one * other).sum(-2, keepdim=True) for one, other in pairs]
    together = sum((cosine[..., :count] for cosine in cosines), torch.tensor(0.0))
    signs = torch.where(together < 0, -1.0, 1.0)
    alike = [signs * cosine[..., :count] > 1 - _SAME for cosine in cosines]
    unlike = ~torch.stack(alike).all(0) & _fit(torchs, own)
    choices = []
    for (one, other), cosine in zip(pairs, cosines, strict=True):
        # A full matrix has columns without values, which span what the others leave.
        rest = torch.where(cosine[..., count:] < 0, -1.0, 1.0)
        free = (rest * cosine[..., count:] <= 1 - _SAME) & _is_outside(one, other, count)
        taken = torch.cat([unlike, free], -1)
        choices.append(Choice(torch.cat([signs, rest], -1), taken, one))
    return choices


def _fit(torchs: Factors, own: Factors) -> torch.Tensor:
    """Return which columns of torch's vectors belong to the target's matrix, by its own factors."""
    values, count = own.values.double(), own.values.shape[-1]
    left, right = own.sides[0].double(), own.sides[-1].double()
    matrix = (left[..., :count] * values.unsqueeze(-2)) @ right[..., :count].mT
    one, other = torchs.sides[0].double(), torchs.sides[-1].double()
    scaled = torchs.values.double().unsqueeze(-2)
    off = (matrix @ other[..., :count] - scaled * one[..., :count]).norm(dim=-2, keepdim=True)
    back = (matrix.mT @ one[..., :count] - scaled * other[..., :count]).norm(dim=-2, keepdim=True)
    return torch.maximum(off, back) <= _rounding(own) * values.abs().amax(-1)[..., None, None]


def _is_outside(one: torch.Tensor, other: torch.Tensor, count: int) -> torch.Tensor:
    """Return whether torch's further columns are orthogonal to the target's first ones."""
    product = (other[..., :count].mT @ one[..., count:]).abs()
    most = product.amax((-2, -1), keepdim=True) if product.numel() else product.new_zeros(1, 1)
    return most <= _CLOSE


def _rounding(own: Factors) -> float:
    return _ROUNDINGS * torch.finfo(own.left.dtype).eps
