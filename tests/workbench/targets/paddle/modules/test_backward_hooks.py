"""Backward hooks that are registered for a while, and removed."""

from __future__ import annotations

import pytest

from tests.workbench.targets.paddle.both_sides import assert_prints_the_same

PROGRAM = """
import torch
from torch import nn

net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
with torch.no_grad():
    for p in net.parameters():
        p.fill_(0.5)
seen = []

def hook(module, grad_input, grad_output):
    seen.append(grad_output[0].tolist())

def pre(module, grad_output):
    seen.append("pre")

def run():
    net(torch.ones(1, 2, requires_grad=True)).sum().backward()

{lines}
run()
print(seen, [len(m._forward_hooks) for m in net])
"""


@pytest.mark.parametrize(
    "lines",
    [
        "h = net[0].register_full_backward_hook(hook)\nrun()\nh.remove()",
        "a = net[0].register_full_backward_hook(hook)\n"
        "b = net[0].register_full_backward_pre_hook(pre)\nrun()\na.remove()\nrun()\nb.remove()",
        "h = net[0].register_full_backward_hook(hook)\nh.remove()\nh.remove()\n"
        "h = net[0].register_full_backward_hook(hook)\nrun()\nh.remove()",
        "with net[0].register_full_backward_hook(hook):\n    run()",
    ],
)
def test_a_module_has_no_hook_left(lines: str) -> None:
    assert_prints_the_same(PROGRAM.replace("{lines}", lines))
