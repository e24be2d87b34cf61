"""Tensors made of lists that hold tensors, whose dtype Paddle takes from NumPy."""

from __future__ import annotations

import pytest

import workbench
from tests.workbench.targets.paddle.both_sides import TARGET, assert_prints_the_same

_HEAD = "import torch\nx = torch.arange(3.).float()\ni = torch.arange(3)\n"


@pytest.mark.parametrize(
    "listed",
    [
        "[x.sum(), 0.5]",
        "[2, x.max()]",
        "[i.sum(), 2.5]",
        "[x.sum(), i.sum()]",
        "[x.double().sum(), 1]",
        "[i.sum().int(), 2]",
        "[[x.sum(), 1], [True, x.max()]]",
        "(x.sum(), x.max())",
    ],
)
def test_their_dtype_is_the_one_of_torch(listed: str) -> None:
    text = f"{_HEAD}y = torch.tensor({listed})\nprint(str(y.dtype)[-5:], y.sum().item())\n"
    assert "torch_" not in assert_prints_the_same(text)


def test_a_given_dtype_and_tensors_of_one_dtype_stay() -> None:
    text = f"{_HEAD}y = torch.tensor([x.sum(), 1], dtype=torch.float64), torch.tensor([x[0], x[1]])"
    code = workbench.convert(text, target=TARGET).code
    assert "paddle.tensor([x.sum(), 1], dtype=paddle.float64), paddle.tensor([x[0], x[1]])" in code


@pytest.mark.parametrize(
    "made",
    [
        "torch.zeros(2, device='cpu:0')",
        "torch.tensor([1.0], device='cpu:0')",
        "x.new_zeros(2, device='cpu:0')",
        "torch.eye(2, device='cpu:0')",
        "torch.zeros_like(x, device='cpu:0')",
    ],
)
def test_the_number_of_a_cpu_is_left_out(made: str) -> None:
    assert_prints_the_same(f"{_HEAD}y = {made}\nprint(y.sum().item())\n")
