"""Tensors and texts held against each other: what counts as the same, and what never does."""

from __future__ import annotations

import pytest
import torch

from workbench.compare.judging.tensors import tensor_row
from workbench.compare.judging.tolerance import Tolerance
from workbench.streams import printed_text

USUAL = Tolerance()


def test_rounding_is_measured_against_the_largest_magnitude() -> None:
    value = torch.tensor([1000.0, 0.001])
    row = tensor_row("x", value, value + torch.tensor([0.0, 0.005]), USUAL)
    assert row.same
    assert row.max_abs == pytest.approx(0.005, rel=1e-3)
    assert not tensor_row("x", value[1:], value[1:] + 0.005, USUAL).same


@pytest.mark.parametrize(
    ("ours", "theirs", "words"),
    [
        (torch.zeros(2, 3), torch.zeros(3, 2), "shape 2×3 in torch, 3×2 in the target"),
        (torch.zeros(2), torch.zeros(2, dtype=torch.float64), "dtype float32 in torch"),
        (torch.tensor([float("nan"), 1]), torch.tensor([0.0, 1]), "NaN on one side only at 1 of 2"),
        (torch.tensor([float("inf")]), torch.tensor([-float("inf")]), "opposite sign"),
        (torch.tensor([1, 2]), torch.tensor([1, 3]), "1 of 2 elements off"),
        (torch.tensor([True]), torch.tensor([False]), "1 of 1 elements off"),
    ],
)
def test_differences_are_reported(ours: torch.Tensor, theirs: torch.Tensor, words: str) -> None:
    row = tensor_row("x", ours, theirs, USUAL)
    assert row.same is False
    assert words in row.reason


def test_equal_patterns_of_nan_and_infinity_are_the_same() -> None:
    value = torch.tensor([float("nan"), float("inf"), 1.0])
    assert tensor_row("x", value, value.clone(), USUAL).same


def test_a_value_judged_only_by_the_absolute_limit_says_so() -> None:
    row = tensor_row("x", torch.tensor([1e-8, 2e-8]), torch.tensor([2e-8, 1e-8]), USUAL)
    assert row.same
    assert "absolute" in row.reason


def test_tolerance_of_the_user_replaces_the_usual() -> None:
    ours, theirs = torch.ones(3), torch.ones(3) + 1e-3
    assert not tensor_row("x", ours, theirs, USUAL).same
    assert tensor_row("x", ours, theirs, Tolerance(relative=1e-2)).same
    assert not tensor_row("x", ours, ours + 1e-6, Tolerance(relative=0.0, absolute=0.0)).same


def test_limits_grow_with_the_root_of_the_number_of_updates() -> None:
    once, often = USUAL.limit("float32"), USUAL.grown(100).limit("float32")
    assert often.relative == pytest.approx(10 * once.relative)
    assert USUAL.grown(100).limit("int64").relative == 0


def test_the_picture_of_an_error_finds_its_place() -> None:
    theirs = torch.zeros(4, 6)
    theirs[2, 5] = 1.0
    picture = tensor_row("x", torch.zeros(4, 6), theirs, USUAL).picture
    assert picture is not None
    assert picture.grid[2][5] == 1.0
    assert sum(map(sum, picture.grid)) == 1.0


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("loss 0.12345\n", "loss 0.12344\n"),
        ("tensor([1.0000, 2.0000], grad_fn=<AddBackward0>)", "tensor([1., 2.])"),
        ("torch.Size([2, 3])", "[2, 3]"),
        ("accuracy: 97.4%", "accuracy: 97.4%"),
        ("(tensor(-0.0027), 1)", "(tensor(-0.00273613), 1)"),
        ("2.13.0+cpu", "2.13.0"),
    ],
)
def test_printed_text_that_says_the_same(ours: str, theirs: str) -> None:
    assert printed_text.difference(ours, theirs) == ""


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("epoch 1", "epoch 2"),
        ("loss 0.12", "loss 0.92"),
        ("loss 0.12", "cost 0.12"),
        ("a\nb", "a"),
        ("nan", "0.5"),
        ("tensor(-0.0027)", "tensor(-0.00277613)"),
        ("0.5", "0.4567"),
    ],
)
def test_printed_text_that_does_not(ours: str, theirs: str) -> None:
    assert printed_text.difference(ours, theirs)
