"""Cells that JAX runs next to torch, converted with the cells above them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.workbench.compare.conftest import Notebook, row
from workbench.compare.cells.session import Session
from workbench.compare.result import Origin, Outcome

if TYPE_CHECKING:
    from workbench.compare import Comparison


class Cells(Notebook):
    """A notebook whose cells convert to JAX."""

    def __init__(self) -> None:
        self.sources: list[str] = []
        names: dict[str, Any] = {"__name__": "__main__"}
        self.session = Session(names, "jax", earlier=lambda: self.sources)

    def convert(self, source: str) -> Comparison:
        result = self.session.run(source)
        self.sources.append(source)
        return result

    def plain(self, source: str) -> None:
        exec(source, self.session.namespace)
        self.sources.append(source)


@pytest.fixture
def cells() -> Iterator[Cells]:
    """Yield a notebook in 32 bits, as in a new process: modules of graphs turn 64 bits on."""
    pytest.importorskip("flax")
    import jax

    with jax.enable_x64(False):
        yield Cells()


START = """
import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
x, y = torch.randn(12, 4), torch.randint(0, 3, (12,))
"""
NET = """
class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, width), nn.BatchNorm1d(width), nn.ReLU())
        self.drop = nn.Dropout(0.3)
        self.head = nn.Linear(width, 3)

    def forward(self, x):
        return self.head(self.drop(self.body(x)))
"""
MAKE = "net = Net(5)\noptimizer = torch.optim.Adam(net.parameters(), lr=0.05)\n"
TRAIN = """
for step in range(3):
    optimizer.zero_grad()
    loss = F.cross_entropy(net(x), y)
    loss.backward()
    optimizer.step()
"""


def test_a_model_trains_on_the_same_draws(cells: Cells) -> None:
    for source in (START, NET, MAKE):
        result = cells.convert(source)
        assert result.outcome is Outcome.SAME, str(result)
    assert row(result, "net.body.0.weight").origin is Origin.CARRIED  # drawn at random
    result = cells.convert(TRAIN)
    assert result.same, str(result)
    assert "nnx.value_and_grad(loss_fn)(net)" in result.code
    for name in ("net.body.0.weight", "net.body.1.running_var", "optimizer.head.bias.exp_avg"):
        assert row(result, name).origin is Origin.COMPUTED, name
    assert row(result, "loss, line 5").same
    result = cells.convert("net.eval()\nshares = net(x).softmax(1)\nshares.sum(1)\n")
    assert result.same, str(result)
    assert {"shares", "Out"} <= {each.name for each in result.rows}


def test_a_wrong_layer_is_different(cells: Cells) -> None:
    cells.convert(START)
    source = f"{NET}{MAKE}net.eval()\nout = net(x)\n"
    conversion = cells.session.convert(source)
    right = conversion.code
    conversion.code = right.replace("self.drop(self.body(x)))", "self.body(x) * 1.001)")
    assert conversion.code != right
    result = cells.session.run(source, conversion)
    assert row(result, "out").same is False, str(result)


def test_plain_cells_between_carry_weights_state_and_schedule(cells: Cells) -> None:
    schedule = "schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2, gamma=0.5)\n"
    for source in (START, NET, MAKE, schedule):
        cells.plain(source)
    follow = f"{TRAIN}    schedule.step()\n"
    cells.plain(follow)
    result = cells.convert(follow)
    assert result.same, str(result)
    assert row(result, "optimizer.lr").same
    assert row(result, "optimizer.body.0.weight.exp_avg_sq").origin is Origin.COMPUTED
    assert {"net", "optimizer", "schedule"} <= {each.name for each in result.carried}


def test_a_loader_shuffles_as_torchs(cells: Cells) -> None:
    cells.convert(START)
    cells.convert("from torch.utils.data import DataLoader, TensorDataset\n")
    cells.convert("loader = DataLoader(TensorDataset(x, y), batch_size=5, shuffle=True)\n")
    result = cells.convert(
        "labels = torch.cat([yb for _, yb in loader])\nfirst = next(iter(loader))\n"
    )
    assert result.same, str(result)
    assert row(result, "labels").shape == (12,)


def test_a_definition_that_a_later_cell_changes_is_made_again(cells: Cells) -> None:
    cells.convert("import torch\n")
    cells.convert("def scaled(x, scale=2.0):\n    return x * scale\n")
    assert cells.convert("a = scaled(torch.ones(3))\n").same
    cells.convert("def scaled(x, scale=3.0):\n    return x * scale + torch.rand_like(x)\n")
    result = cells.convert("b = scaled(torch.ones(3)) - a\nc = lambda t: scaled(t, 1.0)\n")
    assert result.same, str(result)
    assert cells.convert("d = c(b)\n").same


def test_what_has_no_conversion_runs_in_torch_alone(cells: Cells) -> None:
    cells.convert("import torch\n")
    result = cells.convert("counts = torch.poisson(torch.ones(4))\ntotal = counts.sum() * 2\n")
    assert result.outcome is Outcome.UNCONVERTED
    assert row(result, "total").same
    assert any("no proven form in JAX" in found.message for found in result.findings)
    cells.plain("def made():\n    return torch.nn.Linear(2, 1), []\nnet, log = made()\n")
    result = cells.convert("out = net(torch.ones(1, 2))\n")
    assert not result.rows or all(each.same is not True for each in result.rows), str(result)
    assert any(
        "no statement of a cell makes this Linear" in each.reason for each in result.carried
    ), str(result)


def test_numbers_are_compared_in_the_dtype_that_both_have(cells: Cells) -> None:
    cells.convert("import torch\nimport numpy as np\n")
    result = cells.convert(
        "a = torch.arange(3)\nn = (a * 2).numpy()\nc = a.sum().item()\n"
        "b = torch.from_numpy(np.array([0.1, 0.2]))\nkind = a.dtype\nprint(a)\n"
    )
    assert result.same, str(result)
    assert {"a", "b", "n", "c"} <= {each.name for each in result.rows}


def test_variables_of_layers_are_set_and_read(cells: Cells) -> None:
    for source in (START, NET, MAKE):
        cells.convert(source)
    result = cells.convert(
        "with torch.no_grad():\n    net.head.weight.mul_(2)\n    net.head.bias.zero_()\n"
        "state = {k: v.clone() for k, v in net.state_dict().items()}\n"
        "count = sum(p.numel() for p in net.parameters())\n"
    )
    assert result.same, str(result)
    assert row(result, "state['head.weight']").same
    cells.plain("with torch.no_grad():\n    net.head.weight += 1\n")
    result = cells.convert("net.eval()\nout = net(x)\n")
    assert result.same, str(result)
