"""Edits of a program as the protocol's, in the documents that they concern."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lsprotocol import types

from lsp_server import workers

if TYPE_CHECKING:
    from lsp_server.features.code_actions.helper_module import Edits
    from lsp_server.session import Session
    from lsp_server.workspace.documents import Document, Program
    from workbench.findings import Edit


def workspace_edit(
    session: Session, program: Program, edits: Sequence[Edit], more: Edits = ()
) -> types.WorkspaceEdit:
    """Return the edits as the client can take them: versioned, or plain.

    Args:
        session: knows what the client can take.
        program: the program.
        edits: of its text.
        more: edits of other files, which only a client that takes versioned ones gets.
    """
    by_document: dict[Document, list[types.TextEdit]] = {}
    for edit in edits:
        place = program.locate(edit.range, edit.text)
        if place is None:
            raise workers.failed(
                "A statement extends over several cells; convert each cell separately."
            )
        where = session.encoding.encode_range(place.document.lines, place.range)
        by_document.setdefault(place.document, []).append(types.TextEdit(where, place.text))
    if not session.versions_edits:
        return types.WorkspaceEdit(
            changes={document.uri: texts for document, texts in by_document.items()}
        )
    own = [
        types.TextDocumentEdit(
            types.OptionalVersionedTextDocumentIdentifier(
                uri=document.uri, version=document.version
            ),
            list(texts),
        )
        for document, texts in by_document.items()
    ]
    return types.WorkspaceEdit(document_changes=[*more, *own])
