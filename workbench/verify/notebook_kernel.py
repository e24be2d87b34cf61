"""Notebooks run in a kernel of their own."""

from __future__ import annotations

import atexit
import json
import logging
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from workbench.errors import TorchferryError

_LAST_LINES = 8
# A framework that is imported here may print every log; errors are raised as well.
_LOG = logging.getLogger(f"{__name__}.client")
_LOG.setLevel(logging.CRITICAL)


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
        message = f"{error.name} is not installed; run: pip install 'torchferry[lab]'"
        raise TorchferryError(message) from error
    formats: Any = nbformat
    try:
        return formats.reads(text, as_version=4)
    except (ValueError, formats.reader.NotJSONError) as error:
        raise TorchferryError(f"{name}: {error}") from error


def execute(notebook: Any, place: Path) -> None:
    """Run all cells of a notebook in the folder of its file, those after one that raises as well.

    The first cell is ours, and the second is the notebook's cell 1.

    The notebook's own kernel runs them, or Python's if that is not installed here. It compiles no
    module into the folder, and its log is not shown.

    Raises:
        TorchferryError: the kernel died, or did not start; with the end of its log.
    """
    import nbclient
    from jupyter_client.kernelspec import find_kernel_specs

    named = notebook.metadata.get("kernelspec", {}).get("name")
    own: Any = {} if named in find_kernel_specs() else {"kernel_name": "python3"}
    places = {"metadata": {"path": str(place.parent.resolve())}}
    begun = [0]
    client = nbclient.NotebookClient(
        notebook,
        timeout=None,
        allow_errors=True,
        resources=places,
        on_cell_execute=lambda cell, cell_index: begun.append(cell_index),
        log=_LOG,
        **own,
    )
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    # In a thread: a kernel's own event loop may be running here.
    with ThreadPoolExecutor(1) as pool, tempfile.TemporaryFile() as log:
        try:
            pool.submit(client.execute, env=environment, stderr=log).result()
        except RuntimeError as error:
            atexit.unregister(client._cleanup_kernel)  # it fails for a kernel that is gone
            where = f" in cell {begun[-1]}" if begun[-1] else ""
            raise TorchferryError(f"{place}: {error}{where}{_end_of(log)}") from error


def _end_of(log: IO[bytes]) -> str:
    """Return the last lines that a kernel's process printed, except the log of ipykernel."""
    log.seek(0)
    lines = log.read().decode("utf-8", "replace").splitlines()
    printed = [line for line in lines if not line.startswith("[IPKernelApp]")]
    return "".join(f"\n    {line}" for line in printed[-_LAST_LINES:])


def run_cells(text: str, place: Path, *, before: str = "", after: str = "") -> Run:
    """Run a notebook's code cells, and code of ours before and after them, in its folder.

    Raises:
        TorchferryError: it is not a notebook, nbclient is missing, or the kernel died.
    """
    notebook = parsed(text, place)
    from nbformat import v4

    make: Any = v4.new_code_cell
    own = notebook.cells
    notebook.cells = [make(before), *own, make(after)]
    execute(notebook, place)
    results = [
        Result([dict(output) for output in cell.outputs], cell.execution_count)
        for cell in own
        if cell.cell_type == "code"
    ]
    facts: dict[str, Any] = {}
    with suppress(ValueError, IndexError, AttributeError):
        facts = json.loads(notebook.cells[-1].outputs[0].text)
    return Run(results, facts)
