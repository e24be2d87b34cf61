"""Gradients that a program refers to after an optimizer has cleared them."""

from __future__ import annotations

import pytest

import workbench
from tests.workbench.targets.paddle.both_sides import assert_prints_the_same

HEAD = """\
import torch
from torch import nn


class Signs(torch.optim.Optimizer):
    def __init__(self, params, lr):
        super().__init__(params, dict(lr=lr))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    p.add_(p.grad.sign(), alpha=-group["lr"])


net = nn.Linear(2, 1)
nn.init.ones_(net.weight)
nn.init.zeros_(net.bias)
x = torch.ones(1, 2)


def clear(one):
    one.zero_grad()


"""
OPTIMIZERS = [
    "torch.optim.SGD(net.parameters(), lr=0.1)",
    "torch.optim.Adam([{'params': [net.weight]}, {'params': [net.bias], 'weight_decay': 0.1}])",
    "torch.optim.RMSprop(net.parameters())",
    "Signs(net.parameters(), 0.1)",
]


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize(
    "lines",
    [
        "(net(x) * 2).sum().backward()\ng = net.weight.grad\nopt.step()\nopt.zero_grad()\n"
        "print(g.tolist(), net.weight.grad is None)\n(net(x) * 3).sum().backward()\n"
        "print(g.tolist(), net.weight.grad.tolist())",
        "(net(x) * 2).sum().backward()\nheld = [p.grad for p in net.parameters()]\nclear(opt)\n"
        "print([one.tolist() for one in held])",
        "(net(x) * 2).sum().backward()\ng = net.weight.grad\nopt.zero_grad(set_to_none=False)\n"
        "print(g.tolist(), net.weight.grad.tolist())",
    ],
)
def test_a_gradient_keeps_its_values(optimizer: str, lines: str) -> None:
    head = (
        HEAD if optimizer.startswith("Signs") else HEAD.replace("torch.optim.Optimizer", "object")
    )
    code = f"{head}opt = {optimizer}\n{lines}\n"
    assert_prints_the_same(code)


def test_a_program_without_references_keeps_the_method() -> None:
    code = f"{HEAD}opt = {OPTIMIZERS[0]}\n(net(x) * 2).sum().backward()\nopt.zero_grad()\n"
    assert "\nopt.zero_grad()\n" in workbench.convert(code).code
