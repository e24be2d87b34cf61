"""Scripts with a teacher, gradients clipped by hand, validation, and RMSprop's own form."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workbench.verify.forms import verify_training

ORIGINAL = """
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

class Net(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.first, self.drop, self.last = nn.Linear(5, size), nn.Dropout(0.2), nn.Linear(size, 3)

    def forward(self, x):
        return self.last(self.drop(torch.tanh(self.first(x))))

def batches():
    rng = np.random.default_rng(0)
    return rng.normal(size=(6, 8, 5)).astype("float32"), rng.integers(0, 3, (6, 8))

def distilled(given, taught):
    return F.kl_div(F.log_softmax(given, 1), F.softmax(taught, 1), reduction="batchmean")

def train(student, teacher, target, optimizer, xs, ys):
    for x, y in zip(xs, ys):
        x, y = torch.as_tensor(x), torch.as_tensor(y)
        student.train()
        with torch.no_grad():
            taught = teacher(x)
            wanted = target(x).argmax(1)
        given = student(x)
        loss = distilled(given, taught) + F.cross_entropy(given, y) + F.cross_entropy(given, wanted)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(student.parameters(), 0.1)
        optimizer.step()
        target.load_state_dict(student.state_dict())
        validate(student, x)

def validate(student, x):
    student.eval()
    with torch.no_grad():
        return student(x).mean().item()

def main():
    teacher, student, target = Net(7), Net(4), Net(4)
    teacher.eval()
    target.load_state_dict(student.state_dict())
    target.eval()
    optimizer = torch.optim.RMSprop(student.parameters(), lr=0.01, eps=1e-8)
    train(student, teacher, target, optimizer, *batches())

main()
"""
PORT = """
import numpy as np
import paddle
from paddle import nn
from paddle.nn import functional as F

class Net(nn.Layer):
    def __init__(self, size):
        super().__init__()
        self.first, self.drop, self.last = nn.Linear(5, size), nn.Dropout(0.2), nn.Linear(size, 3)

    def forward(self, x):
        return self.last(self.drop(paddle.tanh(self.first(x))))

def batches():
    rng = np.random.default_rng(0)
    return rng.normal(size=(6, 8, 5)).astype("float32"), rng.integers(0, 3, (6, 8))

def distilled(given, taught):
    return F.kl_div(F.log_softmax(given, 1), F.softmax(taught, 1), reduction="batchmean")

def train(student, teacher, target, optimizer, xs, ys):
    for x, y in zip(xs, ys):
        x, y = paddle.to_tensor(x), paddle.to_tensor(y)
        student.train()
        with paddle.no_grad():
            taught = teacher(x)
            wanted = target(x).argmax(1)
        given = student(x)
        hard = F.cross_entropy(given, y) + F.cross_entropy(given, wanted)
        loss = distilled(given, taught) + hard
        optimizer.clear_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(student.parameters(), 0.1)
        optimizer.step()
        target.set_state_dict(student.state_dict())
        validate(student, x)

def validate(student, x):
    student.eval()
    with paddle.no_grad():
        return student(x).mean().item()

def main():
    teacher, student, target = Net(7), Net(4), Net(4)
    teacher.eval()
    target.set_state_dict(student.state_dict())
    target.eval()
    optimizer = paddle.optimizer.RMSProp(0.01, rho=0.99, epsilon=1e-16,
                                         parameters=student.parameters())
    train(student, teacher, target, optimizer, *batches())

main()
"""
# The wrong words of a port, the words at whose line it is reported, and those of the cause.
BUGS = {
    "clipped by value": (
        "clip_grad_norm_(",
        "clip_grad_value_(",
        "clip_grad",
        "gradients are chan",
    ),
    "trained once": (
        "        student.train()\n        with",
        "        with",
        "taught = teacher(x)",
        "in evaluation mode, the original's in training",
    ),
    "teacher drops out": ("    teacher.eval()\n", "", "teacher, student", "in training mode"),
    "another's answer": ("target(x).argmax", "teacher(x).argmax", "wanted =", "another model"),
    "mean of all": ('"batchmean"', '"mean"', "F.kl_div", ""),
    "half": (
        "distilled(given, taught) + hard",
        "distilled(given, taught) + hard / 2",
        "loss =",
        "",
    ),
}


def _held(folder: Path, port: str) -> list[tuple[int, str]]:
    found = verify_training(folder, ORIGINAL, port, 6)
    assert found.certified is (port == PORT), found.checks
    return [(int(p.port.rpartition(":")[2]), f"{p.cause} {p.what}") for p in found.places]


def test_a_right_port_agrees(tmp_path: Path) -> None:
    assert _held(tmp_path, PORT) == []


@pytest.mark.one_in(3)
@pytest.mark.parametrize("bug", BUGS)
def test_a_bug_is_reported_at_its_line(bug: str, tmp_path: Path) -> None:
    right, wrong, at, words = BUGS[bug]
    assert PORT.count(right) == 1
    port = PORT.replace(right, wrong)
    places = _held(tmp_path, port)
    line, where = places[0]
    assert abs(line - (port[: port.index(at)].count("\n") + 1)) <= 2, places
    assert words in where
