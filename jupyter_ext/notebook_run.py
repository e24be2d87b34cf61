"""A notebook run cell by cell on both sides, in a separate kernel."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jupyter_ext.display.output import FACTS
from jupyter_ext.errors import ConvertError
from jupyter_ext.installed import ROOT, installed_only
from workbench import files
from workbench.errors import TorchferryError

# The running extension, not a module of its name next to the notebook.
_LOAD = f"""\
import sys
sys.path.insert(0, {ROOT!r})
%load_ext jupyter_ext
sys.path.remove({ROOT!r})
del sys
"""


@dataclass(frozen=True, slots=True)
class CellOutcome:
    """The result of one code cell: `same` is None if it ran unchanged."""

    number: int
    first: str
    same: bool | None
    detail: str


def run_notebook(
    notebook: Path, target: str, style: str | None = None, init: str | None = None
) -> list[CellOutcome]:
    """Run every code cell by `%%convert`; cells in another language run unchanged.

    Raises:
        ConvertError: it is not a notebook, no program here can run one, or its kernel died.
    """
    try:
        with installed_only():
            from nbformat import v4

            from workbench.verify.notebook_kernel import execute, parsed

            read = parsed(files.read(notebook).decode("utf-8", "replace"), notebook)
    except ImportError as error:
        message = f"{error.name} is not installed: pip install 'torchferry[lab]'"
        raise ConvertError(message) from None
    except TorchferryError as error:
        raise ConvertError(str(error)) from None
    make: Any = v4.new_code_cell
    options = f"--to {target}"
    options += f" --style {style}" if style else ""
    options += f" --init {init}" if init else ""
    for cell in read.cells:
        if cell.cell_type == "code" and cell.source.strip() and not _is_magic(cell.source):
            cell.source = f"%%convert {options} --show findings --added\n{cell.source}"
    read.cells.insert(0, make(_LOAD))
    try:
        execute(read, notebook)
    except TorchferryError as error:
        raise ConvertError(str(error)) from None
    return list(_outcomes(read.cells[1:]))


def as_lines(outcomes: list[CellOutcome]) -> str:
    """Return the outcomes as a table, one cell a line, and their sum."""
    compared = [outcome for outcome in outcomes if outcome.same is not None]
    same = sum(outcome.same is True for outcome in compared)
    marks = {True: "same", False: "DIFFERS", None: "-"}
    lines = [
        f"{outcome.number:>4}  {marks[outcome.same]:<8} {outcome.first[:40]:<40}  {outcome.detail}"
        for outcome in outcomes
    ]
    return "\n".join([*lines, f"{same} of {len(compared)} cells agree on both sides"])


def _is_magic(source: str) -> bool:
    return source.lstrip().startswith("%%")


def _outcomes(cells: list[Any]) -> Iterator[CellOutcome]:
    for number, cell in enumerate(cells, 1):
        if cell.cell_type != "code" or not cell.source.strip():
            continue
        head, _, body = cell.source.partition("\n")
        own = head.startswith("%%convert")
        first = next((line for line in (body if own else cell.source).splitlines() if line), "")
        facts = [o.data[FACTS] for o in cell.outputs if FACTS in o.get("data", {})]
        errors = [f"{o.ename}: {o.evalue}" for o in cell.outputs if o.output_type == "error"]
        if facts:
            yield CellOutcome(number, first, facts[-1]["same"], facts[-1]["headline"])
        elif own:
            # A usage error is printed, not raised as an exception with a trace.
            printed = errors or [o.text for o in cell.outputs if o.get("name") == "stderr"]
            yield CellOutcome(number, first, False, " ".join(printed).strip() or "it did not run")
        else:
            yield CellOutcome(number, first, None, " ".join(errors) or "ran unchanged")
