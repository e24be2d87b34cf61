"""Ports whose values are NaN, infinite or truth values on one side are reported, not raised."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workbench.verify.forms import check_of
from workbench.verify.result import Verification
from workbench.verify.sides.task import Asked
from workbench.verify.verification import verify_files

_ORIGINAL = """\
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)
    def forward(self, x):
        y = self.fc(x)
        return {}
"""
_PORT = """\
import paddle
from paddle import nn
class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)
    def forward(self, x):
        y = self.fc(x)
        return {}
"""


def _verify(folder: Path, original: str, port: str) -> Verification:
    (folder / "original.py").write_text(_ORIGINAL.format(original))
    (folder / "port.py").write_text(_PORT.format(port))
    sides = f"{folder}/original.py:Net", f"{folder}/port.py:Net"
    return verify_files(*sides, Asked(inputs=("5x4",)), "paddle", lambda what: None)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("original", "port"),
    [
        ("y > 0", "y <= 0"),
        ("(y, y > 0.5)", "(y, y < 0.5)"),
        ("y.masked_fill(y > 0, 0.0)", "y.masked_fill(y < 0, 0.0)"),
        ("torch.where(y > 0, y, y * 0.5)", "paddle.where(y < 0, y, y * 0.5)"),
        ("y.clamp(max=2)", "y / 0.0"),
        ("y.clamp_min(1e-3).log()", "y.log()"),
        ("y", "y / y.astype('int64').astype('float32') * y.astype('int64').astype('float32')"),
        ("y.relu()", "y.sqrt() ** 2"),
    ],
)
def test_a_difference_is_reported_at_its_line(tmp_path: Path, original: str, port: str) -> None:
    found = _verify(tmp_path, original, port)
    assert not found.certified
    assert check_of(found, "forward in evaluation").outcome == "differs", found.as_dict()
    assert any(where.port.endswith("port.py:9") for where in found.places), found.as_dict()


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("original", "port"),
    [
        ("y > 0", "paddle.logical_not(y <= 0)"),
        ("(y, y.isnan())", "(y, y.isnan())"),
        ("y.clamp(max=0) - torch.inf", "y.clip(max=0) - float('inf')"),
        ("(y - 100).sqrt()", "(y - 100).sqrt()"),
    ],
)
def test_the_same_on_both_sides_is_certified(tmp_path: Path, original: str, port: str) -> None:
    found = _verify(tmp_path, original, port)
    assert found.certified, found.as_dict()


def test_a_cause_says_that_the_port_gives_nan(tmp_path: Path) -> None:
    found = _verify(tmp_path, "y.clamp_min(0) * 2", "(y - y) / (y - y)")
    assert "NaN in the port alone" in str(found.as_dict())
