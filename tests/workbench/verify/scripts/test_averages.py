"""An average of a model that no script calls is compared all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workbench.verify.forms import check_of
from workbench.verify.result import Verification
from workbench.verify.scripts.verification import verify_scripts
from workbench.verify.sides.task import Asked

ORIGINAL = """
import copy
import torch
from torch import nn

def main():
    net = nn.Sequential(nn.Linear(3, 6), nn.BatchNorm1d(6), nn.Linear(6, 1))
    average = copy.deepcopy(net)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for step in range(4):
        optimizer.zero_grad()
        net(torch.linspace(-1, 1, 15).view(5, 3) + step).square().mean().backward()
        optimizer.step()
        with torch.no_grad():
            for kept, new in zip(average.parameters(), net.parameters()):
                kept.mul_(0.9).add_(new, alpha=0.1)

main()
"""
PORT = """
import paddle
from paddle import nn

def build():
    return nn.Sequential(nn.Linear(3, 6), nn.BatchNorm1D(6), nn.Linear(6, 1))

class Average:
    def __init__(self, net):
        self.net = build()
        self.net.set_state_dict(net.state_dict())

    def update(self, net):
        with paddle.no_grad():
            for kept, new in zip(self.net.parameters(), net.parameters()):
                kept.set_value(0.9 * kept + 0.1 * new)

net = build()
average = Average(net)
optimizer = paddle.optimizer.SGD(0.1, parameters=net.parameters())
for step in range(4):
    loss = net(paddle.linspace(-1, 1, 15).reshape([5, 3]) + step).square().mean()
    optimizer.clear_grad()
    loss.backward()
    optimizer.step()
    average.update(net)
"""


@pytest.mark.parametrize(
    ("update", "summary"),
    [("0.9 * kept + 0.1 * new", ""), ("0.1 * kept + 0.9 * new", "never called")],
)
def test_an_average_that_is_never_called(update: str, summary: str, tmp_path: Path) -> None:
    files = tmp_path / "train.py", tmp_path / "port.py"
    files[0].write_text(ORIGINAL)
    files[1].write_text(PORT.replace("0.9 * kept + 0.1 * new", update))
    found = verify_scripts(*files, Asked(steps=4), "paddle", lambda what: None)
    check = check_of(found, "steps of both scripts")
    assert bool(check.differing) is bool(summary), check
    assert summary in check.summary
    assert "not compared" not in check.summary


@pytest.mark.parametrize("share", ["0.9", "0.8"])
def test_an_average_that_the_port_keeps_in_a_dict(share: str, tmp_path: Path) -> None:
    files = tmp_path / "train.py", tmp_path / "port.py"
    evaluated = """
        if step % 2:
            with torch.no_grad():
                average.eval()(torch.ones(2, 3))
"""
    original = ORIGINAL.replace("nn.BatchNorm1d(6)", "nn.Tanh()").replace("(4)", "(8)")
    files[0].write_text(original.replace("\nmain()", f"{evaluated}\nmain()"))
    port = PORT[: PORT.index("class Average")] + PORT[PORT.index("\nnet = build()") :]
    port = port.replace("nn.BatchNorm1D(6)", "nn.Tanh()").replace(
        "average = Average(net)",
        "kept = {name: one.detach().clone() for name, one in net.named_parameters()}\n"
        "average = build()",
    )
    update = f"""    with paddle.no_grad():
        for name, one in net.named_parameters():
            kept[name] = {share} * kept[name] + (1 - {share}) * one
    if step % 2:
        average.set_state_dict(kept)
        with paddle.no_grad():
            average.eval()
            average(paddle.ones([2, 3]))
"""
    files[1].write_text(port.replace("    average.update(net)\n", update).replace("(4)", "(8)"))
    found = verify_scripts(*files, Asked(steps=8), "paddle", lambda what: None)
    assert found.certified is (share == "0.9"), found.as_dict()


KEPT_ORIGINAL = """
import torch
from torch import nn

net = nn.Sequential(nn.Linear(3, 6), nn.ReLU(), nn.Linear(6, 1))
{made}
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(4):
    optimizer.zero_grad()
    net(torch.linspace(-1, 1, 15).view(5, 3) + step).square().mean().backward()
    optimizer.step()
    with torch.no_grad():
        {moved}
"""
KEPT_PORT = """
import paddle
from paddle import nn

net = nn.Sequential(nn.Linear(3, 6), nn.ReLU(), nn.Linear(6, 1))
{made}
optimizer = paddle.optimizer.SGD(0.1, parameters=net.parameters())
for step in range(4):
    loss = net(paddle.linspace(-1, 1, 15).reshape([5, 3]) + step).square().mean()
    optimizer.clear_grad()
    loss.backward()
    optimizer.step()
    {moved}
"""
IN_PLACE = "[kept[k].mul_(0.9).add_(v, alpha=0.1) for k, v in net.state_dict().items()]"
DICT = "kept = {k: v.clone() for k, v in net.state_dict().items()}"


@pytest.mark.parametrize(
    ("moved", "certified"),
    [
        ("kept = {k: kept[k] * 0.9 + v.detach() * 0.1 for k, v in net.state_dict().items()}", True),
        ("[kept[k].set_value(kept[k] * 0.9 + v * 0.1) for k, v in net.state_dict().items()]", True),
        (
            "kept = {k: kept[k] * 0.9 + v.detach() * 0.2 for k, v in net.state_dict().items()}",
            False,
        ),
        ("kept = {k: kept[k] * 0.9 + kept[k] * 0.1 for k in kept}", False),
        ("pass", False),
    ],
)
def test_an_average_in_a_dict_is_compared(tmp_path: Path, moved: str, certified: bool) -> None:
    found = _kept(tmp_path, (DICT, IN_PLACE), (DICT, moved))
    assert found.certified is certified, found.as_dict()
    if not certified:
        assert "weights at its start" in check_of(found, "steps of both scripts").summary


def test_an_average_in_a_list_is_named_as_not_compared(tmp_path: Path) -> None:
    made = "kept = [p.detach().clone() for p in net.parameters()]"
    moved = "[one.scale_(0.9) for one in kept]"
    found = _kept(tmp_path, (made, moved.replace("scale_", "mul_")), (made, moved))
    assert check_of(found, "copies of weights").summary.startswith(
        "kept: lists of tensors like those of a model"
    )


def _kept(folder: Path, ours: tuple[str, str], theirs: tuple[str, str]) -> Verification:
    files = folder / "train.py", folder / "port.py"
    for file, text, (made, moved) in zip(
        files, (KEPT_ORIGINAL, KEPT_PORT), (ours, theirs), strict=True
    ):
        file.write_text(text.format(made=made, moved=moved))
    return verify_scripts(*files, Asked(steps=4), "paddle", lambda what: None)
