"""torch's side of a cell that has no other side."""

from __future__ import annotations

import ast
from collections.abc import MutableMapping
from itertools import count
from typing import Any

import torch

from workbench.compare.cells.mirror import keep_source
from workbench.compare.cells.run import MemoryWatch, execute
from workbench.compare.cells.statements import run_statements
from workbench.compare.result import Comparison

cell_numbers = count(1)  # of files that Python has for cells


def run_alone(
    comparison: Comparison, text: str, filename: str | None, names: MutableMapping[str, Any]
) -> None:
    """Run a text as torch's side of a comparison without another side."""
    statements = ast.parse(text).body
    above = comparison.first_line - 1
    for statement in statements:
        ast.increment_lineno(statement, above)
    file = filename or f"<cell {next(cell_numbers)}>"
    if filename is None:
        keep_source(file, "\n" * above + text)
    with MemoryWatch() as memory:
        comparison.torch.result = execute(
            comparison.torch,
            lambda: run_statements(statements, file, names, True),
            memory,
            show=True,
            filename=file,
            line_of=lambda line: line - above,
            synchronise=synchronise,
        )


def synchronise() -> None:
    """Wait until torch's work on a GPU has finished."""
    cuda: Any = torch.cuda
    if cuda.is_initialized():
        torch.cuda.synchronize()
