"""Recurrent layers that are moved, and that take sequences without a batch."""

from __future__ import annotations

import pytest

import workbench
from tests.workbench.targets.paddle.both_sides import TARGET, assert_prints_the_same

HEAD = "import torch\nimport torch.nn as nn\n"
FILL = "for p in rnn.parameters():\n    nn.init.constant_(p, 0.1)\n"
SHOW = "for v in (y, *(h if isinstance(h, tuple) else (h,))):\n"
SHOW += "    print(tuple(v.shape), v.sum().item())\n"


@pytest.mark.parametrize("made", ["LSTM", "GRU", "RNN"])
@pytest.mark.parametrize(
    "moved",
    [
        "rnn = rnn.to(torch.device('cuda' if torch.cuda.is_available() else 'cpu'))",
        "rnn.to('cpu')",
        "rnn.cpu()",
        "rnn.double()\nrnn.float()",
        "rnn = nn.Sequential(rnn).to('cpu')[0]",
        "print(len(list(rnn.buffers())))",
    ],
)
def test_it_is_moved(made: str, moved: str) -> None:
    code = assert_prints_the_same(
        f"{HEAD}rnn = nn.{made}(3, 4, 2, batch_first=True)\n{FILL}{moved}\n"
        f"y, h = rnn(torch.arange(30.0).view(2, 5, 3).sin())\n{SHOW}"
    )
    assert "torch_movable(nn." in code


@pytest.mark.parametrize(
    ("made", "states"),
    [
        ("LSTM(3, 4)", ""),
        ("LSTM(3, 4, 2)", ", (torch.ones(2, 4), torch.zeros(2, 4))"),
        ("LSTM(3, 4, bidirectional=True)", ""),
        ("GRU(3, 4, num_layers=2)", ", torch.ones(2, 4)"),
        ("GRU(3, 4, batch_first=flag)", ""),
        ("RNN(3, 4, nonlinearity='relu')", ""),
    ],
)
@pytest.mark.parametrize("x", ["x[:, 0]", "x[:, :1]", "x"])
def test_a_sequence_may_have_no_batch(made: str, states: str, x: str) -> None:
    if x != "x[:, 0]":
        states = ""
    assert_prints_the_same(
        f"{HEAD}flag = False\nrnn = nn.{made}\n{FILL}x = torch.arange(30.0).view(5, 2, 3).sin()\n"
        f"y, h = rnn({x}{states})\n{SHOW}rnn.to('cpu')\nprint(rnn.__class__.__name__)\n"
    )


NET = (
    f"{HEAD}class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.rnn = nn.LSTM(3, 4, batch_first=True)\n"
    "    def forward(self, x):\n        return self.rnn(x)[0]\n"
)


@pytest.mark.parametrize(
    ("rest", "written"),
    [
        ("", "torch_movable(nn.LSTM(3, 4))"),  # another file may move it
        ("net = Net()\n", "nn.LSTM(3, 4)"),
        ("net = Net().to('cpu')\n", "torch_movable(nn.LSTM(3, 4))"),
    ],
)
def test_a_layer_that_is_never_moved_is_paddles_own(rest: str, written: str) -> None:
    code = workbench.convert(f"{NET}{rest}", target=TARGET).code
    assert f"        self.rnn = {written}\n" in code


@pytest.mark.parametrize("frozen", [True, False])
def test_a_frozen_layer_that_gradients_pass_is_reported(frozen: bool) -> None:
    text = "import torch.nn as nn\n\nencoder = nn.LSTM(3, 4, batch_first=True)\n"
    if frozen:
        text += "for p in encoder.parameters():\n    p.requires_grad = False\n"
    found = workbench.check(text, target=TARGET)
    assert any("if its weights are frozen" in one.message for one in found) == frozen


@pytest.mark.parametrize(
    ("lines", "reported"),
    [
        (
            "rnn.eval()\nx = torch.ones(1, 2, 3, requires_grad=True)\nrnn(x)[0].sum().backward()\n",
            1,
        ),
        ("rnn.eval()\nrnn.train()\nx = torch.ones(1, 2, 3)\nrnn(x)[0].sum().backward()\n", 0),
        ("rnn.eval()\nrnn(torch.ones(1, 2, 3))\n", 0),
    ],
)
def test_a_backward_pass_in_evaluation_mode_is_reported(lines: str, reported: int) -> None:
    text = f"import torch\nfrom torch import nn\n\nrnn = nn.GRU(3, 4, batch_first=True)\n{lines}"
    found = workbench.check(text, target=TARGET)
    assert sum("backward pass in evaluation mode" in one.message for one in found) == reported
