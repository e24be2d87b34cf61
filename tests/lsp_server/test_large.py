"""Large programs are reported as such, and delay no other program."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

if TYPE_CHECKING:
    from lsp_session import Session

URI = "file:///w/a.py"
LARGE = "file:///w/large.py"
TEXT = "import torch\n\nx = torch.relu(torch.zeros(2, 3))\n"
LINE = "y = torch.relu(torch.zeros(2, 3)).view(-1)\n"


def test_a_file_that_is_too_large_is_reported_once(session: Session) -> None:
    text = "import torch\n" + LINE * 25_000  # 1 MB
    session.open(LARGE, text)
    [finding] = session.diagnostics(LARGE)
    assert (
        finding.range.start.line == 0 and finding.severity == types.DiagnosticSeverity.Information
    )
    assert "500,000" in finding.message and "torchferry convert" in finding.message
    assert session.actions(LARGE, types.Range(types.Position(1, 4), types.Position(1, 4))) == []
    with pytest.raises(JsonRpcException, match="500,000"):
        session.command("preview", LARGE)
    session.change(LARGE, 2, "import torch\n" + LINE)
    assert len(session.diagnostics(LARGE, 2)) == 3


def test_a_large_file_without_torch_is_nobody_s_matter(session: Session) -> None:
    session.open(LARGE, "x = 1\n" * 100_000)
    assert session.diagnostics(LARGE) == []


def test_a_notebook_s_cells_count_together(session: Session) -> None:
    cells = [f"file:///w/n.ipynb#{number}" for number in range(2)]
    session.client.notebook_document_did_open(
        types.DidOpenNotebookDocumentParams(
            types.NotebookDocument(
                "file:///w/n.ipynb",
                "jupyter-notebook",
                1,
                [types.NotebookCell(types.NotebookCellKind.Code, each) for each in cells],
            ),
            [
                types.TextDocumentItem(each, "python", 1, "import torch\n" + LINE * 7_000)
                for each in cells
            ],
        )
    )
    [finding] = session.diagnostics(cells[0])
    assert finding.code == "TF001"
    assert session.diagnostics(cells[1]) == []


def test_a_long_cell(session: Session) -> None:
    cell = "file:///w/m.ipynb#1"
    session.client.notebook_document_did_open(
        types.DidOpenNotebookDocumentParams(
            types.NotebookDocument(
                "file:///w/m.ipynb",
                "jupyter-notebook",
                1,
                [types.NotebookCell(types.NotebookCellKind.Code, cell)],
            ),
            [types.TextDocumentItem(cell, "python", 1, "import torch\n" + LINE * 5_000)],
        )
    )
    assert len(session.diagnostics(cell)) == 15_000


def test_nobody_waits_for_another_file(session: Session) -> None:
    session.open(URI, TEXT)
    session.diagnostics(URI)
    session.open(LARGE, "import torch\n" + LINE * 5_000)
    assert "torch.relu" in (session.hover(URI, 2, 8) or "")
    session.change(URI, 2, TEXT + "y = torch.abs(x)\n")
    assert "torch.abs" in (session.hover(URI, 3, 8) or "")
    assert not session.published[LARGE]  # it is still being checked
    assert len(session.diagnostics(LARGE)) == 15_000
    assert "torch.zeros" in (session.hover(LARGE, 4_000, 18) or "")
