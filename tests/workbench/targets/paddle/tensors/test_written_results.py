"""Writes into results that Paddle's gradients need: a copy is written to, or it is reported."""

from __future__ import annotations

import pytest

import workbench
from tests.workbench.targets.paddle.both_sides import assert_prints_the_same, converted

HEAD = """
import torch
import torch.nn as nn
import torch.nn.functional as F
x = torch.linspace(0.1, 0.9, 12).view(3, 4).requires_grad_()
w = torch.linspace(0.9, 0.3, 12).view(3, 4).requires_grad_()
def above(t):
    return t.detach() > 0.6
"""
TAIL = (
    "\n((y * y).sum() + w.sum()).backward()\nprint(y.tolist(), x.grad.tolist(), w.grad.tolist())\n"
)


@pytest.mark.parametrize("made", ["x / w", "F.normalize(x, dim=1)", "F.silu(x)[:2]", "w.div(x)"])
@pytest.mark.parametrize(
    "write",
    [
        "y[y > 0.6] = -1.0",
        "mask = y.sum(0) > 1\ny[:, mask] = 0.0",
        "y[0, 1:w.size(0)] = 0.5",
        "y[1] *= 2  # twice",
        "if w is not None: y[above(y)] = -1.0",
        "y.masked_fill_(y > 0.6, -1.0)",
    ],
)
def test_a_copy_is_written_to(made: str, write: str) -> None:
    assert_prints_the_same(f"{HEAD}y = {made}\n{write}{TAIL}")


@pytest.mark.parametrize(
    "chain",
    [
        "(x / w).masked_fill_(x > 0.5, -1.0)",
        "F.silu(x).clamp_(max=0.5)",
        "x.div(w)[:2].add_(w[:2])",
        "F.elu(x).sqrt_()",
        "(x / w).mul_(2).add_(w)",
    ],
)
def test_a_chained_change_changes_a_copy(chain: str) -> None:
    assert_prints_the_same(f"{HEAD}y = {chain}{TAIL}")


def test_a_masked_fill_of_a_quotient_is_not_in_place() -> None:
    code = converted(f"{HEAD}y = (x / w).masked_fill_(x > 0.5, -1.0)\n")
    assert "y = (x / w).masked_fill(x > 0.5, -1.0)" in code


@pytest.mark.parametrize(
    "program",
    [
        "y = x / w\ny[0].copy_(w[0])",
        "y = x / w\ny[:, 0].zero_()",
        "def norm(a, b):\n    return a / b\ny = norm(x, w)\ny.clamp_(max=0.5)",
        "def fill(t: torch.Tensor):\n    t[0].zero_()\n    return t\ny = fill(x / w)",
        "def fill(t, v):\n    t[:, 0] = v\n    return t\ny = fill(x / w, 1.0)",
        "def norm(a, b):\n    return a / b\ny = norm(x, w)\ny[0] = 0.0",
        "y = x / w\nfor i in range(2):\n    y[i] = y[i] * 2",
        "kept = {'a': x / w}\nkept['a'][0] = 1.0\ny = kept['a']",
        "act = nn.ELU()\ny = act(x)\ny[0] = 0.0",
        "y = nn.GroupNorm(2, 4)(x)\ny[0] = 0.0",
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.act = nn.SiLU()\n    def forward(self, t):\n        t = self.act(t)\n"
        "        t[:, 0] = 0.0\n        return t\ny = Net()(x)",
        "for t in [x * w, 1 / x]:\n    t[1] = 0\ny = t",
    ],
)
def test_a_write_that_may_raise_is_reported(program: str) -> None:
    found = workbench.convert(f"{HEAD}{program}{TAIL}").findings
    assert any("a backward pass raises an error in Paddle" in one.message for one in found)


@pytest.mark.parametrize(
    "program",
    [
        "y = x * w\ny[0] = 1.0",
        "y = x / 3\ny[0] = 1.0",
        "y = torch.zeros(3, 4)\ny[y > 0.6] = 1.0\ny = y + x",
        "y = (x / w).clone()\ny[0] = 1.0",
        "act = nn.Tanh()\ny = act(x).clone()\ny[0] = 1.0",
    ],
)
def test_other_writes_stay(program: str) -> None:
    code = assert_prints_the_same(f"{HEAD}{program}{TAIL}")
    assert "y = y.clone()" not in code
    found = workbench.convert(f"{HEAD}{program}\n").findings
    assert not any("a backward pass raises an error in Paddle" in one.message for one in found)
