"""An optimizer whose own `step` steps the schedule of its rate is not stepped twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.verify.sides.task import Asked
from workbench.verify.verification import verify_files

_LOSS = "\n\ndef loss(y, t):\n    return (y - t).square().mean()\n"
_ORIGINAL = """\
import torch
from torch import nn
net = nn.Linear(3, 2)
class Warm(torch.optim.SGD):
    def __init__(self, params, lr):
        super().__init__(params, lr=lr)
        self.schedule = torch.optim.lr_scheduler.StepLR(self, 2, 0.5)
    def step(self, closure=None):
        super().step(closure)
        self.schedule.step()
def optimizer(model):
    return Warm(model.parameters(), 0.1)
def batch():
    return torch.ones(2, 3), torch.zeros(2, 2)
"""
_PORT = """\
import paddle
from paddle import nn
net = nn.Linear(3, 2)
class Warm(paddle.optimizer.SGD):
    def __init__(self, params, lr):
        self.schedule = paddle.optimizer.lr.StepDecay(lr, {size}, 0.5)
        super().__init__(self.schedule, parameters=params)
    def step(self):
        super().step()
        self.schedule.step()
def optimizer(model):
    return Warm(model.parameters(), 0.1)
"""


@pytest.mark.parametrize("size", [2, 3])
def test_a_schedule_in_the_step_of_an_optimizer(tmp_path: Path, size: int) -> None:
    (tmp_path / "a.py").write_text(_ORIGINAL + _LOSS)
    (tmp_path / "b.py").write_text(_PORT.format(size=size) + _LOSS)
    asked = Asked(batch="batch", loss="loss", optimizer="optimizer", steps=5)
    sides = f"{tmp_path}/a.py:net", f"{tmp_path}/b.py:net"
    found = verify_files(*sides, asked, "paddle", lambda what: None)
    assert found.certified is (size == 2), found.as_dict()
