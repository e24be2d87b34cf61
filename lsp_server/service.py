"""The language server: the handshake, and which requests and notifications it answers."""

from __future__ import annotations

import asyncio
import gc
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from lsp_server.protocol import Plain, TorchferryProtocol
from lsp_server.settings import Settings

if TYPE_CHECKING:
    from lsp_server.desk import Desk

FIX_ALL = "source.fixAll.torchferry"
REWRITE = "refactor.rewrite.torchferry"
ACTION_KINDS: list[types.CodeActionKind | str] = [
    types.CodeActionKind.QuickFix,
    REWRITE,
    FIX_ALL,
]


_NOTEBOOKS = types.NotebookDocumentSyncOptions(
    notebook_selector=[
        types.NotebookDocumentFilterWithNotebook(
            notebook=types.NotebookDocumentFilterNotebookType("jupyter-notebook"),
            cells=[types.NotebookCellLanguage("python")],
        )
    ]
)


class TorchferryServer(LanguageServer):
    """pygls' server, with a desk where the work is done."""

    protocol: TorchferryProtocol

    def __init__(self) -> None:
        self._first_settings = Settings()
        super().__init__(
            "torchferry",
            _version(),
            notebook_document_sync=_NOTEBOOKS,
            protocol_cls=TorchferryProtocol,
        )
        _register(self)

    @cached_property
    def desk(self) -> Desk:
        """Made when first needed, which is after the handshake: it loads the engine."""
        # What making the protocol's types left behind makes room for the engine.
        gc.collect()
        from lsp_server.desk import Desk

        encoding = self.workspace.position_encoding or types.PositionEncodingKind.Utf16
        return Desk(self.protocol, self._first_settings, encoding, self.client_capabilities)

    def start_with(self, settings: Settings) -> None:
        """Remember what the client configured, until there is a desk."""
        self._first_settings = settings


def _version() -> str:
    try:
        return version("torchferry")
    except PackageNotFoundError:  # run from a source tree
        return "0"


def _register(server: TorchferryServer) -> None:
    """Tie the requests and notifications to what answers them."""
    feature = server.feature

    @feature(types.INITIALIZE)
    def initialize(ls: TorchferryServer, params: types.InitializeParams) -> None:
        ls.start_with(Settings.read(params.initialization_options))
        able = params.capabilities.text_document
        if able and able.diagnostic:
            _register_pull(ls)

    @feature(types.INITIALIZED)
    def initialized(ls: TorchferryServer, params: types.InitializedParams) -> None:
        asyncio.get_running_loop().call_soon(lambda: ls.desk.warm_up())

    @feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def configured(ls: TorchferryServer, params: types.DidChangeConfigurationParams) -> None:
        ls.desk.configure(Settings.read(params.settings))

    @feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(code_action_kinds=ACTION_KINDS, resolve_provider=True),
    )
    def code_actions(
        ls: TorchferryServer, params: types.CodeActionParams
    ) -> list[types.CodeAction] | None:
        from lsp_server import actions

        found = ls.desk.documents.get(params.text_document.uri)
        return actions.offered(ls.desk, *found, params) if found else None

    @feature(types.CODE_ACTION_RESOLVE)
    def resolve_action(ls: TorchferryServer, params: types.CodeAction) -> types.CodeAction:
        from lsp_server import actions

        return actions.resolved(ls.desk, params)

    @feature(types.TEXT_DOCUMENT_HOVER)
    def hover_text(ls: TorchferryServer, params: types.HoverParams) -> types.Hover | None:
        return ls.desk.hover(params.text_document.uri, params.position)

    @feature(types.TEXT_DOCUMENT_CODE_LENS)
    def code_lenses(
        ls: TorchferryServer, params: types.CodeLensParams
    ) -> list[types.CodeLens] | None:
        from lsp_server.inline import lenses

        found = ls.desk.documents.get(params.text_document.uri)
        return lenses(ls.desk, *found) if found else None

    @feature(types.TEXT_DOCUMENT_INLAY_HINT)
    def inlay_hints(
        ls: TorchferryServer, params: types.InlayHintParams
    ) -> list[types.InlayHint] | None:
        from lsp_server.inline import hints

        found = ls.desk.documents.get(params.text_document.uri)
        return hints(ls.desk, *found, params.range) if found else None

    @server.command("torchferry.server.preview")
    def preview(ls: TorchferryServer, uri: str) -> dict[str, Any]:
        from lsp_server import commands

        return commands.preview(ls.desk, uri)

    @server.command("torchferry.server.convertLines")
    def convert_lines(ls: TorchferryServer, uri: str, revision: int, first: int, last: int) -> None:
        from lsp_server import commands

        edit = commands.lines_edit(ls.desk, uri, revision, first, last)
        ls.workspace_apply_edit(types.ApplyWorkspaceEditParams(edit, "Convert to the target"))

    @server.command("torchferry.server.environment")
    def environment(ls: TorchferryServer) -> dict[str, str | None]:
        from lsp_server import commands

        return commands.environment()


def _register_pull(server: TorchferryServer) -> None:
    """Answer requests for diagnostics; offered to those clients alone that make them.

    Cells of a notebook depend on each other, so a client should ask again about the others.
    """
    options = types.DiagnosticOptions(
        identifier="torchferry", inter_file_dependencies=True, workspace_diagnostics=False
    )

    @server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)
    def report(ls: TorchferryServer, params: types.DocumentDiagnosticParams) -> Plain:
        return Plain(ls.desk.report(params.text_document.uri, params.previous_result_id))
