"""A pyproject.toml in the editor: mistakes as one types, completion and hover of the settings."""

from __future__ import annotations

from lsprotocol import types

from tests.lsp_server.lsp_session import Session

URI = "file:///w/pyproject.toml"
TEXT = (
    '[tool.torchferry]\nstyl = "plain"\nstyle = ""\n\n[tool.torchferry.severities]\nTF300 = "of"\n'
)


def labels(session: Session, line: int, character: int) -> list[str]:
    at = types.Position(line, character)
    params = types.CompletionParams(types.TextDocumentIdentifier(URI), at)
    items = session.run(session.client.text_document_completion_async(params))
    assert isinstance(items, list)
    return [one.label for one in items]


def test_settings_are_checked_completed_and_explained(session: Session) -> None:
    session.open(URI, TEXT, language="toml")
    assert [one.range.start.line for one in session.diagnostics(URI)] == [1, 2, 5]
    assert "exclude" in labels(session, 3, 0) and "TF300" not in labels(session, 3, 0)
    assert labels(session, 2, 9) == ["plain", "exact"]
    assert labels(session, 5, 9) == ["hint", "information", "warning", "error", "off"]
    shown = session.hover(URI, 2, 1)
    assert shown is not None and "as an expert of the target writes it" in shown
    right = '[tool.torchferry]\nstyle = "plain"\n'
    session.change(URI, 2, right)
    assert session.diagnostics(URI, 2) == []
