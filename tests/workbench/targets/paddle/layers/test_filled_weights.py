"""Programs that fill the weights of a model with numbers, in the order and shapes of torch."""

from __future__ import annotations

import pytest

import workbench
from tests.workbench.targets.paddle.both_sides import assert_prints_the_same

HEAD = (
    "import numpy as np\nimport torch\nfrom torch import nn\n"
    "net = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 2))\n"
    "r = np.random.RandomState(0)\n"
)
SHOW = "print(net(torch.arange(12.).cos().view(4, 3)).sum(0).tolist())\n"
FILLS = {
    "arange": (
        "with torch.no_grad():\n    for p in net.parameters():\n"
        "        p.copy_(torch.arange(p.numel()).float().sin().view_as(p))\n"
    ),
    "data of draws": (
        "for n, p in net.named_parameters():\n"
        "    p.data = torch.from_numpy(r.randn(*p.shape).astype('float32'))\n"
    ),
    "entries of a state": (
        "sd = net.state_dict()\nfor k in sorted(sd):\n"
        "    sd[k] = torch.tensor(r.randn(*sd[k].shape), dtype=torch.float32)\n"
        "net.load_state_dict(sd)\n"
    ),
    "a function": (
        "def fill(model):\n    with torch.no_grad():\n        for p in model.parameters():\n"
        "            w = r.normal(0, 0.3, size=tuple(p.shape)).astype(np.float32)\n"
        "            p.copy_(torch.from_numpy(w))\nfill(net)\n"
    ),
    "a state of its own": (
        "def fill(model):\n    new = {}\n    for k in sorted(model.state_dict().keys()):\n"
        "        shape = tuple(model.state_dict()[k].shape)\n"
        "        new[k] = torch.from_numpy(r.randn(*shape).astype('float32'))\n"
        "    model.load_state_dict(new)\nfill(net)\n"
    ),
    "a dict of a state": (
        "net.load_state_dict({k: torch.tensor(r.rand(*v.shape)) for k, v in"
        " net.state_dict().items()})\n"
    ),
    "a slice": (
        "params = list(net.parameters())\nwith torch.no_grad():\n    for p in params:\n"
        "        p[:] = torch.linspace(-1, 1, p.numel()).reshape(p.shape)\n"
    ),
    "wider numbers": (
        "for p in net.parameters():\n"
        "    p.data.copy_(torch.from_numpy(r.randn(*p.shape)).mul(0.3))\n"
    ),
    "wider numbers of a layer": (
        "def fill(m):\n    if isinstance(m, nn.Linear):\n"
        "        m.weight.data.copy_(torch.from_numpy(r.randn(*m.weight.shape)))\n"
        "        m.bias.data.copy_(torch.as_tensor(r.randn(*m.bias.shape)))\nnet.apply(fill)\n"
    ),
    "wider numbers that are given": (
        "def fill(m, weight):\n    with torch.no_grad():\n        m.weight.copy_(weight)\n"
        "fill(net[0], torch.from_numpy(r.randn(5, 3)))\n"
        "fill(net[2], torch.from_numpy(r.randn(2, 5)))\nnn.init.zeros_(net[0].bias)\n"
        "nn.init.ones_(net[2].bias)\n"
    ),
    "entries in place": (
        "state = net.state_dict()\nfor key in sorted(state):\n"
        "    state[key].copy_(torch.from_numpy(r.normal(0, 0.3, state[key].shape)))\n"
    ),
    "entries one by one": (
        "for name, t in net.state_dict().items():\n    if name.endswith('weight'):\n"
        "        t.copy_(torch.from_numpy(r.standard_normal(tuple(t.shape)) * np.sqrt(1 / 3)))\n"
        "    else:\n        t.zero_()\n"
    ),
    "parameters of each layer": (
        "def reset(module):\n    for name, p in module.named_parameters(recurse=False):\n"
        "        if p.dim() > 1:\n            bound = 1.0 / np.sqrt(p.shape[1])\n"
        "            p.data.copy_(torch.from_numpy(r.uniform(-bound, bound, p.shape)))\n"
        "        else:\n            nn.init.zeros_(p)\nnet.apply(reset)\n"
    ),
    "rows that are alike": (
        "nn.init.zeros_(net[2].weight)\nnn.init.ones_(net[0].bias)\nwith torch.no_grad():\n"
        "    net[0].weight.copy_(torch.arange(3.0))\n    net[2].bias.copy_(torch.ones(1))\n"
    ),
    "a vector": (
        "n = nn.utils.parameters_to_vector(net.parameters()).numel()\n"
        "nn.utils.vector_to_parameters(torch.linspace(-1, 1, n), net.parameters())\n"
    ),
}


