"""The kernel's messages to the panel about all cells of a notebook."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

from jupyter_ext.outcomes import outcome_of
from jupyter_ext.panel.cells import Cells
from jupyter_ext.panel.glance import Glance, conversions


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    shell = InteractiveShell.instance()
    shell.reset(new_session=False)
    shell.run_line_magic("load_ext", "jupyter_ext")
    yield shell
    shell.run_line_magic("torchferry", "reset")
    shell.run_line_magic("unload_ext", "jupyter_ext")
    InteractiveShell.clear_instance()


def cells(**sources: str) -> Cells:
    made = Cells()
    made.change(list(sources), sources)
    return made


def state(notebook: Cells, cell: str) -> dict[str, Any]:
    return Glance().at(notebook, cell, {}, "paddle", None)


def test_cells_that_have_not_run() -> None:
    notebook = cells(
        text="import math\nhalf = math.pi / 2",
        made="import torch\na = torch.ones(2)",
        stays="model = torch.hub.load('a', 'b')",
        typed="a = (",
    )
    found = {cell: state(notebook, cell)["state"] for cell in notebook.order}
    assert found == {
        "text": "plain",
        "made": "open",
        "stays": "unconverted",
        "typed": "unreadable",
    }


def test_a_cell_is_what_it_came_to_until_it_changes(shell: InteractiveShell) -> None:
    source = "import torch\na = torch.ones(2)"
    shell.run_cell(f"%%convert --show none\n{source}", cell_id="made").raise_error()
    seen = state(cells(made=source), "made")
    assert (seen["state"], seen["difference"]) == ("same", 0.0)
    assert "1 value agrees" in seen["said"]
    assert state(cells(made=f"%%convert --seed 1\n{source}\n"), "made")["state"] == "same"
    changed = state(cells(made=f"{source}\nb = a + 1"), "made")
    assert changed["state"] == "stale"
    assert changed["said"].startswith("The cell has changed since it ran. The outcome then: Same")


def test_cells_without_a_value_are_no_cause_for_worry(shell: InteractiveShell) -> None:
    sources = {
        "imports": "import torch\nfrom torch import nn",
        "defines": "def double(x):\n    return torch.add(x, x)",
        "once": "import warnings\nwarnings.simplefilter('default', FutureWarning)",
        "clock": "import time\nstart = time.time()",
        "deletes": "del start",
        "stays": "def trace(model):\n    return torch.fx.symbolic_trace(model)",
    }
    for cell, source in sources.items():
        shell.run_cell(f"%%convert --show none\n{source}", cell_id=cell).raise_error()
    notebook = cells(**sources)
    found = {cell: state(notebook, cell)["state"] for cell in notebook.order}
    assert found == {
        "imports": "same",
        "defines": "same",
        "once": "same",
        "clock": "plain",
        "deletes": "plain",
        "stays": "unconverted",
    }
    assert state(notebook, "imports")["said"] == "Same: there is no value to compare."
    assert "trace still uses torch" in state(notebook, "stays")["said"]


def test_a_cell_that_was_ported_since_has_no_outcome(shell: InteractiveShell) -> None:
    shell.run_cell("%%convert\nimport torch\nx = torch.ones(2)", cell_id="made").raise_error()
    notebook = cells(made="import paddle\nx = paddle.ones(2)")
    found = state(notebook, "made")
    assert (found["state"], found["said"], found["torchSeconds"]) == ("plain", "", None)


def test_an_outcome_holds_no_values(shell: InteractiveShell) -> None:
    shell.run_cell("%%convert --show none\nx = [1.0]", cell_id="light").raise_error()
    known = outcome_of("light")
    assert known is not None
    assert known.shown.comparison.torch.values == {}
    assert "tf-card" in known.shown.static()["text/html"]


def test_a_magic_within_the_cell_does_not_take_its_outcome(shell: InteractiveShell) -> None:
    shell.run_cell("%%convert --show none\n%env TF_NONE=1\ny = 2.0", cell_id="setup").raise_error()
    known = outcome_of("setup")
    assert known is not None and "y = 2.0" in known.source


def test_all_cells_are_converted_as_one_program() -> None:
    notebook = cells(first="import torch", second="a = torch.ones(2)", third="print(1)")
    found = {one["cell"]: one["edits"][0]["text"] for one in conversions(notebook, "paddle", None)}
    assert set(found) == {"first", "second"}
    assert found["first"] == "import paddle"
    assert "paddle" in found["second"]
