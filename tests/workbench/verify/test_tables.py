"""Constant tables that a port writes in another form than its original."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.verify.sides.task import Asked
from workbench.verify.verification import verify_files

ORIGINAL = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.key, self.query = nn.Linear(8, 8), nn.Linear(8, 8)
        self.register_buffer("seen", torch.ones(5, 5).tril())

    def forward(self, x):
        scores = self.query(x) @ self.key(x).transpose(1, 2)
        return scores.masked_fill(self.seen == 0, float("-inf")).softmax(-1) @ x

example_inputs = (torch.randn(2, 5, 8),)
"""
PORT = """
import paddle
from paddle import nn

class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.k, self.q = nn.Linear(8, 8), nn.Linear(8, 8)
        future = paddle.triu(paddle.full([5, 5], float("-inf")), diagonal=1)
        self.register_buffer("future", future, persistable=False)

    def forward(self, x):
        scores = self.q(x) @ self.k(x).transpose([0, 2, 1])
        return nn.functional.softmax(scores + self.future, axis=-1) @ x
"""


@pytest.mark.parametrize("diagonal", [1, 2])
def test_a_mask_that_is_added(diagonal: int, tmp_path: Path) -> None:
    original, port = tmp_path / "masked_torch.py", tmp_path / "masked_port.py"
    original.write_text(ORIGINAL)
    port.write_text(PORT.replace("diagonal=1", f"diagonal={diagonal}"))
    found = verify_files(f"{original}:Net", f"{port}:Net", Asked(), "paddle", lambda _: None)
    assert found.certified is (diagonal == 1), found.as_dict()["checks"]
