"""Code that works on certain dimensions of parameters, where a linear layer may be among them."""

from __future__ import annotations

import pytest

import workbench
from tests.workbench.targets.paddle.both_sides import TARGET, assert_prints_the_same

_MODEL = "import torch\nimport torch.nn as nn\nnet = nn.Sequential(nn.Linear(3, 4), nn.Tanh())\n"

OPTIMIZER = '''\
import torch


class Rows(torch.optim.Optimizer):
    """One factor for each row."""

    def __init__(self, params, lr=0.1):
        super().__init__(params, dict(lr=lr))

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                grad = p.grad
                for index, size in enumerate(grad.size()):
                    self.state[p][index] = torch.zeros(size)
                p.add_(grad, alpha=-group["lr"])
'''

WORKING = (
    "for p in net.parameters():\n    p.grad.sub_(p.grad.mean(dim=1, keepdim=True))",
    "for p in net.parameters():\n    g = p.grad\n    g = g / g.norm()\n    q = g @ g.T",
    "for p in net.parameters():\n    rows, columns = p.shape",
    "for p in net.parameters():\n    s = torch.linalg.svdvals(p.detach())",
    "for name, p in net.named_parameters():\n    p.data[0] = 0.5",
    "for p in net.parameters():\n    row = torch.zeros(p.shape[0])",
    "for p in net.parameters():\n    p.register_hook(lambda g: g - g.mean(-1, keepdim=True))",
    "def rows(g):\n    return g.sum(1)\n\nfor p in net.parameters():\n    rows(p.grad)",
    "def f(p):\n    g(p.grad)\n\ndef g(x):\n    x.t()\n\nfor p in net.parameters():\n    f(p)",
    "params = [p for p in net.parameters() if p.requires_grad]\nfor p in params:\n    p.sum(0)",
    "first = next(net.parameters())\nprint(first.grad.sum(0))",
    "named = dict(net.named_parameters())\nn = named['0.weight'].norm(dim=0)",
    "x = torch.ones(2, 3)\n"
    "grads = torch.autograd.grad(net(x).sum(), net.parameters())\n"
    "for g in grads:\n    g.sum(0)",
    "flat = torch.cat([p.detach().view(-1) for p in net.parameters()])\nprint(flat)",
    "class Own:\n"
    "    def __init__(self, params):\n        self.params = list(params.parameters())\n"
    "    def step(self):\n        for p in self.params:\n            p.data.mul_(p.sum(1, True))\n",
    "for p in net.parameters():\n    p.data.copy_(torch.triu(torch.ones(p.size())))",
    "weights = list(net.parameters())",
    "named = [(name, p) for name, p in net.named_parameters()]",
    "first, state = next(net.parameters()), net.state_dict()",
    "state = net.state_dict()",
    "flat = nn.utils.parameters_to_vector(net.parameters())",
    "def f(net):\n    average = torch.optim.swa_utils.AveragedModel(net)\n"
    "    return average.module.weight",
)
EVEN = (
    "opt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
    "plan = torch.optim.lr_scheduler.StepLR(opt, 2)\nprint(plan.get_last_lr()[0])",
    "for p in net.parameters():\n    p.data.add_(p.grad, alpha=-0.1)",
    "total = sum(p.grad.norm() ** 2 for p in net.parameters())\nprint(total)",
    "total = torch.norm(torch.stack([p.grad.norm() for p in net.parameters()]))",
    "for p in net.parameters():\n    m = torch.zeros(p.shape)\n    m.mul_(0.9).add_(p.grad)",
    "print(sum(p.numel() for p in net.parameters()))",
    "for p in net.parameters():\n    if len(p.shape) > 1:\n        p.data.mul_(0.9)",
    "shadow = {}\nfor name, p in net.named_parameters():\n    shadow[name] = p.data.clone()",
    "def rows(x):\n    return x.sum(1)\n\nrows(torch.ones(2, 3))\nn = [*net.parameters()]",
    "flat = torch.cat([p.detach().view(-1) for p in net.parameters()])\nprint(flat.norm())",
    "weights = list(net.parameters())\nopt = torch.optim.SGD(weights, lr=0.1)",
    "opt = torch.optim.SGD(net.parameters(), lr=0.1)",
    "state = net.state_dict()\ntorch.save(state, 'net.pt')",
    "norm = nn.utils.clip_grad_norm_(net.parameters(), 1.0)",
    "device = next(net.parameters()).device",
)


@pytest.mark.parametrize("code", WORKING)
def test_weights_are_laid_out_as_torchs_where_a_dimension_is_looked_at(code: str) -> None:
    assert "compat.nn.Linear" in workbench.convert(_MODEL + code, target=TARGET).code


@pytest.mark.parametrize("code", EVEN)
def test_uses_without_layout_keep_paddles_layer(code: str) -> None:
    assert "compat" not in workbench.convert(_MODEL + code, target=TARGET).code


def test_an_optimizer_that_looks_at_dimensions_gives_torchs_layout_to_layers() -> None:
    program = OPTIMIZER + "\n\nnet = torch.nn.Linear(3, 4)\nrows = Rows(net.parameters())\n"
    result = workbench.convert(program, target=TARGET)
    assert "paddle.compat.nn.Linear(3, 4)" in result.code


def test_without_the_layers_the_optimizer_says_what_it_needs() -> None:
    found = workbench.convert(OPTIMIZER, target=TARGET).findings
    [open_] = [one for one in found if one.code == "TF119"]
    assert "nn.Linear" in open_.message
    assert "transposed" in open_.message


def test_an_elementwise_optimizer_is_not_reported() -> None:
    text = OPTIMIZER.replace("enumerate(grad.size())", "enumerate(range(2))")
    found = workbench.convert(text, target=TARGET).findings
    assert not [one for one in found if one.code == "TF119"]


STEPS = """

torch.manual_seed(0)
net = torch.nn.Linear(3, 3)
with torch.no_grad():
    for p in net.parameters():
        p.fill_(0.5)
rows = Rows(net.parameters())
(net(torch.sin(torch.arange(6.)).reshape(2, 3)) ** 2).sum().backward()
rows.step()
for p in net.parameters():
    p.grad.mul_(0.5)
print(net(torch.ones(1, 3))[0, 0].item(), net.weight.grad.sum(0)[0].item())
"""


def test_steps_by_rows_and_gradients_changed_in_place_are_torchs() -> None:
    text = OPTIMIZER.replace("self.state[p][index] = torch.zeros(size)", "grad = grad.t() / size")
    code = assert_prints_the_same(text + STEPS)
    assert "p.grad.data.scale_(0.5)" in code
