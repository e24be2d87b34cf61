"""The lines of a script's optimizer, schedule and gradients, and what scripts draw by Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workbench.verify.forms import verify_training

ORIGINAL = """
import random
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.norm, self.last = nn.Linear(3, 6), nn.LayerNorm(6), nn.Linear(6, 1)

    def forward(self, x):
        scale = 0.5 if random.random() < 0.5 else 2.0
        h = self.norm(torch.tanh(self.first(x))) * scale
        return self.last(h), h

def target(h):
    return h.detach().amax(1, keepdim=True)

def epoch(net, optimizer, number):
    for step in range(3):
        x = torch.linspace(-1, 1, 15).view(5, 3) + step + number
        y, h = net(x)
        optimizer.zero_grad()
        (y - target(h)).square().mean().backward()
        nn.utils.clip_grad_norm_(net.parameters(), 0.1)
        optimizer.step()

def main():
    random.seed(3)
    net = Net()
    plain = [p for p in net.parameters() if p.ndim < 2]
    decayed = [p for p in net.parameters() if p.ndim >= 2]
    groups = [{"params": decayed, "weight_decay": 0.5}, {"params": plain, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=1e-2, betas=(0.9, 0.95))
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda n: 1 / (1 + n))
    for number in range(3):
        epoch(net, optimizer, number)
        schedule.step()

main()
"""
PORT = """
import random
import paddle
from paddle import nn

class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.first, self.norm, self.last = nn.Linear(3, 6), nn.LayerNorm(6), nn.Linear(6, 1)

    def forward(self, x):
        scale = 0.5 if random.random() < 0.5 else 2.0
        h = self.norm(paddle.tanh(self.first(x))) * scale
        return self.last(h), h

def target(h):
    return h.detach().amax(1, keepdim=True)

def epoch(net, optimizer, number):
    for step in range(3):
        x = paddle.linspace(-1, 1, 15).reshape([5, 3]) + step + number
        y, h = net(x)
        optimizer.clear_grad()
        (y - target(h)).square().mean().backward()
        optimizer.step()

def rate(n):
    return 1 / (1 + n)

def main(beta=0.95, other=0.95):
    random.seed(3)
    net = Net()
    decayed = {p.name for p in net.parameters() if p.ndim >= 2}
    schedule = paddle.optimizer.lr.LambdaDecay(1e-2, rate)
    optimizer = paddle.optimizer.AdamW(
        schedule,
        beta2=beta,
        parameters=net.parameters(),
        weight_decay=0.5,
        apply_decay_param_fun=lambda name: name in decayed,
        grad_clip=nn.ClipGradByGlobalNorm(0.1),
    )
    for number in range(3):
        epoch(net, optimizer, number)
        schedule.step()

main()
"""
# The wrong words of a port, and words of the cause, which is reported at that very line.
BUGS = {
    "norms are decayed": ("name in decayed", "True", "weight_decay is 0.5 in the port and 0.0"),
    "clipped one by one": ("ClipGradByGlobalNorm", "ClipGradByNorm", "both sides clip"),
    "warmed up otherwise": ("return 1 / (1 + n)", "return 1 / (2 + n)", "the learning rate is"),
    "a default": ("beta=0.95, other", "beta=0.9, other", "betas is (0.9, 0.9)"),
    "not detached": (
        "return h.detach().amax",
        "return h.amax",
        "a gradient reaches this operation",
    ),
}


def _held(folder: Path, port: str) -> list[tuple[int, str]]:
    found = verify_training(folder, ORIGINAL, port, 9)
    assert found.certified is (port == PORT), found.checks
    return [(int(where.port.rpartition(":")[2]), where.cause) for where in found.places]


def _line(words: str) -> int:
    return PORT[: PORT.index(words)].count("\n") + 1


def test_scripts_that_draw_by_python_draw_the_same(tmp_path: Path) -> None:
    assert _held(tmp_path, PORT) == []


@pytest.mark.parametrize("bug", BUGS)
def test_the_line_of_a_setting(bug: str, tmp_path: Path) -> None:
    right, wrong, words = BUGS[bug]
    line, cause = _held(tmp_path, PORT.replace(right, wrong))[0]
    assert words in cause
    assert abs(line - _line(right)) <= 1


def test_a_schedule_that_never_steps_is_reported_in_the_loop_that_lacks_it(tmp_path: Path) -> None:
    line, cause = _held(tmp_path, PORT.replace("        schedule.step()\n", ""))[0]
    assert "has stepped 0 times" in cause
    assert line == _line("epoch(net, optimizer, number)\n        schedule.step()")
