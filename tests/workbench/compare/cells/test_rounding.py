"""Each result of arithmetic is perturbed by one rounding, and nothing else."""

from __future__ import annotations

import pytest
import torch

from workbench.compare.cells.rounding import rounded


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_a_result_moves_by_about_one_rounding(dtype: torch.dtype) -> None:
    x = torch.linspace(0.1, 0.9, 100, dtype=dtype)
    with rounded(0):
        y = x * 1.3
    apart = (y - x * 1.3).abs() / (x * 1.3)
    assert bool(apart.any())
    assert float(apart.max()) <= 2 * torch.finfo(dtype).eps


def test_values_that_are_chosen_or_counted_stay() -> None:
    x = torch.linspace(0.1, 0.9, 100)
    with rounded(0):
        parts = x[3:7].clone(), x.max(), torch.where(x > 0.5, x, -x), x.round().sum()
        mask = (x > 0.5).float() * 2
    assert torch.equal(parts[0], x[3:7])
    assert torch.equal(parts[1], x.max())
    assert torch.equal(parts[2], torch.where(x > 0.5, x, -x))
    assert torch.equal(parts[3], x.round().sum())
    assert torch.equal(mask, (x > 0.5).float() * 2)


def test_gradients_and_changes_in_place_are_perturbed_too() -> None:
    x = torch.linspace(0.1, 0.9, 100, requires_grad=True)
    y = torch.linspace(0.1, 0.9, 100)
    expected = torch.cos(x.detach())
    with rounded(0):
        torch.sin(x).sum().backward()
        y.mul_(0.7)
    assert x.grad is not None and not torch.equal(x.grad, expected)
    torch.testing.assert_close(x.grad, expected)
    assert not torch.equal(y, torch.linspace(0.1, 0.9, 100) * 0.7)
