"""Forms that models and optimizers of public packages need, run on both sides."""

from __future__ import annotations

import pytest

from tests.workbench.targets.paddle.both_sides import assert_prints_the_same
from workbench import convert
from workbench.findings import Severity

HEAD = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\ntorch.manual_seed(0)\n"
PROGRAMS = {
    "matches of labels": (
        "def matches(a, b):\n    m = (a.unsqueeze(1) == b.unsqueeze(0)).byte()\n"
        "    m.fill_diagonal_(0)\n    return m\n"
        "print(matches(torch.tensor([1, 2, 1]), torch.tensor([1, 2, 1])).tolist())\n"
    ),
    "places of matches": (
        "def pairs(a):\n    m = (a.unsqueeze(1) == a.unsqueeze(0)).byte()\n    return found(m)\n"
        "def found(m):\n    i, j = torch.where(m)\n    return i.tolist(), j.tolist()\n"
        "print(pairs(torch.tensor([1, 2, 1])))\n"
    ),
    "the type of another tensor": (
        "def added(x, y):\n    return x + y.type(x.type())\n"
        "print(added(torch.ones(2), torch.tensor([1, 2])).tolist())\n"
    ),
    "a diagonal of short integers": (
        "m = torch.ones(3, 3, dtype=torch.int16)\nm.fill_diagonal_(5)\nprint(m.tolist())\n"
    ),
    "a shift by what is padded and cut": (
        "def shift(t, amount):\n    return F.pad(t, (0, 0, amount, -amount), value=0.)\n"
        "print(shift(torch.arange(6.).view(1, 3, 2), 1).tolist())\n"
    ),
    "a number added to weights": (
        "def decay(p, group):\n    weight_decay = group['weight_decay']\n"
        "    p.data.add_(weight_decay, alpha=-group['lr'])\n"
        "p = nn.Parameter(torch.ones(3))\ndecay(p, {'weight_decay': 0.5, 'lr': 0.1})\n"
        "print(p.tolist())\n"
    ),
    "a tensor added after its factor": (
        "def average(exp_avg, grad, beta1):\n    exp_avg.mul_(beta1).add_(1 - beta1, grad)\n"
        "    return exp_avg\nprint(average(torch.ones(2), torch.tensor([3., 4.]), 0.9).tolist())\n"
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_prints_what_it_prints_in_torch(name: str) -> None:
    assert_prints_the_same(HEAD + PROGRAMS[name])


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("F.pad(x, (*before, 0, n))", "by a negative size"),
        ("x.gather(1, y)", "boolean tensors"),
        ("torch.einsum('i,j->ij', x, y)", "einsum of integers"),
        ("torch.where(x)", "uint8"),
        (
            "rows = torch.where(x == 0)[0]; ones = torch.ones(3); ones[rows] = 0",
            "empty index tensor",
        ),
        ("self.weight.copy_(self.draw(x))", "another shape"),
    ],
)
def test_a_value_that_raises_is_reported(line: str, words: str) -> None:
    source = (
        f"{HEAD}class Net(nn.Module):\n    def forward(self, x, y, n, before):\n        {line}\n"
    )
    found = [one for one in convert(source).findings if words in one.message]
    assert [one.severity for one in found] == [Severity.INFORMATION]


def test_weights_that_a_list_of_parameters_keeps_have_torchs_layout() -> None:
    assert_prints_the_same(
        f"{HEAD}class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        blocks = [nn.Linear(3, 5), nn.Linear(5, 2)]\n"
        "        self.all = nn.ParameterList([p for b in blocks for p in b.parameters()])\n"
        "print([list(one.shape) for one in Net().state_dict().values()])\n"
    )


def test_a_linear_whose_weights_may_be_fetched_draws_as_torchs_does() -> None:
    source = (
        f"{HEAD}class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.fc = nn.Linear(2000, 10)\n\n"
        "def build(pretrained=False):\n    net = Net()\n    if pretrained:\n"
        "        net.load_state_dict(torch.utils.model_zoo.load_url('net.pth'))\n    return net\n"
    )
    space: dict[str, object] = {}
    code = convert(source).code.partition("def build")[0]
    exec(code + "widest = float(Net().fc.weight.abs().max())\n", space)
    assert space["widest"] == pytest.approx(2000**-0.5, rel=0.01)
