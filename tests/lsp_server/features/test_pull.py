"""Clients that ask for diagnostics get them when they ask, and no others."""

from __future__ import annotations

import asyncio

import pytest
from lsp_session import Session
from lsprotocol import types
from pygls.exceptions import JsonRpcException

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


def test_a_client_asks_again_where_the_text_changed_meanwhile(bare: Session) -> None:
    """VS Code shows no problems at all after any other error."""
    bare.initialize(["utf-16"], pulls=True)
    text = "import torch\n" + "y = torch.relu(torch.zeros(2, 3))\n" * 2000
    bare.open(URI, text)
    other = types.TextDocumentIdentifier("file:///w/never-opened.py")

    async def change_meanwhile() -> None:
        asked = bare.client.text_document_diagnostic_async(
            types.DocumentDiagnosticParams(types.TextDocumentIdentifier(URI))
        )
        answer = asyncio.ensure_future(asked)
        begun = types.HoverParams(other, types.Position(0, 0))
        await bare.client.text_document_hover_async(begun)  # the work is on its thread by then
        bare.change(URI, 2, ((0, 0, 0, 0), "# first\n"))
        await answer

    with pytest.raises(JsonRpcException) as caught:
        bare.run(change_meanwhile())
    assert caught.value.code == types.LSPErrorCodes.ServerCancelled
    assert caught.value.data == {"retriggerRequest": True}
    assert full(ask(bare, URI)).items


def test_others_are_sent_them(bare: Session) -> None:
    assert bare.initialize(["utf-16"]).capabilities.diagnostic_provider is None
    bare.open(URI, TEXT)
    assert bare.diagnostics(URI)
