"""Typing in the cells of a large notebook with a client that cancels its requests."""

from __future__ import annotations

import random

import pytest
from lsp_session import Session
from lsprotocol import types

from tests.lsp_server.test_cancelled_requests import BLOCK, IMPORTS, ask_and_cancel, shown

PIECES = [
    "aa = torch.sub(x, y)\n",
    "\n",
    "# é😀\n",
    "(\n",
    "!ls\n",
    "%%bash\n",
    "z = torch.abs(b)\n",
]


def cell(book: str, number: int) -> str:
    return f"vscode-notebook-cell:/w/{book}.ipynb#{number}"


def open_book(session: Session, book: str, sources: list[str]) -> None:
    cells = [
        types.NotebookCell(types.NotebookCellKind.Code, cell(book, number))
        for number in range(len(sources))
    ]
    items = [
        types.TextDocumentItem(cell(book, number), "python", 1, source)
        for number, source in enumerate(sources)
    ]
    document = types.NotebookDocument(f"file:///w/{book}.ipynb", "jupyter-notebook", 1, cells)
    session.client.notebook_document_did_open(types.DidOpenNotebookDocumentParams(document, items))


def close_book(session: Session, book: str, count: int) -> None:
    session.client.notebook_document_did_close(
        types.DidCloseNotebookDocumentParams(
            types.NotebookDocumentIdentifier(f"file:///w/{book}.ipynb"),
            [types.TextDocumentIdentifier(cell(book, number)) for number in range(count)],
        )
    )


def type_in(session: Session, number: int, version: int, text: str) -> None:
    """Replace the text of a cell."""
    content = types.NotebookDocumentCellContentChanges(
        types.VersionedTextDocumentIdentifier(version, cell("typed", number)),
        [types.TextDocumentContentChangeWholeDocument(text)],
    )
    session.client.notebook_document_did_change(
        types.DidChangeNotebookDocumentParams(
            types.VersionedNotebookDocumentIdentifier(version, "file:///w/typed.ipynb"),
            types.NotebookDocumentChangeEvent(
                cells=types.NotebookDocumentCellChanges(text_content=[content])
            ),
        )
    )


def type_and_compare(session: Session, count: int, edits: int, seed: int) -> None:
    rng = random.Random(seed)
    sources = [IMPORTS, *(BLOCK.replace("{n}", str(number)) for number in range(count))]
    open_book(session, "typed", sources)
    session.diagnostics(cell("typed", count))
    for version in range(2, edits + 2):
        number = rng.randrange(1, len(sources))
        lines = sources[number].splitlines(keepends=True)
        at = rng.randint(0, len(lines))
        kept = lines[at + 1 :] if rng.random() < 0.5 else lines[at:]
        sources[number] = "".join([*lines[:at], rng.choice(PIECES), *kept])
        type_in(session, number, version, sources[number])
        ask_and_cancel(session, cell("typed", number), rng)
        if version % 10 == 0:
            session.diagnostics(cell("typed", number), version)
            open_book(session, "fresh", sources)
            session.diagnostics(cell("fresh", count))
            for place in range(len(sources)):
                typed, fresh = (session.published[cell(book, place)] for book in ("typed", "fresh"))
                found = shown(typed[-1].diagnostics), shown(fresh[-1].diagnostics)
                assert found[0] == found[1], f"seed {seed}, edit {version}, cell {place}"
            close_book(session, "fresh", len(sources))
            for place in range(len(sources)):
                session.published.pop(cell("fresh", place), None)
    close_book(session, "typed", len(sources))


@pytest.mark.timeout(600)
def test_findings_of_cells_follow_the_text(bare: Session, seed: int) -> None:
    bare.initialize(["utf-16"])
    type_and_compare(bare, 60, 30, seed)


@pytest.mark.thorough
@pytest.mark.timeout(3600)
def test_findings_of_cells_follow_the_text_for_hours(bare: Session) -> None:
    bare.initialize(["utf-16"])
    type_and_compare(bare, 120, 1000, 7)
