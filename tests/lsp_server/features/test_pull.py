"""Clients that ask for diagnostics get them when they ask, and no others."""

from __future__ import annotations

from lsp_session import Session
from lsprotocol import types

URI = "file:///w/a.py"
TEXT = "import torch\n\nx = torch.relu(torch.zeros(2, 3))\n"


def ask(session: Session, uri: str, known: str | None = None) -> object:
    return session.run(
        session.client.text_document_diagnostic_async(
            types.DocumentDiagnosticParams(
                types.TextDocumentIdentifier(uri), previous_result_id=known
            )
        )
    )


def full(answer: object) -> types.RelatedFullDocumentDiagnosticReport:
    assert isinstance(answer, types.RelatedFullDocumentDiagnosticReport)
    return answer


def test_the_same_as_is_pushed_to_others(bare: Session) -> None:
    able = bare.initialize(["utf-16"], pulls=True).capabilities
    assert able.diagnostic_provider
    bare.open(URI, TEXT)
    first = full(ask(bare, URI))
    assert first.items
    assert isinstance(
        ask(bare, URI, first.result_id), types.RelatedUnchangedDocumentDiagnosticReport
    )
    bare.change(URI, 2, ((0, 0, 0, 0), "# first\n"))
    second = full(ask(bare, URI, first.result_id))
    assert [each.range.start.line for each in second.items] == [
        each.range.start.line + 1 for each in first.items
    ]
    assert full(ask(bare, "file:///w/never-opened.py")).items == ()
    assert not bare.published


def test_others_are_sent_them(bare: Session) -> None:
    assert bare.initialize(["utf-16"]).capabilities.diagnostic_provider is None
    bare.open(URI, TEXT)
    assert bare.diagnostics(URI)