@pytest.mark.parametrize("fill", FILLS.values(), ids=FILLS)
def test_each_number_gets_to_torchs_place(fill: str) -> None:
    assert_prints_the_same(HEAD + fill + SHOW)


def test_drawn_and_even_weights_leave_the_layer_as_it_is() -> None:
    fill = (
        "with torch.no_grad():\n    for p in net.parameters():\n"
        "        p.copy_(torch.zeros(p.shape))\n        p.add_(torch.full_like(p, 0.1))\n"
    )
    code = assert_prints_the_same(HEAD + fill + SHOW)
    assert "compat.nn.Linear" not in code


def test_weights_take_new_values_of_another_dtype() -> None:
    code = assert_prints_the_same(
        f"{HEAD}for p in net.parameters():\n    p.data.copy_(torch.from_numpy(r.randn(*p.shape)))\n"
        f"{SHOW}"
    )
    assert "set_value(paddle.from_numpy(r.randn(*p.shape)).astype(p.dtype))" in code
    assert "torch_into" not in code


def test_averages_of_parameters_need_no_cast() -> None:
    code = assert_prints_the_same(
        f"import copy\n{HEAD}for p in net.parameters():\n    nn.init.constant_(p, 0.1)\n"
        "average = copy.deepcopy(net)\nwith torch.no_grad():\n"
        "    for p, q in zip(net.parameters(), average.parameters()):\n"
        "        p.copy_(0.9 * p + 0.1 * q)\n        p.data.copy_(0.5 * p.data)\n"
        f"{SHOW}"
    )
    assert "set_value(0.9 * p + 0.1 * q)" in code
    assert "astype" not in code


@pytest.mark.parametrize(
    "change",
    [
        "for t in net.state_dict().values():\n    t.zero_()",
        "for name, t in net.state_dict().items():\n    t.fill_(0.5 if 'bias' in name else 0.1)",
        "state = net.state_dict()\nfor key in state:\n    state[key].fill_(0.3)",
        "state = net.state_dict()\nstate['0.weight'].zero_()\nnet.load_state_dict(state)",
        "for t in net.state_dict().values():\n    t.mul_(0).add_(0.2)",
        "with torch.no_grad():\n    for t in net.state_dict().values():\n        t.clamp_(1, 1)",
    ],
)
def test_entries_of_a_state_are_changed_in_place(change: str) -> None:
    fill = "for p in net.parameters():\n    nn.init.constant_(p, 0.4)\n"
    assert_prints_the_same(f"{HEAD}{fill}{change}\n{SHOW}")


RECURRENT = (
    "import numpy as np\nimport torch\nfrom torch import nn\nr = np.random.RandomState(0)\n"
    "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.rnn = nn.LAYER(3, 4, num_layers=2, OPTIONS)\n        self.fc = nn.Linear(8, 2)\n"
    "    def forward(self, x):\n        return self.fc(self.rnn(x)[0])\nnet = Net()\n"
)
RECURRENT_FILLS = {
    "a sorted state": FILLS["entries of a state"],
    "entries in place": FILLS["entries in place"],
    "parameters of each layer": FILLS["parameters of each layer"],
    "sorted names": (
        "with torch.no_grad():\n    for name, p in sorted(net.named_parameters()):\n"
        "        p.copy_(torch.from_numpy(r.uniform(-0.2, 0.2, tuple(p.shape)).astype('f')))\n"
    ),
    "named layers": (
        "for _, module in net.named_modules():\n"
        "    for name, p in module.named_parameters(recurse=False):\n"
        "        p.data.copy_(torch.from_numpy(r.randn(*p.shape)))\n"
    ),
}


@pytest.mark.parametrize("fill", RECURRENT_FILLS.values(), ids=RECURRENT_FILLS)
@pytest.mark.parametrize("options", ["bidirectional=True", "bidirectional=True, batch_first=True"])
@pytest.mark.parametrize("layer", ["LSTM", "GRU", "RNN"])
def test_recurrent_layers_list_no_weight_again(layer: str, options: str, fill: str) -> None:
    head = RECURRENT.replace("LAYER", layer).replace("OPTIONS", options)
    assert_prints_the_same(f"{head}{fill}{SHOW.replace('view(4, 3)', 'view(2, 2, 3)')}")


