"""Comparisons of tensors whose dtype the text does not show, in programs with complex numbers."""

from __future__ import annotations

import pytest

import workbench
from tests.workbench.targets.paddle.both_sides import TARGET, assert_prints_the_same

PROGRAM = """
import torch

def scan(a, b):
    return a * b

class Filter:
    def __init__(self, values):
        self.values = values

x = {x}
f = Filter(x)
print({compared})
"""


@pytest.mark.parametrize(
    "x", ["torch.polar(torch.ones(3), torch.arange(3.0))", "torch.fft.rfft(torch.arange(5.0))"]
)
@pytest.mark.parametrize(
    "compared",
    [
        "torch.allclose(scan(f.values, 2), f.values + f.values)",
        "torch.isclose(scan(f.values, 2), f.values).tolist()",
        "torch.equal(f.values, scan(f.values, 1)), torch.equal(f.values, scan(f.values, 2))",
    ],
)
def test_values_of_unknown_dtype_may_be_complex(x: str, compared: str) -> None:
    assert_prints_the_same(PROGRAM.format(x=x, compared=compared))


def test_a_program_without_complex_numbers_is_written_plainly() -> None:
    text = "import torch\n\ndef check(a, b):\n    return torch.allclose(a, b)\n"
    assert "paddle.allclose(a, b)" in workbench.convert(text, target=TARGET).code


def test_values_that_are_known_to_be_real_are_compared_plainly() -> None:
    text = "import torch\nx = torch.fft.rfft(torch.ones(4)).abs()\ny = torch.allclose(x, x)\n"
    assert "paddle.allclose(x, x).item()" in workbench.convert(text, target=TARGET).code
