"""Slices of one tensor's two values."""

from __future__ import annotations

import math

import pytest
import torch

from workbench.compare import Comparison, Run, Tolerance
from workbench.compare.judging.tensors import tensor_row
from workbench.compare.slices import copies, peak, slice_at


def test_the_peak_shows_which_channel() -> None:
    one = torch.zeros(4, 8, 5, 5)
    other = one.clone()
    other[:, 3] += 0.5
    other[2, 3, 1, 4] += 0.25
    found = peak(one, other)
    assert (found.index, found.ours, found.theirs) == ((2, 3, 1, 4), 0.0, 0.75)
    assert found.near == 100
    assert [(span.indices, span.first, span.last) for span in found.spans] == [
        (4, 0, 3),
        (1, 3, 3),
        (5, 0, 4),
        (5, 0, 4),
    ]


def test_agreement_has_no_location() -> None:
    one = torch.tensor([math.nan, math.inf, 1.0])
    found = peak(one, one.clone())
    assert (found.near, found.spans) == (0, ())


def test_a_number_on_one_side_only_is_furthest_apart() -> None:
    one, other = torch.ones(3, 3), torch.ones(3, 3)
    other[1, 2] = math.nan
    assert peak(one, other).index == (1, 2)


def test_slices_of_many_rows_keep_the_largest_difference() -> None:
    one = torch.zeros(2, 1000, 300)
    other = one.clone()
    other[1, 777, 5] = 1.0
    found = slice_at(one, other, [1])
    assert found.shape == (1000, 300)
    assert found.ours.shape == found.apart.shape == (128, 128)
    assert (float(found.apart.max()), found.most, found.high) == (1.0, 1.0, 1.0)
    assert float(slice_at(one, other, [0]).apart.max()) == 0.0
    with pytest.raises(ValueError, match=r"no slice \[2\] of \[2, 1000, 300\]"):
        slice_at(one, other, [2])


@pytest.mark.parametrize("value", [torch.tensor(2.0), torch.arange(5), torch.tensor([1 + 1j])])
def test_numbers_and_vectors_are_a_row(value: torch.Tensor) -> None:
    found = slice_at(value, value, [])
    assert found.shape == (1, value.numel())


def test_copies_stay_as_they_were_and_fit() -> None:
    comparison = Comparison("x", "x", "paddle", Run("torch"), Run("paddle"))
    for name, gap in (("same", 0.0), ("off", 1.0), ("large", 0.0)):
        one = torch.zeros(1000 if name == "large" else 10)
        other = one + gap
        comparison.rows.append(tensor_row(name, one, other, Tolerance()))
        comparison.torch.tensors[name], comparison.target.tensors[name] = one, other
    kept = copies(comparison, 1000)
    assert list(kept) == ["off", "same"]
    comparison.torch.tensors["off"].add_(5)
    assert float(kept["off"][0].max()) == 0.0
