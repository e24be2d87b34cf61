"""Layers under the name of a method of Paddle's layers are reported at their line."""

from __future__ import annotations

import pytest

import workbench

CLASS = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, layer):
        super().__init__()
        {line}
"""


def _reported(line: str) -> list[str]:
    found = workbench.check(CLASS.format(line=line))
    return [one.message for one in found if "is a method of Paddle's modules" in one.message]


@pytest.mark.parametrize(
    "line",
    [
        "self._transform = nn.Softplus()",
        "self.sublayers = nn.ModuleList([layer])",
        "self.backward = self.gru = nn.GRU(2, 2)",
        "self.full = nn.Parameter(torch.ones(2))",
        "self.astype = layer",
    ],
)
def test_a_hidden_layer_is_reported(line: str) -> None:
    [message] = _reported(line)
    assert "give it another name" in message


@pytest.mark.parametrize(
    "line", ["self.full_name = 'net'", "self.full = []", "other.sublayers = layer", "self.gru = 3"]
)
def test_other_members_are_not_reported(line: str) -> None:
    assert _reported(line) == []
