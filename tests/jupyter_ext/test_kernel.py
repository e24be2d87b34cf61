"""A notebook with `%%convert` cells, run in a real kernel without any frontend."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from jupyter_ext.display.output import FACTS
from tests.jupyter_ext.notebook_files import execute_in

if TYPE_CHECKING:
    from nbformat import NotebookNode

LOAD = "%load_ext jupyter_ext"


def execute(*sources: str) -> list[NotebookNode]:
    return execute_in(None, LOAD, *sources)[1:]


def test_a_notebook_runs_without_a_screen() -> None:
    training = (
        "%%convert\n"
        "torch.manual_seed(0)\n"
        "model = nn.Linear(4, 2)\n"
        "for step in range(3):\n"
        "    loss = (model(torch.ones(5, 4)) ** 2).sum()\n"
        "    loss.backward()\n"
        "    print(f'{loss.item():.3f}')\n"
    )
    first, second, last = execute(
        "%%convert\nimport torch\nimport torch.nn as nn\nx = torch.linspace(0, 1, 5)",
        training,
        "import jupyter_ext\njupyter_ext.last_comparison().same",
    )
    for cell in (first, second):
        (shown,) = [o for o in cell.outputs if FACTS in o.get("data", {})]
        assert shown.data[FACTS]["same"], shown.data["text/plain"]
        assert "tf-card" in shown.data["text/html"]
    assert last.outputs[0].data["text/plain"] == "True"


def test_cells_run_in_jax() -> None:
    pytest.importorskip("flax")
    cells = execute(
        "%%convert --target jax\nimport torch\nfrom torch import nn\ntorch.manual_seed(0)",
        "class Net(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.fc = nn.Linear(4, 2)\n"
        "    def forward(self, x):\n"
        "        return self.fc(x)\n"
        "net, x = Net(), torch.randn(3, 4)",
        "%%convert --target jax\nwith torch.no_grad():\n    out = net(x).softmax(-1)\nout.shape",
        "%%convert --target jax\nnet = Net()\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "for _ in range(2):\n"
        "    opt.zero_grad()\n"
        "    loss = net(x).pow(2).mean()\n"
        "    loss.backward()\n"
        "    opt.step()\n",
    )
    for cell in (cells[0], *cells[2:]):
        (shown,) = [o for o in cell.outputs if FACTS in o.get("data", {})]
        assert shown.data[FACTS]["same"], shown.data["text/plain"]
    assert "nnx.value_and_grad" in shown.data["text/html"]
    (result,) = [o for o in cells[2].outputs if o.output_type == "execute_result"]
    assert result.data["text/plain"] == "torch.Size([3, 2])"


@pytest.mark.parametrize("forks", [True, False])
def test_a_comparison_of_graphs_leaves_the_width_of_the_kernel(forks: bool) -> None:
    """Graphs for JAX have 64 bits; cells, before and after, have those of a new process."""
    pytest.importorskip("flax")
    compare = (
        "from unittest import mock\n"
        "from jupyter_ext.panel.cells import Cells\n"
        "from jupyter_ext.panel.pair import pair_call\n"
        f"with mock.patch('workbench.compare.processes.worker.can_fork', lambda: {forks}):\n"
        "    pair = pair_call('net(x)', globals(), Cells(), get_ipython(), target='jax', say=str)\n"
        "pair.content()['summary']"
    )
    convert = "%%convert --target jax\nids = torch.arange(4)\ny = net(x).sum(0)"
    dtype = (
        "import jax, jupyter_ext\n"
        "assert jupyter_ext.last_comparison().same\n"
        "str(jax.numpy.arange(3).dtype)"
    )
    made = "import torch\nfrom torch import nn\nnet = nn.Linear(3, 2)\nx = torch.randn(4, 3)"
    cells = execute(made, compare, convert, dtype, compare, convert, dtype)
    shown = [
        o.data["text/plain"] for c in cells for o in c.outputs if o.output_type == "execute_result"
    ]
    assert shown == ["'All 1 nodes agree'", "'int32'"] * 2


def test_bad_input_fails_the_cell() -> None:
    from nbclient.exceptions import CellExecutionError

    with pytest.raises(CellExecutionError, match="nowhere"):
        execute("%%convert --to nowhere\nimport torch")


def test_the_last_value_of_a_guarded_cell_is_shown() -> None:
    made = "class Pair:\n    def __repr__(self):\n        return 'a pair'\n"
    cells = execute(
        "%%convert --isolated --show none\nimport torch\nx = torch.ones(2)\nx * 2",
        "%%convert --isolated --show none\n(x.tolist(), [lambda: 1][0]())",
        f"%%convert --isolated --show none\n{made}Pair()",
        "%%convert --isolated --show none\nx.sum();",
        "%%convert --isolated --show none\n(row for row in x)",
    )
    shown = [
        [o.data["text/plain"] for o in cell.outputs if o.output_type == "execute_result"]
        for cell in cells
    ]
    assert shown[:4] == [["tensor([2., 2.])"], ["([1.0, 1.0], 1)"], ["a pair"], []]
    assert len(shown[4]) == 1 and shown[4][0].startswith("<generator object")


def test_warnings_of_compiled_code_do_not_reach_the_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTEST_CURRENT_TEST")  # with it, a kernel does not show them
    whole = "torch.arange(6).view(2, 3)"
    cells = execute(
        f"%%convert --show none\nimport torch\nx = {whole}.sum() / torch.ones(2)",
        f"%%convert --show none\n{whole}.float().mean() * {whole}",
        "%%convert --show none\ntorch.bincount(torch.tensor([0, 1, 1]), minlength=3)",
        "import os, sys\nos.write(2, b'own');",
    )
    errors = [[o.text for o in cell.outputs if o.get("name") == "stderr"] for cell in cells]
    assert errors == [[], [], [], ["own"]]
