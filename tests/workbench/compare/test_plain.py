"""Cells whose conversion is plain Paddle: its own layers, optimizers and schedules."""

from __future__ import annotations

from typing import TYPE_CHECKING

import paddle
import pytest

from tests.workbench.compare.conftest import row
from workbench.compare import Origin

if TYPE_CHECKING:
    from tests.workbench.compare.conftest import Notebook

IMPORTS = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
NET = IMPORTS + "net = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))\n"
DATA = "x, y = torch.randn(16, 64), torch.randint(0, 10, (16,))\n"
MAKE = "optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)\n"
STEP = (
    "optimizer.zero_grad()\nloss = F.cross_entropy(net(x), y)\nloss.backward()\noptimizer.step()\n"
)


def indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())


def test_native_layers_and_adam_train_alike(notebook: Notebook) -> None:
    assert notebook.convert(NET).same
    result = notebook.convert(DATA + MAKE + "for _ in range(4):\n" + indented(STEP))
    assert result.same, str(result)
    assert type(notebook.mirrored("net")[0]) is paddle.nn.Linear
    assert type(notebook.mirrored("optimizer")) is paddle.optimizer.Adam
    assert row(result, "net.0.weight").shape == (32, 64)
    assert row(result, "net.0.weight").origin is Origin.COMPUTED
    assert row(result, "optimizer.0.weight.exp_avg").same


def test_a_later_cell_that_looks_into_weights_gets_them_as_torch_has_them(
    notebook: Notebook,
) -> None:
    notebook.convert(NET)
    notebook.convert(DATA + MAKE + STEP)
    result = notebook.convert("w = net[0].weight\nlengths = w.norm(dim=1)\n")
    assert result.same, str(result)
    assert row(result, "lengths").shape == (32,)
    assert row(result, "lengths").origin is Origin.COMPUTED
    assert list(notebook.mirrored("w").shape) == [32, 64]
    result = notebook.convert(STEP)  # the optimizer has come along with its moments
    assert result.same, str(result)
    assert row(result, "optimizer.0.weight.exp_avg").same


def test_a_later_cell_that_asks_for_groups_gets_them(notebook: Notebook) -> None:
    notebook.convert(NET)
    notebook.convert(DATA + MAKE + STEP)
    result = notebook.convert("n = len(optimizer.param_groups[0]['params'])\n" + STEP)
    assert result.same, str(result)


def test_an_optimizer_and_a_schedule_under_way_are_carried(notebook: Notebook) -> None:
    notebook.plain(
        NET + DATA + MAKE + "schedule = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2)\n"
        "for _ in range(3):\n" + indented(STEP + "schedule.step()\n")
    )
    result = notebook.convert("for _ in range(3):\n" + indented(STEP + "schedule.step()\n"))
    assert result.same, str(result)
    assert isinstance(notebook.mirrored("schedule"), paddle.optimizer.lr.StepDecay)
    assert row(result, "optimizer.lr").same


CONV = IMPORTS + "net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4))\n"
BATCHES = "x = torch.randn(4, 3, 8, 8)\nfor _ in range(3):\n    net(x)\n"


def test_running_variances_are_kept_as_in_torch_and_a_note_says_so(notebook: Notebook) -> None:
    result = notebook.convert(CONV + BATCHES + "net.eval()\nout = net(x)\n")
    assert result.same, str(result)
    [note] = result.notes
    assert note.startswith("net.1.running_var was computed as in torch. paddle itself leaves out")
    after = notebook.convert("out = net(x)\n")
    assert after.same, str(after)
    assert not after.notes


def test_a_layer_that_keeps_torchs_running_variance_keeps_it_once(notebook: Notebook) -> None:
    notebook.convert(CONV)
    step = "optimizer.zero_grad()\n    net(x).pow(3).mean().backward()\n    optimizer.step()\n"
    training = MAKE.replace("Adam", "SGD") + BATCHES.replace("net(x)\n", step)
    result = notebook.convert(training + "net.eval()\nout = net(x)\n")
    assert result.same, str(result)
    assert row(result, "out").same
    assert not result.notes, "the converted layer applies the factor by itself"


def test_a_running_variance_that_lacks_more_is_different(notebook: Notebook) -> None:
    notebook.convert(CONV)
    conversion = notebook.session.convert(BATCHES)
    conversion.code += "net[1]._variance.scale_(1.01)\n"
    conversion.line_map = [*conversion.line_map, 1]
    result = notebook.session.run(BATCHES, conversion)
    assert [r.name for r in result.different] == ["net.1.running_var"]


def test_states_are_compared_by_meaning(notebook: Notebook) -> None:
    notebook.convert(
        IMPORTS + "net = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))\nrnn = nn.LSTM(4, 4)\n"
    )
    result = notebook.convert(
        "import copy\nstate = net.state_dict()\nbest = copy.deepcopy(state)\n"
        "rnn_state = rnn.state_dict()\n"
        "with torch.no_grad():\n    net(torch.randn(6, 4))\n"
    )
    assert result.same, str(result)
    assert row(result, "best['0.weight']").same
    assert row(result, "rnn_state['weight_ih_l0']").same
    assert row(result, "best['1.running_mean']").same
    again = notebook.convert("net(torch.randn(6, 4))\nbest = copy.deepcopy(net.state_dict())\n")
    assert again.same, str(again)
    last = notebook.convert("net.load_state_dict(best)\nnet.eval()\nout = net(torch.ones(6, 4))\n")
    assert last.same, str(last)


def test_shuffled_batches_come_in_torchs_order(notebook: Notebook) -> None:
    make = (
        IMPORTS + "from torch.utils.data import DataLoader, TensorDataset\n"
        "data = TensorDataset(torch.arange(20.0).reshape(10, 2), torch.arange(10))\n"
        "loader = DataLoader(data, batch_size=4, shuffle=True)\n"
    )
    notebook.plain(make)
    result = notebook.convert("seen = [b.tolist() for a, b in loader]\n")
    assert result.same, str(result)
    result = notebook.convert(make + "seen = [b.tolist() for a, b in loader]\n")
    assert result.same, str(result)
    assert type(notebook.mirrored("loader")) is paddle.io.DataLoader


@pytest.mark.parametrize(
    "layer",
    ["nn.LSTM(4, 5, 2, batch_first=True, bidirectional=True)", "nn.GRU(4, 5, batch_first=True)"],
)
def test_recurrent_layers(layer: str, notebook: Notebook) -> None:
    result = notebook.convert(
        f"{IMPORTS}net = {layer}\nout, _ = net(torch.randn(3, 6, 4))\n"
        "out.square().sum().backward()\n"
    )
    assert result.same, str(result)
    assert row(result, "net.weight_ih_l0.grad").same
