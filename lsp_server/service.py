"""The language server: a client's connection, with the session and what belongs to both."""

from __future__ import annotations

import gc
from functools import cached_property
from typing import TYPE_CHECKING

from lsprotocol import types

from lsp_server import __version__
from lsp_server.connection.protocol import DocumentServer, TorchferryProtocol
from lsp_server.settings import WORKSPACE, Settings

if TYPE_CHECKING:
    from lsp_server.closed_files import Workspace
    from lsp_server.session import Session

_NOTEBOOKS = types.NotebookDocumentSyncOptions(
    notebook_selector=[
        types.NotebookDocumentFilterWithNotebook(
            notebook=types.NotebookDocumentFilterNotebookType("jupyter-notebook"),
            cells=[types.NotebookCellLanguage("python")],
        )
    ]
)


class TorchferryServer(DocumentServer):
    """pygls' server, with a session that does the work."""

    protocol: TorchferryProtocol

    def __init__(self) -> None:
        self._first_settings = Settings()
        self.client: types.ClientInfo | None = None
        super().__init__(
            "torchferry",
            __version__,
            notebook_document_sync=_NOTEBOOKS,
            protocol_cls=TorchferryProtocol,
        )

    @cached_property
    def session(self) -> Session:
        """The session, created after the handshake, since it loads the engine."""
        # Collecting what the protocol's types left behind makes room for the engine.
        gc.collect()
        from lsp_server.session import Session
        from lsp_server.workspace.addresses import path_of

        encoding = self.workspace.position_encoding or types.PositionEncodingKind.Utf16
        folders = [path_of(folder.uri) for folder in self.workspace.folders.values()]
        root = next((str(folder) for folder in folders if folder), None)
        able = self.client_capabilities
        return Session(self.protocol, self._first_settings, encoding, able, root)

    @cached_property
    def folders(self) -> Workspace:
        """The files that are not open."""
        from lsp_server.closed_files import Workspace

        return Workspace(self, self.session, self.protocol)

    def document_closed(self, uri: str) -> None:
        """Record that a file is no longer open."""
        if self.session.settings.diagnosticMode == WORKSPACE:
            self.folders.closed(uri)

    async def apply(self, edit: types.WorkspaceEdit) -> None:
        """Have the client apply an edit.

        Raises:
            JsonRpcException: the client does not apply it, because a document has changed.
        """
        from lsp_server.workers import failed

        params = types.ApplyWorkspaceEditParams(edit, "Convert to the target")
        done = await self.workspace_apply_edit_async(params)
        if not done.applied:
            raise failed("The document has changed in the meantime; convert it again.")

    def start_with(self, settings: Settings) -> None:
        """Remember what the client configured, until there is a session."""
        self._first_settings = settings
