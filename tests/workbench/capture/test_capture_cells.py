"""A model written in a notebook cell leads back to the cell."""

from __future__ import annotations

from IPython.core.interactiveshell import InteractiveShell

CELL = """\
import torch
from workbench.capture import capture

def helper(x):
    return x.cos()

class InCell(torch.nn.Module):
    def forward(self, x):
        return helper(x) + 1

graph = capture(InCell(), torch.ones(2))
"""


def test_nodes_name_the_cell_and_its_line() -> None:
    shell = InteractiveShell.instance()
    try:
        shell.run_cell("1 + 1", store_history=True)
        shell.run_cell("\n" + CELL, store_history=True).raise_error()
        graph = shell.user_ns["graph"]
        cos, add = (node.location for node in graph.calls)
        assert (cos.cell, cos.line, cos.code) == (2, 5, "return x.cos()")
        assert (add.cell, add.line) == (2, 9)
        assert str(cos) == "cell [2]:5"
    finally:
        InteractiveShell.clear_instance()
