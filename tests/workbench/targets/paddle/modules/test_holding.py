"""Lists of parameters and of layers, by places of every kind."""

from __future__ import annotations

import pytest

import workbench
from tests.workbench.targets.paddle.both_sides import assert_prints_the_same

NORM = "nn.BatchNorm2d(2)"
BANK = """
import torch
import torch.nn as nn


class Bank(nn.Module):
    def __init__(self, depth=4):
        super().__init__()
        made = [nn.Parameter(torch.tensor([float(i)])) for i in range(depth)]
        self.scales = nn.ParameterList(made)
        self.more = nn.ParameterList()
        for i in range(depth):
            self.more.append(nn.Parameter(torch.full((2, 2), 0.5 + i)))
        self.layers = nn.ModuleList(nn.Linear(2, 2) for _ in range(depth))
        for layer in self.layers:
            nn.init.constant_(layer.weight, 0.1)
            nn.init.zeros_(layer.bias)

    def forward(self, x):
        {line}
        return x


bank = Bank()
y = bank(torch.ones(1, 2))
y.sum().backward()
print(y.tolist(), [p.grad is not None for p in bank.parameters()])
"""


@pytest.mark.parametrize(
    "line",
    [
        "x = x * self.scales[-1] + self.more[-1].sum()",
        "x = x + sum(self.scales[1:]) * sum(p.sum() for p in self.more[:-1])",
        "x = x @ self.more[len(self.more) - 1] + self.scales[-len(self.scales)]",
        "for i in range(1, 4): x = x * self.scales[i] + self.scales[i - 1] * self.more[-i].sum()",
        "for s in reversed(self.scales): x = x * (s + 1)",
        "for s, w in zip(self.scales[::2], self.more): x = x @ w + s",
        "x = x * self.scales[0] + len(self.scales[1:3]) + self.scales[int(1.5)]",
        "for layer in self.layers[1:]: x = layer(x)",
        "x = self.layers[-1](x) + self.layers[:-1][0](x)",
        "for layer in reversed(self.layers[::2]): x = layer(x)",
        "self.more[0] = nn.Parameter(torch.ones(3, 3)); x = x.sum() * self.more[0]",
        "self.scales += [nn.Parameter(torch.ones(1))]; x = x * self.scales[4] * self.scales[-1]",
        "x = x + len(self.layers[1:] + self.layers[:1]) * self.scales[1]",
    ],
)
def test_a_place_is_counted_from_either_end(line: str) -> None:
    assert_prints_the_same(BANK.replace("{line}", line))


BUFFERED = """
import torch
import torch.nn as nn


class Own(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mask", None)
        self.register_buffer({mean})

    def build(self):
        self.mask = torch.ones(2) * 2


model = Own()
model.mean = torch.full((2,), 9.0)
model.build()
try:
    model.mean = {other}
except TypeError:
    print("a buffer takes tensors")
print({{name: value.tolist() for name, value in model.state_dict().items()}})
"""


@pytest.mark.parametrize(
    ("mean", "other"),
    [('"mean", torch.zeros(2)', '"text"'), ('name="mean", tensor=torch.zeros(2)', "0.5")],
)
def test_values_assigned_to_a_buffer_are_in_the_state(mean: str, other: str) -> None:
    assert_prints_the_same(BUFFERED.format(mean=mean, other=other))


@pytest.mark.parametrize(
    "line",
    [
        "print({k: v.item() for k, v in net.scales.items()})",
        "print([v.item() for v in net.scales.values()], list(net.scales.keys()))",
        "print(net.scales.get('a').item(), net.scales.get('none'))",
        "scales = net.scales\nfor name, v in scales.items():\n    print(name, v.item())",
        "print(net.scales.pop('a').item(), len(net.scales))",
        "print('a' in net.scales, list(net.scales), net.scales['b'].item())",
    ],
)
def test_a_table_of_parameters_is_read_as_a_dict(line: str) -> None:
    assert_prints_the_same(
        "import torch\nfrom torch import nn\nclass Net(nn.Module):\n"
        "    def __init__(self):\n        super().__init__()\n        self.scales = "
        "nn.ParameterDict({k: nn.Parameter(torch.ones(())) for k in ('a', 'b')})\n"
        f"net = Net()\n{line}\n"
    )


