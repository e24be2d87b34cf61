"""Ported notebooks run without torch and Torchferry, and are compared with saved outputs."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.jupyter_ext.notebook_files import execute_in, notebook, read, write
from workbench.compare.result import Outcome
from workbench.convert.project.notebook_port import port_notebook
from workbench.convert.project.runner import order_for
from workbench.errors import TorchferryError
from workbench.verify.notebook import NotebookCheck, verify_notebook

HERE = Path(__file__).parent
HABITS = sorted((HERE / "habits").glob("*.txt"))
STAND_INS = str(HERE / "stand_ins" / "site-packages")
WITHOUT_TORCH = os.pathsep.join([STAND_INS, str(HERE / "stand_ins" / "without_torch")])
pytestmark = pytest.mark.one_in(6)
# Cells that differ in truth: the name of a helper, and backward of what needs no gradient.
APART = {"stars": {3}, "mistakes": {7}}


@pytest.fixture
def saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Makes a notebook with torch's outputs; kernels that start later have no torch."""
    pytest.importorskip("paddle")

    def make(*sources: str) -> Path:
        monkeypatch.setenv("PYTHONPATH", STAND_INS)
        made = notebook()
        made.cells = execute_in(tmp_path, *sources, allow_errors=True)
        write(made, tmp_path / "n.ipynb")
        monkeypatch.setenv("PYTHONPATH", WITHOUT_TORCH)
        return tmp_path / "n.ipynb"

    return make


def verified(original: Path) -> tuple[Path, NotebookCheck]:
    port = port_notebook(original, order_for(original)).notebook
    return port, verify_notebook(original, port)


@pytest.mark.parametrize("path", HABITS, ids=[path.stem for path in HABITS])
def test_a_port_runs_without_torch(path: Path, saved: Callable[..., Path]) -> None:
    cells = [cell for cell in re.split(r"^# %%\n", path.read_text(), flags=re.M) if cell.strip()]
    _, found = verified(saved(*cells))
    assert not found.imports_torch and not found.changed
    apart = {cell.number for cell in found.cells if cell.outcome.agrees is False}
    assert apart == APART.get(path.stem, set()), str(found)


def test_each_outcome_says_what_was_compared(saved: Callable[..., Path]) -> None:
    original = saved(
        "import torch",
        "%load_ext jupyter_ext",
        "x = torch.ones(2)\nprint(x)\nx * 2",
        "print(type(x).__module__)",
        "torch.manual_seed(1)\ntorch.rand(1).item()",
        "torch.nn.Linear(2, 3)",
        "None[0]",
        "x.no_such",
    )
    port, found = verified(original)
    outcomes = [cell.outcome for cell in found.cells]
    assert outcomes == [
        Outcome.SAME,
        Outcome.UNCHECKED,  # nothing is left of it
        Outcome.SAME,
        Outcome.DIFFERENT,
        Outcome.UNCHECKED,  # random
        Outcome.UNCHECKED,  # how a module is described
        Outcome.RAISED,
        Outcome.RAISED,
    ]
    assert "random numbers" in found.cells[4].detail
    assert not found.agrees
    cells = read(port).cells
    assert [("verified" in cell.metadata.torchferry) for cell in cells] == [
        outcome is Outcome.SAME for outcome in outcomes
    ]
    stamp = cells[2].metadata.torchferry.verified
    assert stamp["at"] and stamp["torchferry"] and stamp["paddle"]
    assert "Tensor(shape=[2]" in cells[2].outputs[0].text


def test_a_cell_that_changed_since_wants_another_look(saved: Callable[..., Path]) -> None:
    original = saved("import torch", "x = torch.ones(1)", "x + 1", "x + 2")
    port, found = verified(original)
    assert found.agrees and not found.changed
    ours, theirs = read(original), read(port)
    ours.cells[2].source = "x + 10"
    theirs.metadata["kernelspec"] = {"name": "elsewhere", "display_name": "Not installed here"}
    theirs.cells[3].source = "x + 20"
    write(ours, original)
    write(theirs, port)
    found = verify_notebook(original, port)
    assert [str(one) for one in found.changed] == [
        "cell 3: changed in the original",
        "cell 4: changed in the port",
    ]
    assert [cell.outcome for cell in found.cells[2:]] == [Outcome.UNCHECKED, Outcome.DIFFERENT]
    assert "verified" not in read(port).cells[2].metadata.torchferry
    assert "must be checked again: cell 4: changed in the port" in str(found)


def test_the_users_folder_and_terminal_stay_clean(
    tmp_path: Path,
    saved: Callable[..., Path],
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "mine.py").write_text("def two():\n    return 2\n")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    original = saved(
        "import torch\nfrom mine import two",
        "two() + torch.ones(1).item()",
        "torch.device('cpu'), torch.device('cuda:1')",
        "torch.rand(1)  # with other numbers: the port runs twice",
        "!ls\n!echo done",
    )
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE")
    port = port_notebook(original, order_for(original)).notebook
    monkeypatch.setattr(logging.getLogger(), "level", logging.INFO)  # as an import of Paddle may
    handler = logging.StreamHandler()
    logging.getLogger().addHandler(handler)
    capfd.readouterr()
    found = verify_notebook(original, port)
    logging.getLogger().removeHandler(handler)
    assert not list(original.parent.rglob("*.pyc"))
    assert capfd.readouterr().err == ""
    assert [cell.outcome for cell in found.cells] == [
        Outcome.SAME,
        Outcome.SAME,
        Outcome.SAME,
        Outcome.UNCHECKED,  # random
        Outcome.UNCHECKED,  # commands
    ]
    assert found.cells[4].detail == "the output of commands is not compared"


def test_a_kernel_that_dies_is_one_message(
    saved: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    original = saved("import torch", "x = torch.ones(1)")
    port = port_notebook(original, order_for(original)).notebook
    edited = read(port)
    edited.cells[1].source = "import os\nos._exit(1)"
    write(edited, port)
    with pytest.raises(TorchferryError, match=r"n_paddle\.ipynb: Kernel died in cell 2$"):
        verify_notebook(original, port)
    (original.parent / "ipykernel_launcher.py").write_text("raise SystemExit('no kernel here')\n")
    monkeypatch.setenv("PYTHONPATH", str(original.parent))
    with pytest.raises(TorchferryError, match=r"(?s)n_paddle\.ipynb: .*\n    no kernel here$"):
        verify_notebook(original, port)


def test_a_notebook_that_is_no_port_is_refused(saved: Callable[..., Path]) -> None:
    original = saved("x = 1")
    with pytest.raises(TorchferryError, match="torchferry port writes one"):
        verify_notebook(original, original)
