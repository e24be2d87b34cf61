"""Cells are one program: what the first one imports, the others use."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsp_session import Session, apply, edits_of, span
from lsprotocol import types
from pygls.exceptions import JsonRpcException

BOOK = "file:///w/book.ipynb"


def cell(number: int) -> str:
    return f"vscode-notebook-cell:/w/book.ipynb#{number}"


def open_book(session: Session, *sources: str) -> None:
    cells = [
        types.NotebookCell(types.NotebookCellKind.Code, cell(number))
        for number, _ in enumerate(sources)
    ]
    items = [
        types.TextDocumentItem(cell(number), "python", 1, source)
        for number, source in enumerate(sources)
    ]
    session.client.notebook_document_did_open(
        types.DidOpenNotebookDocumentParams(
            types.NotebookDocument(BOOK, "jupyter-notebook", 1, cells), items
        )
    )


def change_book(session: Session, change: types.NotebookDocumentCellChanges) -> None:
    session.client.notebook_document_did_change(
        types.DidChangeNotebookDocumentParams(
            types.VersionedNotebookDocumentIdentifier(2, BOOK),
            types.NotebookDocumentChangeEvent(cells=change),
        )
    )


def change_text(session: Session, number: int, version: int, text: str) -> None:
    change_book(
        session,
        types.NotebookDocumentCellChanges(
            text_content=[
                types.NotebookDocumentCellContentChanges(
                    types.VersionedTextDocumentIdentifier(version, cell(number)),
                    [types.TextDocumentContentChangeWholeDocument(text)],
                )
            ]
        ),
    )


def test_a_cell_knows_what_the_ones_before_it_imported(session: Session) -> None:
    open_book(session, "import torch", "%matplotlib inline\nx = torch.zeros(3)", "torch.abs(x)")
    assert session.diagnostics(cell(0)) == []
    [second] = session.diagnostics(cell(1))
    assert second.range == span(1, 4, 1, 15)
    [third] = session.diagnostics(cell(2))
    assert third.range == span(0, 0, 0, 9)


def test_a_change_in_one_cell_is_seen_in_another(session: Session) -> None:
    open_book(session, "import torch as t", "x = t.zeros(3)")
    assert session.diagnostics(cell(1))
    session.published.clear()
    change_text(session, 0, 2, "import numpy as t")
    assert session.await_published(cell(1), lambda params: not params.diagnostics)


def test_a_fix_changes_its_cell_and_imports_where_imports_are(session: Session) -> None:
    sources = ["import torch", "%%convert\nx = torch.zeros(3)  # kept"]
    open_book(session, *sources)
    [found] = session.diagnostics(cell(1))
    action = session.actions(cell(1), found.range, only=["quickfix"])[0]
    resolved = session.resolve(action)
    assert resolved.edit and resolved.edit.document_changes
    after = edited(sources, resolved.edit)
    assert after[0] == "import paddle"
    assert after[1].startswith("%%convert\nx = paddle.zeros(") and after[1].endswith("  # kept")


def edited(sources: list[str], edit: types.WorkspaceEdit) -> list[str]:
    """Return the cells after an edit."""
    after = list(sources)
    for change in edit.document_changes or ():
        assert isinstance(change, types.TextDocumentEdit)
        number = int(change.text_document.uri.partition("#")[2])
        one = types.CodeAction("", edit=types.WorkspaceEdit(document_changes=[change]))
        after[number] = apply(after[number], edits_of(one))
    return after


def test_one_cell_is_converted_or_all(session: Session) -> None:
    sources = [
        "import torch",
        "x = torch.zeros(3)  # kept",
        "y = torch.abs(torch.no_such_thing(x))",
    ]
    open_book(session, *sources)
    session.diagnostics(cell(2))
    summary = session.command("convertCells", cell(1), False)
    assert summary == "Converted 1 use of torch in this cell."
    assert edited(sources, session.edits[-1]) == [
        "import paddle\nimport torch",
        "x = paddle.zeros(3)  # kept",
        sources[2],
    ]
    summary = session.command("convertCells", cell(0), True)
    assert summary.startswith("Converted 2 uses of torch in the notebook; ")
    assert summary.endswith("1 not converted: torch.no_such_thing (no rule yet).")
    whole = edited(sources, session.edits[-1])
    assert "paddle.abs(torch.no_such_thing(x))" in whole[2] and "TF201" in whole[2]
    assert len(session.edits) == 2
    summary = session.command("convertCells", cell(0), False)
    assert summary == "Converted no uses of torch in this cell." and len(session.edits) == 2

    session.applies = False
    with pytest.raises(JsonRpcException, match="changed in the meantime"):
        session.command("convertCells", cell(1), False)
    with pytest.raises(JsonRpcException, match="not a Python cell"):
        session.command("convertCells", cell(7), False)


def test_cells_come_go_and_change_places(session: Session) -> None:
    open_book(session, "x = torch.zeros(3)", "import torch", "y = torch.zeros(4)")
    assert session.diagnostics(cell(2))
    new = types.NotebookCell(types.NotebookCellKind.Code, cell(9))
    change_book(
        session,
        types.NotebookDocumentCellChanges(
            structure=types.NotebookDocumentCellChangeStructure(
                types.NotebookCellArrayChange(0, 1, [new]),
                did_open=[types.TextDocumentItem(cell(9), "python", 1, "import json")],
                did_close=[types.TextDocumentIdentifier(cell(0))],
            )
        ),
    )
    gone = session.await_published(cell(0), lambda params: params.version is None)
    assert not gone.diagnostics
    assert session.diagnostics(cell(9)) == []
    session.client.notebook_document_did_close(
        types.DidCloseNotebookDocumentParams(
            types.NotebookDocumentIdentifier(BOOK),
            [types.TextDocumentIdentifier(cell(number)) for number in (9, 1, 2)],
        )
    )
    session.await_published(cell(2), lambda params: params.version is None)
    assert session.hover(cell(2), 0, 6) is None


def test_markdown_and_other_languages_are_no_part_of_it(session: Session) -> None:
    open_book(session, "import torch", "x = torch.zeros(3)")
    session.diagnostics(cell(1))
    change_book(
        session,
        types.NotebookDocumentCellChanges(
            data=[types.NotebookCell(types.NotebookCellKind.Markup, cell(0))]
        ),
    )
    assert session.await_published(cell(1), lambda params: not params.diagnostics)
    assert session.hover(cell(0), 0, 8) is None


def test_a_fix_in_a_cell_puts_its_helper_into_the_module_next_to_the_notebook(
    bare: Session, tmp_path: Path
) -> None:
    bare.initialize(["utf-16"], creates=True, options={"style": "exact"})
    book = (tmp_path / "book.ipynb").as_uri()
    first = f"vscode-notebook-cell:{tmp_path}/book.ipynb#1"
    text = "import torch\nx: torch.Tensor = torch.ones(2)\nx.max(0)"
    bare.client.notebook_document_did_open(
        types.DidOpenNotebookDocumentParams(
            types.NotebookDocument(
                book,
                "jupyter-notebook",
                1,
                [types.NotebookCell(types.NotebookCellKind.Code, first)],
            ),
            [types.TextDocumentItem(first, "python", 1, text)],
        )
    )
    [action] = bare.actions(first, span(0, 0, 2, 8), only=["source.fixAll.torchferry"])
    edit = bare.resolve(action).edit
    assert edit and edit.document_changes
    created, filled, own = edit.document_changes
    assert isinstance(created, types.CreateFile)
    assert created.uri == (tmp_path / "torchferry_helpers.py").as_uri()
    assert "def torch_max(" in apply("", filled.edits)
    changed = apply(text, own.edits)
    assert "from torchferry_helpers import torch_max\n" in changed
    assert "def torch_max" not in changed
