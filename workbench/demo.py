"""The guided tour without a screen: `python -m workbench.demo`, or `make demo`.

It runs `examples/tour.ipynb` in a new kernel, prints every comparison, and writes the executed
notebook and an HTML report to `build/`. The exit code is 0 only if all comparisons hold.
"""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.panel import Panel
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from nbformat import NotebookNode

_ROOT = Path(__file__).resolve().parent.parent
_SECONDS_PER_CELL = 300
_MOST_LINES = 16
_FACTS = "application/vnd.torchferry.comparison+json"


@dataclass(frozen=True, slots=True)
class Cell:
    """The result of one converted cell."""

    number: int
    title: str
    facts: dict[str, Any] | None
    text: str
    error: str = ""

    @property
    def holds(self) -> bool:
        """Return whether the cell ran and all its values are equal."""
        return not self.error and self.facts is not None and bool(self.facts["same"])


def main() -> int:
    """Run the tour; return 0 if all comparisons hold, 1 if not, 2 if it could not run."""
    console = Console()
    tour = _ROOT / "examples" / "tour.ipynb"
    try:
        import_module("nbclient")
        nbformat = import_module("nbformat")
    except ImportError as error:
        console.print(
            f"{error.name} is missing; install the project's extras: "
            "pip install 'torchferry[torch,paddle,lab,dev]'"
        )
        return 2
    try:
        notebook = nbformat.read(tour, as_version=4)
    except (OSError, nbformat.reader.NotJSONError) as error:
        console.print(f"{tour} cannot be read: {error}")
        return 2
    started = time.perf_counter()
    cells = _execute(notebook, tour.parent, console)
    _keep(notebook, console)
    return _summary(cells, time.perf_counter() - started, console)


def _execute(notebook: NotebookNode, folder: Path, console: Console) -> list[Cell]:
    """Run the cells in order, printing each comparison when it is available."""
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    # The two frameworks have two thread pools, which would compete for the same cores.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    # Use the kernel of this installation, not one of the same name in the user's folders.
    os.environ.setdefault("JUPYTER_PREFER_ENV_PATH", "1")
    where = {"metadata": {"path": str(folder)}}
    client = NotebookClient(notebook, timeout=_SECONDS_PER_CELL, resources=where)
    code = [(i, cell) for i, cell in enumerate(notebook.cells) if cell.cell_type == "code"]
    found: list[Cell] = []
    columns = (
        TextColumn("[bold]{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("starting the kernel", total=len(code))
        with client.setup_kernel():
            for number, (index, cell) in enumerate(code, 1):
                progress.update(task, description=_title(cell.source))
                error = ""
                try:
                    client.execute_cell(cell, index)
                except CellExecutionError as problem:
                    error = f"{problem.ename}: {problem.evalue}"
                progress.advance(task)
                if error or cell.source.startswith("%%convert"):
                    found.append(_cell(number, cell, error))
                    _print(found[-1], console)
                if error:
                    break
    return found


def _cell(number: int, cell: NotebookNode, error: str) -> Cell:
    facts, text = None, ""
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        if _FACTS in data:
            facts = data[_FACTS]
            facts = json.loads(facts) if isinstance(facts, str) else facts
            text = data.get("text/plain", "")
    return Cell(number, _title(cell.source), facts, text, error)


def _title(source: str) -> str:
    """Return the first informative line of the cell."""
    lines = [line for line in source.splitlines() if line.strip()]
    body = [line for line in lines if not line.startswith(("%", "import ", "from "))]
    title = (body or lines or [""])[0].strip()
    return title if len(title) <= 44 else title[:43] + "…"


def _print(cell: Cell, console: Console) -> None:
    style = "green" if cell.holds else "red"
    console.print(
        Panel(
            Text(_shortened(cell), no_wrap=True, overflow="ellipsis"),
            title=f"cell {cell.number}: {cell.title}",
            title_align="left",
            border_style=style,
        )
    )


def _shortened(cell: Cell) -> str:
    text = cell.error or cell.text or "no comparison came out of this cell"
    lines = text.splitlines()
    if len(lines) <= _MOST_LINES or not cell.holds:
        return text
    return "\n".join([*lines[:_MOST_LINES], f"… {len(lines) - _MOST_LINES} more lines"])


def _keep(notebook: NotebookNode, console: Console) -> None:
    """Write the executed notebook and an HTML page of it."""
    folder = _ROOT / "build"
    folder.mkdir(exist_ok=True)
    import_module("nbformat").write(notebook, folder / "tour.ipynb")
    try:
        nbconvert = import_module("nbconvert")
    except ImportError:
        console.print("nbconvert is missing: no HTML report was written")
        return
    page, _ = nbconvert.HTMLExporter().from_notebook_node(notebook)
    (folder / "tour.html").write_text(page, encoding="utf-8")
    console.print("kept: build/tour.ipynb and build/tour.html")


def _summary(cells: list[Cell], seconds: float, console: Console) -> int:
    table = Table(title="The tour, compared", title_justify="left")
    for name in ("cell", "", "values", "difference", "torch", "target", "outcome"):
        words = name in ("", "outcome")
        # If the line is too short, the code is shortened instead of the numbers.
        width = None if name else max(12, min(44, console.width - 66))
        table.add_column(
            name,
            justify="left" if words else "right",
            no_wrap=True,
            overflow="ellipsis",
            max_width=width,
        )
    for cell in cells:
        facts = cell.facts or {}
        table.add_row(
            str(cell.number),
            cell.title,
            str(facts.get("values", "")),
            f"{facts['max_rel']:.1e}" if facts.get("values") else "",
            f"{facts['torch_seconds'] * 1e3:.0f} ms" if facts else "",
            f"{facts['target_seconds'] * 1e3:.0f} ms" if facts else "",
            "[green]same" if cell.holds else f"[red]{'failed' if cell.error else 'different'}",
        )
    console.print(table)
    holding = sum(cell.holds for cell in cells)
    console.print(f"{holding} of {len(cells)} comparisons hold, in {seconds:.0f} s")
    return 0 if cells and holding == len(cells) else 1


if __name__ == "__main__":
    sys.exit(main())
