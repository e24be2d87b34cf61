"""Notebooks run in a kernel of their own."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbench.errors import TorchferryError


@dataclass(frozen=True, slots=True)
class Result:
    """Result of running a code cell."""

    outputs: list[Any]
    count: int | None


@dataclass(frozen=True, slots=True)
class Run:
    """A whole run; `facts` is what the code after the cells printed as JSON."""

    cells: list[Result]
    facts: dict[str, Any] = field(default_factory=dict)


def parsed(text: str, name: Path) -> Any:
    """A notebook as `nbformat` has it.

    Raises:
        TorchferryError: it is not a notebook, or nbclient is missing.
    """
    try:
        import nbclient  # noqa: F401
        import nbformat
    except ImportError as error:
        said = f"{error.name} is not installed; run: pip install 'torchferry[lab]'"
        raise TorchferryError(said) from error
    formats: Any = nbformat
    try:
        return formats.reads(text, as_version=4)
    except (ValueError, formats.reader.NotJSONError) as error:
        raise TorchferryError(f"{name}: {error}") from error


def execute(notebook: Any, folder: Path) -> None:
    """Run all cells in a folder, those after one that raises as well.

    The notebook's own kernel runs them, or Python's if that is not installed here.
    """
    import nbclient
    from jupyter_client.kernelspec import find_kernel_specs

    named = notebook.metadata.get("kernelspec", {}).get("name")
    own: Any = {} if named in find_kernel_specs() else {"kernel_name": "python3"}
    places = {"metadata": {"path": str(folder.resolve())}}
    client = nbclient.NotebookClient(
        notebook, timeout=None, allow_errors=True, resources=places, **own
    )
    # In a thread: a kernel's own event loop may be running here.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(client.execute).result()


def run_cells(text: str, place: Path, *, before: str = "", after: str = "") -> Run:
    """Run a notebook's code cells, and code of ours before and after them, in its folder.

    Raises:
        TorchferryError: it is not a notebook, or nbclient is missing.
    """
    notebook = parsed(text, place)
    from nbformat import v4

    make: Any = v4.new_code_cell
    own = notebook.cells
    notebook.cells = [make(before), *own, make(after)]
    try:
        execute(notebook, place.parent)
    except RuntimeError as error:  # a kernel that died, or that does not start
        raise TorchferryError(f"{place}: {error}") from error
    results = [
        Result([dict(output) for output in cell.outputs], cell.execution_count)
        for cell in own
        if cell.cell_type == "code"
    ]
    facts: dict[str, Any] = {}
    with suppress(ValueError, IndexError, AttributeError):
        facts = json.loads(notebook.cells[-1].outputs[0].text)
    return Run(results, facts)