@pytest.mark.parametrize(
    "fill",
    [
        "state = net.state_dict()\nfor k in sorted(state):\n"
        "    if state[k].dtype == torch.float32:\n"
        "        state[k] = torch.tensor(r.rand(*state[k].shape), dtype=torch.float32)\n"
        "net.load_state_dict(state)\n",
        "for k, v in net.state_dict().items():\n"
        "    v.copy_(torch.from_numpy(np.asarray(r.rand(*v.shape))))\n",
    ],
    ids=["sorted", "in order"],
)
def test_a_batch_norm_has_the_entries_of_torch(fill: str) -> None:
    head = HEAD.replace("nn.Tanh()", "nn.BatchNorm1d(5)")
    assert_prints_the_same(f"{head}{fill}net.eval()\n{SHOW}")


@pytest.mark.parametrize(
    "change",
    [
        "print(len(net.state_dict()), list(net.state_dict()))",
        "print(sum(v.numel() for v in net.state_dict().values()))",
        "for k, v in net.state_dict().items():\n    v.copy_(v * 0.5)",
        "w = copy.deepcopy(net.state_dict())\nfor k in w.keys():\n    w[k] += net.state_dict()[k]\n"
        "    w[k] = torch.div(w[k], 4)\nnet.load_state_dict(w)",
    ],
)
def test_each_entry_of_a_recurrent_layer_is_changed_once(change: str) -> None:
    head = RECURRENT.replace("LAYER", "LSTM").replace("OPTIONS", "bidirectional=True")
    fill = "for p in net.parameters():\n    nn.init.constant_(p, 0.4)\n"
    assert_prints_the_same(
        f"import copy\n{head}{fill}{change}\n{SHOW.replace('view(4, 3)', 'view(2, 2, 3)')}"
    )


def test_states_of_several_models_are_averaged() -> None:
    head = RECURRENT.replace("LAYER", "GRU").replace("OPTIONS", "bidirectional=True")
    assert_prints_the_same(
        f"import copy\n{head}"
        "def train(net, value):\n    for p in net.parameters():\n"
        "        nn.init.constant_(p, value)\n    return net.state_dict(), value\n"
        "def average(states):\n    result = copy.deepcopy(states[0])\n"
        "    for key in result.keys():\n        for i in range(1, len(states)):\n"
        "            result[key] += states[i][key]\n"
        "        result[key] = torch.div(result[key], len(states))\n    return result\n"
        "states = [train(Net(), 0.1 * i)[0] for i in range(1, 4)]\n"
        "net.load_state_dict(average(states))\nwith torch.no_grad():\n"
        f"    {SHOW.replace('view(4, 3)', 'view(2, 2, 3)')}"
    )


_HEAD = """\
import torch.nn as nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 10)
        nn.init.xavier_uniform_(self.fc.weight)
        self.rows = self.fc.weight.t()

net = Net()
net.fc = nn.Linear(8, 3)
"""


def test_a_layer_that_replaces_an_initialised_one_is_drawn_as_torch_draws_it() -> None:
    code = workbench.convert(_HEAD).code
    assert "uniform_(net.fc.weight, -(8**-0.5), 8**-0.5)" in code
    assert "uniform_(self.fc.weight, -" not in code
    initialised = _HEAD + "nn.init.xavier_uniform_(net.fc.weight)\n"
    assert "uniform_(net.fc.weight, -" not in workbench.convert(initialised).code


@pytest.mark.frameworks
@pytest.mark.parametrize(
    "replaced",
    [
        "net.fc = nn.Sequential(nn.Dropout(0.0), nn.Linear(net.fc.in_features, 2))",
        "net.fc = nn.Linear(net.fc.in_features, 2)",
        "width = net.fc.in_features\nwidth = nn.Linear(width, 2)\nnet.fc = width",
    ],
)
def test_a_head_is_replaced_by_one_of_its_own_size(replaced: str) -> None:
    assert_prints_the_same(f"""import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)


net = Net()
{replaced}
print([tuple(p.shape) for p in net.parameters()])
""")
