"""Layers that are called with tensors of whole numbers, which Paddle's do not accept."""

from __future__ import annotations

import pytest

import workbench

HEAD = "import torch\nfrom torch import nn\n"


def lines_reported(code: str) -> list[int]:
    """Return the lines at which a layer is reported to raise an error for whole numbers."""
    findings = workbench.convert(HEAD + code).findings
    return [one.range.start.line - 1 for one in findings if "for whole numbers" in one.message]


@pytest.mark.parametrize(
    "code",
    [
        "x = torch.arange(16).reshape(1, 1, 4, 4)\ny = nn.MaxPool2d(2)(x)\n",
        "act = nn.ReLU6()\ny = act(torch.tensor([1, 7]))\n",
        "act = nn.Hardtanh(-1, 2)\ny = act(input=torch.arange(3))\n",
        "x = torch.arange(3)\ny = nn.ReLU()(x > 1)\n",
        "x = torch.randint(0, 9, (4,))\ny = nn.Dropout(0.1)(x)\n",
    ],
)
def test_whole_numbers_are_reported_at_the_call(code: str) -> None:
    assert lines_reported(code) == [2]


@pytest.mark.parametrize(
    "code",
    [
        "act = nn.ReLU6()\ny = act(torch.rand(3))\n",
        "x = torch.arange(3).float()\ny = nn.Hardtanh()(x)\n",
        "def f(x):\n    return nn.ReLU()(x)\n",
        "x = torch.arange(4)\ny = nn.Flatten(0)(x)\n",
    ],
)
def test_other_calls_are_not(code: str) -> None:
    assert lines_reported(code) == []
