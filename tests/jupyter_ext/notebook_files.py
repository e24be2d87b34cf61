"""Notebooks made, read, written and run: only here, since importing nbformat takes seconds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nbformat import NotebookNode


def notebook(*sources: str) -> NotebookNode:
    """Return a notebook of code cells."""
    from nbformat import v4

    made: NotebookNode = v4.new_notebook(cells=[v4.new_code_cell(source) for source in sources])
    return made


def titled(title: str, *sources: str) -> NotebookNode:
    """Return the same below a cell of Markdown."""
    from nbformat import v4

    made = notebook(*sources)
    made.cells.insert(0, v4.new_markdown_cell(title))
    return made


def stream(text: str) -> NotebookNode:
    """Return a text as an output of a cell that printed it."""
    from nbformat import v4

    return v4.new_output("stream", text=text)


def read(path: Path) -> NotebookNode:
    """Return the notebook in a file."""
    import nbformat

    return nbformat.read(path, as_version=4)


def write(made: NotebookNode, path: Path) -> None:
    """Write a notebook to a file."""
    import nbformat

    nbformat.write(made, path)


def execute_in(
    folder: Path | None, *sources: str, allow_errors: bool = False
) -> list[NotebookNode]:
    """Return the code cells after a fresh kernel, in this folder if there is one, has run them."""
    from nbclient import NotebookClient

    made = notebook(*sources)
    places = {"metadata": {"path": str(folder)}} if folder else {}
    NotebookClient(made, timeout=120, allow_errors=allow_errors, resources=places).execute()
    return list(made.cells)
