"""A model that one script detaches, and the other calls without gradients."""

from __future__ import annotations

from pathlib import Path

from workbench.verify.scripts.verification import verify_scripts
from workbench.verify.sides.task import Asked

ORIGINAL = """
import torch
from torch import nn

maker = nn.Sequential(nn.Linear(3, 6), nn.BatchNorm1d(6), nn.Linear(6, 4))
judge = nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 1))
opt_maker = torch.optim.SGD(maker.parameters(), lr=0.1)
opt_judge = torch.optim.SGD(judge.parameters(), lr=0.1)
for step in range(3):
    made = maker(torch.linspace(-1, 1, 15).view(5, 3) + step).detach()
    opt_judge.zero_grad()
    judge(made).square().mean().backward()
    opt_judge.step()
    opt_maker.zero_grad()
    judge(maker(torch.linspace(-2, 1, 15).view(5, 3))).mean().backward()
    opt_maker.step()
"""
PORT = """
import paddle
from paddle import nn

maker = nn.Sequential(nn.Linear(3, 6), nn.BatchNorm1D(6), nn.Linear(6, 4))
judge = nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 1))
opt_maker = paddle.optimizer.SGD(0.1, parameters=maker.parameters())
opt_judge = paddle.optimizer.SGD(0.1, parameters=judge.parameters())
for step in range(3):
    with paddle.no_grad():
        made = maker(paddle.linspace(-1, 1, 15).reshape([5, 3]) + step)
    loss = judge(made).square().mean()
    opt_judge.clear_grad()
    loss.backward()
    opt_judge.step()
    loss = judge(maker(paddle.linspace(-2, 1, 15).reshape([5, 3]))).mean()
    opt_maker.clear_grad()
    loss.backward()
    opt_maker.step()
"""


def test_a_call_without_gradients_is_one_that_is_detached(tmp_path: Path) -> None:
    files = tmp_path / "train.py", tmp_path / "port.py"
    for file, source in zip(files, (ORIGINAL, PORT), strict=True):
        file.write_text(source)
    found = verify_scripts(*files, Asked(steps=6), "paddle", lambda what: None)
    assert found.certified, found.as_dict()
