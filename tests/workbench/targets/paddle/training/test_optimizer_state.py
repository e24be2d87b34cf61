"""States of optimizers that go into the same optimizer, and into another one."""

from __future__ import annotations

import pytest

import workbench
from tests.workbench.targets.paddle.both_sides import TARGET, assert_prints_the_same

HEAD = """
import copy
import io
import torch
import torch.nn as nn


def build():
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
    for i, p in enumerate(net.parameters()):
        nn.init.constant_(p, 0.1 + i * 0.1)
    return net, {optimizer}


def step(net, opt, k):
    loss = (net(torch.arange(6.0).view(2, 3).cos() + k) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    return round(loss.item(), 5)


net, opt = build()
print([step(net, opt, k) for k in range(3)])
"""


@pytest.mark.parametrize(
    "optimizer",
    [
        "torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)",
        "torch.optim.SGD(net.parameters(), lr=0.1)",
        "torch.optim.Adam(net.parameters(), lr=1e-2)",
        "torch.optim.AdamW([{'params': net[0].parameters(), 'weight_decay': 0.1},"
        " {'params': net[2].parameters(), 'weight_decay': 0.0}], lr=1e-2)",
        "torch.optim.Adagrad(net.parameters(), lr=1e-2)",
        "torch.optim.NAdam(net.parameters(), lr=1e-2)",
        "torch.optim.Adadelta(net.parameters())",
    ],
)
def test_a_state_is_loaded_into_another_instance(optimizer: str) -> None:
    assert_prints_the_same(
        HEAD.replace("{optimizer}", optimizer)
        + """
best, best_opt = copy.deepcopy(net.state_dict()), copy.deepcopy(opt.state_dict())
print([step(net, opt, k) for k in range(3, 5)])
net2, opt2 = build()
net2.load_state_dict(best)
opt2.load_state_dict(best_opt)
print([step(net2, opt2, k) for k in range(3, 5)])
net.load_state_dict(best)
opt.load_state_dict(best_opt)
print([step(net, opt, k) for k in range(3, 5)])
opt3 = build()[1]
opt3.load_state_dict(opt2.state_dict())
"""
    )


def test_a_state_is_loaded_into_another_optimizer_of_the_same_model() -> None:
    assert_prints_the_same(
        HEAD.replace("{optimizer}", "torch.optim.Adam(net.parameters(), lr=1e-2)")
        + """
other = torch.optim.Adam(net.parameters(), lr=1e-2)
other.load_state_dict(opt.state_dict())
print([step(net, other, k) for k in range(3, 6)])
"""
    )


def test_a_state_is_not_copied_where_it_is_loaded() -> None:
    assert_prints_the_same(
        HEAD.replace("{optimizer}", "torch.optim.Adam(net.parameters(), lr=1e-2)")
        + """
weights, state = copy.deepcopy(net.state_dict()), copy.deepcopy(opt.state_dict())
for _ in range(3):
    net.load_state_dict(weights)
    opt.load_state_dict(state)
    print([step(net, opt, k) for k in range(3)])
"""
    )


def test_a_checkpoint_in_a_buffer_is_resumed_in_another_model() -> None:
    assert_prints_the_same(
        HEAD.replace("{optimizer}", "torch.optim.Adam(net.parameters(), lr=1e-2)")
        + """
file = io.BytesIO()
torch.save({"model": net.state_dict(), "opt": opt.state_dict(), "epoch": 3}, file)
file.seek(0)
saved = torch.load(file)
net2, opt2 = build()
net2.load_state_dict(saved["model"])
opt2.load_state_dict(saved["opt"])
print(saved["epoch"], [step(net2, opt2, k) for k in range(3, 6)])
"""
    )


def test_frozen_layers_have_no_state() -> None:
    assert_prints_the_same(
        HEAD.replace("{optimizer}", "torch.optim.Adam(net.parameters(), lr=1e-2)")
        + """
net2, opt2 = build()
for p in net2[0].parameters():
    p.requires_grad = False
step(net2, opt2, 0)
net3, opt3 = build()
for p in net3[0].parameters():
    p.requires_grad = False
net3.load_state_dict(net2.state_dict())
opt3.load_state_dict(opt2.state_dict())
print([step(net3, opt3, k) for k in range(3)])
"""
    )


def test_a_state_that_is_only_saved_is_paddles_own() -> None:
    text = "import torch\nw = torch.ones(2, requires_grad=True)\no = torch.optim.Adam([w])\n"
    code = workbench.convert(f"{text}torch.save(o.state_dict(), 'o.pt')\n", target=TARGET).code
    assert "paddle.save(o.state_dict(), 'o.pt')" in code


@pytest.mark.parametrize(
    ("options", "reported"), [("", False), (", strict=True", False), (", strict=False", True)]
)
def test_a_lenient_load_reports_what_happens_to_other_shapes(options: str, reported: bool) -> None:
    load = f"net.load_state_dict(torch.load('x'){options})"
    code = f"import torch\nnet = torch.nn.Linear(3, 2)\n{load}\n"
    messages = [finding.message for finding in workbench.convert(code).findings]
    assert any("leaves it out with a warning" in message for message in messages) == reported
