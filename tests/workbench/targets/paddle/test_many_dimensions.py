"""Tensors of more dimensions than Paddle indexes or broadcasts."""

from __future__ import annotations

import pytest

import workbench

HEAD = "import torch\nx = torch.arange(256.0)\n"


def _is_reported(line: str) -> bool:
    found = workbench.convert(f"{HEAD}y = {line}\n").findings
    return any("more than six dimensions" in one.message for one in found)


@pytest.mark.parametrize(
    "line",
    [
        "x.view(2, 2, 2, 2, 2, 2, 2, 2)",
        "x.reshape([4, 2, 2, 2, 2, 2, 2])",
        "torch.zeros(1, 2, 1, 2, 1, 2, 1)",
        "torch.ones((1, 2, 1, 2, 1, 2, 1))",
    ],
)
def test_seven_dimensions_are_reported(line: str) -> None:
    assert _is_reported(line)


@pytest.mark.parametrize("line", ["x.view(2, 2, 2, 2, 2, 8)", "torch.zeros(4, 4)", "x.view(-1)"])
def test_fewer_are_not(line: str) -> None:
    assert not _is_reported(line)
