"""A model that only overflows in double precision is judged in single precision."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.verify.sides.task import Asked
from workbench.verify.verification import verify_files

# As attention with a mask of floats is written: its gradient is as large as what it is filled with.
ORIGINAL = """\
import torch
from torch import nn

example_inputs = (torch.randn(2, 5, 4), (torch.arange(5) < 3).float().repeat(2, 1))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.value = nn.Linear(4, 4)

    def forward(self, x, mask):
        hidden = (1.0 - mask[:, None, :]) * torch.finfo(x.dtype).min
        scores = x @ x.transpose(1, 2) / 2 + hidden
        return scores.softmax(-1) @ self.value(x)
"""
PORT = """\
import paddle
from paddle import nn


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.value = nn.Linear(4, 4)

    def forward(self, x, mask):
        hidden = (1.0 - mask.unsqueeze(1)) * paddle.finfo(x.dtype).min
        scores = paddle.matmul(x, x, transpose_y=True) / 2 + hidden
        return paddle.matmul(nn.functional.softmax(scores, axis=-1), self.value(x))
"""


@pytest.mark.parametrize("divisor", [2, 3])
def test_a_mask_that_overflows_in_double_precision_is_judged_in_single(
    divisor: int, tmp_path: Path
) -> None:
    original, port = tmp_path / "overflowing_torch.py", tmp_path / "overflowing_port.py"
    original.write_text(ORIGINAL)
    port.write_text(PORT.replace("/ 2", f"/ {divisor}"))
    found = verify_files(f"{original}:Net", f"{port}:Net", Asked(), report=lambda _: None)
    assert found.certified is (divisor == 2), found.as_dict()
    assert not found.precise


def test_a_mask_that_stays_finite_is_judged_in_double(tmp_path: Path) -> None:
    original, port = tmp_path / "finite_torch.py", tmp_path / "finite_port.py"
    original.write_text(ORIGINAL.replace("torch.finfo(x.dtype).min", "-1e9"))
    port.write_text(PORT.replace("paddle.finfo(x.dtype).min", "-1e9"))
    found = verify_files(f"{original}:Net", f"{port}:Net", Asked(), report=lambda _: None)
    assert found.certified, found.as_dict()
    assert found.precise
