"""Cells in a guarded worker: their results come here, their ends do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from workbench.compare.cells.options import Options
from workbench.compare.processes.isolated import IsolationError, Limits, run_isolated
from workbench.compare.result import Outcome

if TYPE_CHECKING:
    from tests.workbench.compare.conftest import Notebook
    from workbench.compare import Comparison


def isolated(notebook: Notebook, source: str, limits: Limits | None = None) -> Comparison:
    session = notebook.session
    conversion = session.convert(source)
    return run_isolated(
        session,
        source,
        conversion,
        filename="<isolated>",
        options=Options(),
        limits=limits or Limits(seconds=60),
    )


def test_results_of_the_worker_arrive(notebook: Notebook) -> None:
    notebook.plain("import torch\nnet = torch.nn.Linear(3, 2)\nx = torch.ones(4, 3)\n")
    result = isolated(notebook, "y = net(x).detach()\ny.sum()\nprint('done')")
    assert result.same, str(result)
    assert result.torch.output == "done\n"
    assert notebook.names["y"].shape == (4, 2)
    assert notebook.convert("z = y + 1").same


def test_threads_that_a_fork_lacks_are_no_error_of_the_cell(notebook: Notebook) -> None:
    """A torch with CUDA raises this for a backward pass after one in the kernel."""
    source = (
        "x = 1\nraise RuntimeError(\"Unable to handle autograd's threading in combination with "
        'fork-based multiprocessing. See https://github.com/pytorch/pytorch/wiki")'
    )
    with pytest.raises(IsolationError, match="omit --isolated, or restart the kernel"):
        isolated(notebook, source)
    assert "x" not in notebook.names


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("import os\nx = 1\nos.kill(os.getpid(), 11)", "torch crashed: Segmentation fault"),
        ("import os\nos._exit(3)", "torch crashed: it ended its process"),
        ("import time\ntime.sleep(60)", "torch hung: no end after 0.5 s"),
    ],
)
def test_a_worker_that_does_not_come_back(notebook: Notebook, source: str, message: str) -> None:
    notebook.plain("import torch\nkept = torch.ones(2)\n")
    result = isolated(notebook, source, Limits(seconds=0.5 if "hung" in message else 60))
    assert result.outcome is Outcome.UNCHECKED
    assert str(result).startswith(f"Not checked: {message}")
    assert "x" not in notebook.names
    assert notebook.convert("more = kept + 1").same


def test_memory_runs_out_only_there(notebook: Notebook) -> None:
    source = "import torch\nheld = []\nwhile True:\n    held.append(torch.ones(1 << 20))"
    result = isolated(notebook, source, Limits(seconds=60, bytes=800_000_000))
    assert "exhausted its memory, 0.7 GB at line 3" in str(result)
    assert "held" not in notebook.names


def test_what_the_notebook_holds_is_not_the_cells(notebook: Notebook) -> None:
    notebook.plain("import torch\nx = torch.ones(2)\nheld = torch.ones(1 << 27)\n")
    assert isolated(notebook, "y = x + 1", Limits(seconds=60, bytes=400_000_000)).same
