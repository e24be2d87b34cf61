"""Lazy layers, whose weights are drawn when they are first called."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from tests.workbench.compare.conftest import row
from workbench.compare.cells.snapshot import Snapshot

if TYPE_CHECKING:
    from tests.workbench.compare.conftest import Notebook

_NET = """\
import torch
from torch import nn
net = nn.Sequential(nn.LazyConv2d(2, 3), nn.LazyBatchNorm2d(), nn.Flatten(), nn.LazyLinear(3))
"""
_CALL = "x = torch.arange(96.0).reshape(2, 3, 4, 4).sin()\ny = net(x)"


def test_a_lazy_layer_waits_and_then_starts_alike(notebook: Notebook) -> None:
    waiting = notebook.convert(_NET)
    assert waiting.same, str(waiting)
    called = notebook.convert(_CALL)
    assert called.same, str(called)
    assert row(called, "net.0.weight").shape == (2, 3, 3, 3)


def test_a_lazy_layer_is_made_called_and_trained_in_one_statement(notebook: Notebook) -> None:
    notebook.convert(
        f"{_NET}def train(x):\n"
        "    net = nn.Sequential(nn.LazyLinear(4), nn.ReLU(), nn.LazyLinear(1))\n"
        "    net(x)\n"
        "    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "    for _ in range(3):\n"
        "        optimizer.zero_grad()\n"
        "        net(x).square().mean().backward()\n"
        "        optimizer.step()\n"
        "    return net(x)\n"
    )
    result = notebook.convert("y = train(torch.arange(12.0).reshape(4, 3) / 12)")
    assert result.same, str(result)


def test_a_lazy_layer_of_a_cell_that_was_not_converted_is_carried(notebook: Notebook) -> None:
    notebook.plain(_NET)
    result = notebook.convert(_CALL)
    assert result.same, str(result)


def test_an_interrupted_first_call_is_undone() -> None:
    net = torch.nn.LazyLinear(3)
    snapshot = Snapshot({"net": net}, ["net"])
    net(torch.ones(2, 4)).sum().backward()
    snapshot.restore()
    assert isinstance(net, torch.nn.LazyLinear)
    assert net.has_uninitialized_params()
    assert net(torch.ones(2, 5)).shape == (2, 3)
