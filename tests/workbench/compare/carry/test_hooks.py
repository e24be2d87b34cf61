"""Hooks, generators and iterators of earlier cells, on the other side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.workbench.compare.conftest import row
from workbench.compare.carry.iterators import has_place, put_together, taken_apart

if TYPE_CHECKING:
    from tests.workbench.compare.conftest import Notebook

NET = """\
import torch
from torch import nn
net = nn.Sequential(nn.Linear(3, 2), nn.ReLU())
seen = []
"""


@pytest.fixture
def exact(notebook: Notebook) -> Notebook:
    """A notebook in the exact style: in plain Paddle copies of gradients ask for gradients."""
    notebook.session.style = "exact"
    return notebook


@pytest.mark.parametrize(
    "hook",
    [
        "h = net[0].register_forward_hook(lambda m, i, o: o * 2)",
        "h = net.register_forward_pre_hook(lambda m, i: (i[0] + 1,))",
        "h = net.register_forward_hook(lambda m, i, k, o: o - 1, with_kwargs=True)",
        "def note(m, gi, go):\n    seen.append(go[0].sum())\n"
        "h = net[0].register_full_backward_hook(note)",
        "h = net.register_full_backward_pre_hook(lambda m, go: (go[0] * 3,))",
    ],
)
def test_a_module_is_carried_with_its_hooks(exact: Notebook, hook: str) -> None:
    notebook = exact
    notebook.plain(NET)
    notebook.plain(hook)
    cell = (
        "x = torch.ones(1, 3, requires_grad=True)\ny = net(x)\ny.sum().backward()\n"
        "before = y.detach(), x.grad.clone(), list(seen)\n"
        "h.remove()\nx.grad = None\nz = net(x)\nz.sum().backward()\n"
    )
    result = notebook.convert(cell)
    assert result.same, str(result)
    assert not [item for item in result.carried if item.failed]


def test_a_hook_that_a_converted_cell_registers_is_there_once(notebook: Notebook) -> None:
    notebook.plain(NET)
    notebook.convert("h = net.register_forward_hook(lambda m, i, o: o + 1)\n")
    notebook.plain("with torch.no_grad():\n    net[0].weight.fill_(2.0)\n")
    result = notebook.convert("y = net(torch.ones(1, 3))\n")
    assert result.same, str(result)
    notebook.plain("h.remove()\nnet.register_forward_hook(lambda m, i, o: o * 5)\n")
    result = notebook.convert("y = net(torch.ones(1, 3))\n")
    assert not result.same
    assert "those of its counterpart are not known" in row(result, "line 1").reason


def test_a_tensor_is_carried_with_its_hook(notebook: Notebook) -> None:
    notebook.plain("import torch\nw = torch.ones(3, requires_grad=True)\n")
    notebook.plain("h = w.register_hook(lambda g: g * 2)\n")
    result = notebook.convert("(w * 3).sum().backward()\n")
    assert result.same, str(result)
    assert notebook.session.bridge.gradient(notebook.session.mirror.names["w"]).tolist() == [6] * 3


def test_generators_and_loaders_draw_alike_on_both_sides(notebook: Notebook) -> None:
    notebook.plain(
        "import torch\nfrom torch.utils.data import DataLoader, TensorDataset\n"
        "g = torch.Generator().manual_seed(3)\n"
        "loader = DataLoader(TensorDataset(torch.arange(10.0)), 3, shuffle=True, "
        "generator=torch.Generator().manual_seed(5))\n"
    )
    result = notebook.convert(
        "x = torch.randn(4, generator=g)\n"
        "order = [b for epoch in range(2) for (b,) in loader]\n"
        "own = torch.Generator().manual_seed(1)\n"
        "mine = list(DataLoader(range(6), 2, shuffle=True, generator=own))\n"
        "p = torch.randperm(5, generator=own)\n"
    )
    assert result.same, str(result)
    assert {"x", "p"} <= {each.name for each in result.rows}


def test_a_loader_whose_generator_has_drawn_is_named(notebook: Notebook) -> None:
    notebook.plain(
        "import torch\nfrom torch.utils.data import DataLoader\n"
        "loader = DataLoader(range(4), shuffle=True, generator=torch.Generator())\n"
        "used = list(loader)\n"
    )
    result = notebook.convert("order = list(loader)\nlength = len(order) + 1\n")
    assert not result.same
    assert "its next order cannot be transferred" in row(result, "line 1").reason
    # Rows that do not need it are still compared.
    assert row(result, "length").same


def test_an_iterator_is_carried_with_its_place(notebook: Notebook) -> None:
    notebook.plain("import torch\nparts = zip(iter([torch.ones(2), torch.zeros(2)]), 'ab')\n")
    notebook.plain("first = next(parts)\n")
    result = notebook.convert("tensor, name = next(parts)\nmore = tensor + 1\n")
    assert result.same, str(result)
    assert notebook.mirrored("name") == "b"
    notebook.plain("left = list(parts)\n")
    assert notebook.names["left"] == []


@pytest.mark.parametrize(
    "make",
    [
        lambda: iter([1, 2, 3]),
        lambda: iter(range(1, 4)),
        lambda: iter({1: 1, 2: 2, 3: 3}.values()),
        lambda: enumerate("abc"),
        lambda: map(str, [1, 2, 3]),
        lambda: reversed([1, 2, 3]),
    ],
)
def test_a_copy_continues_at_the_iterators_position(make: object) -> None:
    assert callable(make)
    iterator = make()
    next(iterator)
    assert has_place(iterator)
    function, arguments, place = taken_apart(iterator)
    # Inner iterators are carried by themselves; here they are the copy's own from now on.
    copy = put_together(function, list(arguments), place)
    assert len(list(copy)) == 2
