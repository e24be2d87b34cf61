"""Edits of a program as the protocol's, in the documents that they concern.

Where a use is only assumed to be torch's, its edits are marked, and an editor that can asks before
it makes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from workbench.findings import Certainty

if TYPE_CHECKING:
    from lsp_server.desk import Desk
    from lsp_server.documents import Document, Program
    from workbench.findings import Edit

_ASSUMED = "assumed"
_Text = types.TextEdit | types.AnnotatedTextEdit


def workspace_edit(desk: Desk, program: Program, edits: Sequence[Edit]) -> types.WorkspaceEdit:
    """The edits as the client can take them: versioned and annotated, or plain."""
    assumed = _assumed_lines(desk, program) if desk.annotates_edits else set()
    by_document: dict[Document, list[_Text]] = {}
    for edit in edits:
        place = program.locate(edit.range, edit.text)
        if place is None:
            raise JsonRpcException(
                "This conversion reaches across cells; convert each by itself.",
                types.LSPErrorCodes.RequestFailed.value,
            )
        where = desk.encoding.encode_range(place.document.lines, place.range)
        first, last = edit.range.start.line, edit.range.end.line
        # Added lines are imports, helpers and comments: nothing is assumed about these.
        added = edit.range.start == edit.range.end and edit.range.start.column == 0
        if not added and any(line in assumed for line in range(first, last + 1)):
            text: _Text = types.AnnotatedTextEdit(_ASSUMED, where, place.text)
        else:
            text = types.TextEdit(where, place.text)
        by_document.setdefault(place.document, []).append(text)
    if not desk.versions_edits:
        # Such a client knows no annotations either: all of these are plain.
        plain = {document.uri: _plain(texts) for document, texts in by_document.items()}
        return types.WorkspaceEdit(changes=plain)
    return types.WorkspaceEdit(
        document_changes=[
            types.TextDocumentEdit(
                types.OptionalVersionedTextDocumentIdentifier(
                    uri=document.uri, version=document.version
                ),
                list(texts),
            )
            for document, texts in by_document.items()
        ],
        change_annotations=_annotations() if assumed else None,
    )


def _plain(texts: Sequence[_Text]) -> list[types.TextEdit]:
    return [text for text in texts if isinstance(text, types.TextEdit)]


def _assumed_lines(desk: Desk, program: Program) -> set[int]:
    return {
        line
        for finding in desk.findings(program)
        if finding.certainty is not Certainty.PROVED and finding.make_fix is not None
        for line in range(finding.range.start.line, finding.range.end.line + 1)
    }


def _annotations() -> dict[str, types.ChangeAnnotation]:
    return {
        _ASSUMED: types.ChangeAnnotation(
            label="Assumed to be torch's",
            needs_confirmation=True,
            description="nothing in the code proves the type of what is used here",
        )
    }
