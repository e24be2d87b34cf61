"""Calls of methods that tensors and the program's own classes both have."""

from __future__ import annotations

import pytest

from workbench.convert.conversion import convert

TEXT = """
from torch import nn

class Kernel(nn.Module):
    def diag(self, x):
        return self(x, x)

class Process(nn.Module):
    def __init__(self, kernel):
        super().__init__()
        self.kernel = kernel

    def forward(self, x):
        return self.kernel.diag(x) + {other}
"""


@pytest.mark.parametrize("other", ["self.kernel(x, x)", "self.kernel(x, x).sum() - x.square()"])
def test_what_is_called_is_no_tensor(other: str) -> None:
    assert "return self.kernel.diag(x) + " in convert(TEXT.format(other=other)).code


def test_what_only_has_a_method_of_that_name_may_be_a_tensor() -> None:
    text = TEXT.format(other="x.square()").replace("self(x, x)", "x")
    assert "paddle.diag(self.kernel, x)" in convert(text).code


def test_a_call_without_such_a_method_is_a_tensors() -> None:
    text = TEXT.format(other="self.kernel(x, x)").replace("def diag", "def other")
    assert "paddle.diag(self.kernel, x)" in convert(text).code