@pytest.mark.parametrize(
    ("line", "reported"),
    [
        ("print(len(net.state_dict()))", True),
        ("print(sorted(net.state_dict().keys()))", True),
        ("names = [k for k in net.state_dict()]", True),
        ("torch.save(net.state_dict(), 'net.pt')", False),
        ("best = {k: v.clone() for k, v in net.state_dict().items()}", False),
        ("print(len(net.state_dict()), net[1].running_mean)", False),  # torch's own names
    ],
)
def test_names_of_the_state_of_a_batch_norm(line: str, reported: bool) -> None:
    text = f"import torch\nfrom torch import nn\nnet = nn.Sequential(nn.Conv2d(1, 2, 3), {NORM})\n"
    findings = workbench.convert(f"{text}{line}\n").findings
    assert any("`num_batches_tracked`" in one.message for one in findings) == reported


def test_an_entry_of_a_state_that_is_read_has_torchs_name() -> None:
    assert_prints_the_same(f"""\
import torch
from torch import nn
net = nn.Sequential(nn.Linear(2, 2), {NORM.replace("2d", "1d")})
snaps = [{{k: v.clone() for k, v in net.state_dict().items()}}]
print(snaps[0]["1.running_mean"].tolist(), snaps[0]["1.num_batches_tracked"].item())
""")


AVERAGE = """
import copy
import torch
from torch import nn

net = nn.Linear(2, 2)
with torch.no_grad():
    for p in net.parameters():
        p.fill_(1.5)
average = copy.deepcopy(net)
with torch.no_grad():
    for p in net.parameters():
        p.fill_(2.5)
{update}
print([v.tolist() for v in average.state_dict().values()], average.weight.tolist())
"""


@pytest.mark.parametrize(
    "update",
    [
        "for k, v in average.state_dict().items():\n    v *= 0.5\n    v += net.state_dict()[k]",
        "for k, v in average.state_dict().items():\n    v.mul_(0.5).add_(net.state_dict()[k])",
        "state = average.state_dict()\nfor k, v in state.items():\n    v *= 0.5\n",
        "def update():\n    own, other = average.state_dict(), net.state_dict()\n"
        "    for k in other:\n        own[k].mul_(0.5)\n        own[k] += other[k]\nupdate()",
        "state = copy.deepcopy(net.state_dict())\nfor k in state:\n    state[k].zero_()\n"
        "average.load_state_dict(state)",
        "state = dict(net.state_dict())\nstate['bias'] *= 2\naverage.load_state_dict(state)",
        "state = net.state_dict().copy()\nfor v in state.values():\n    v.mul_(3)",
        "state = copy.copy(net.state_dict())\nfor k, v in state.items():\n"
        "    if v.dim() == 1:\n        v.fill_(0)\naverage.load_state_dict(state)",
    ],
)
def test_values_of_a_state_change_where_gradients_are_recorded(update: str) -> None:
    assert_prints_the_same(AVERAGE.replace("{update}", update))


@pytest.mark.parametrize("line", ["v *= 0.5", "v.mul_(0.5)"])
@pytest.mark.parametrize(
    "around",
    [
        "with torch.no_grad():\n    for v in average.state_dict().values():\n        {line}",
        "@torch.no_grad()\ndef update():\n    for v in average.state_dict().values():\n"
        "        {line}\nupdate()",
    ],
)
def test_paddles_state_changes_where_no_gradients_are_recorded(around: str, line: str) -> None:
    code = assert_prints_the_same(AVERAGE.replace("{update}", around.replace("{line}", line)))
    assert "in average.state_dict().values():" in code
