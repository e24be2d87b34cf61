"""The language server: what it holds, when it works, and which requests it answers."""

from __future__ import annotations

import asyncio
import gc
import logging
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from lsp_server import actions
from lsp_server.checking import Checker
from lsp_server.diagnostics import diagnostics
from lsp_server.documents import Documents
from lsp_server.encoding import Encoding
from lsp_server.hover import finding_at, hover
from lsp_server.protocol import TorchferryProtocol
from lsp_server.settings import Settings

if TYPE_CHECKING:
    from lsp_server.documents import Program
    from workbench import Conversion
    from workbench.findings import Finding

logger = logging.getLogger(__name__)

# How long nothing must have happened before garbage is collected, and how many analyses may
# go by without such a pause.
_QUIET_SECONDS = 0.5
_MOST_UNCOLLECTED = 200


class TorchferryServer(LanguageServer):
    """pygls' server with Torchferry's state."""

    protocol: TorchferryProtocol

    def __init__(self) -> None:
        self.documents = Documents()
        self.checker = Checker()
        self.settings = Settings()
        self.resolves_actions = False
        self.versions_edits = False
        self._waiting: dict[Program, None] = {}
        self._uncollected = 0
        self._collection: asyncio.TimerHandle | None = None
        super().__init__("torchferry", _version(), protocol_cls=TorchferryProtocol)
        _register(self)

    # What the handlers ask for

    def findings(self, program: Program) -> list[Finding]:
        """What there is to say about a program as it stands."""
        return self.checker.findings(program, self.settings.target)

    def convert(self, program: Program) -> Conversion:
        """The whole program converted. Text that does not parse is declined with the reason."""
        import workbench

        try:
            return workbench.convert(program.text, target=self.settings.target)
        except workbench.TorchferryError as error:
            raise JsonRpcException(str(error), types.LSPErrorCodes.RequestFailed.value) from error

    # What happens

    def changed(self, program: Program | None) -> None:
        """Check a program as soon as the messages that are here already have been handled."""
        if program is None or not program.is_python:
            return
        if not self._waiting:
            asyncio.get_running_loop().call_soon(self._check_next)
        self._waiting[program] = None

    def closed(self, program: Program | None) -> None:
        """Clear what was said about a program."""
        if program is not None:
            self._waiting.pop(program, None)
            for document in program.documents:
                self._send_diagnostics(document.uri, None, [])

    def recheck(self) -> None:
        """Check every open program again, after a change of settings."""
        for program in self.documents.programs():
            self.changed(program)

    def warm_up(self) -> None:
        """Load the engine, which the handshake did not wait for, and keep it out of collections."""
        import workbench

        workbench.check("import torch\nx = torch.zeros(1)\n", target=self.settings.target)
        gc.collect()
        gc.freeze()

    # How the work is done

    def _check_next(self) -> None:
        loop = asyncio.get_running_loop()
        if not self._waiting:
            return
        program = next(iter(self._waiting))
        del self._waiting[program]
        if self.settings.enable:
            self.findings(program)
        # Edits that came meanwhile are handled before this runs, and supersede it.
        loop.call_soon(self._publish, program, program.revision)
        if self._waiting:
            loop.call_soon(self._check_next)
        self._collect_later()

    def _publish(self, program: Program, revision: int) -> None:
        if program.revision != revision or program in self._waiting:
            return
        if self.documents.get(program.uri) is None:
            return
        findings = self.findings(program) if self.settings.enable else []
        for document, items in diagnostics(program, findings, self.documents.encoding):
            self._send_diagnostics(document.uri, document.version, items)

    def _send_diagnostics(self, uri: str, version: int | None, items: list[dict[str, Any]]) -> None:
        params: dict[str, Any] = {"uri": uri, "diagnostics": items}
        if version is not None:
            params["version"] = version
        self.protocol.send_plain(
            {"method": types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, "params": params}
        )

    def _collect_later(self) -> None:
        self._uncollected += 1
        if self._collection:
            self._collection.cancel()
        if self._uncollected > _MOST_UNCOLLECTED:
            self._collect()
        else:
            loop = asyncio.get_running_loop()
            self._collection = loop.call_later(_QUIET_SECONDS, self._collect)

    def _collect(self) -> None:
        self._uncollected = 0
        self._collection = None
        gc.collect()


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
        ls.settings = Settings.read(params.initialization_options)
        ls.documents.encoding = Encoding(ls.workspace.position_encoding or "utf-16")
        able = params.capabilities
        action = able.text_document and able.text_document.code_action
        resolve = action and action.resolve_support
        ls.resolves_actions = bool(resolve and "edit" in resolve.properties)
        edits = able.workspace and able.workspace.workspace_edit
        ls.versions_edits = bool(edits and edits.document_changes)

    @feature(types.INITIALIZED)
    def initialized(ls: TorchferryServer, params: types.InitializedParams) -> None:
        asyncio.get_running_loop().call_soon(ls.warm_up)

    @feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def configured(ls: TorchferryServer, params: types.DidChangeConfigurationParams) -> None:
        ls.settings = Settings.read(params.settings)
        ls.recheck()

    @feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(code_action_kinds=actions.KINDS, resolve_provider=True),
    )
    def code_actions(
        ls: TorchferryServer, params: types.CodeActionParams
    ) -> list[types.CodeAction] | None:
        found = ls.documents.get(params.text_document.uri)
        return actions.offered(ls, *found, params) if found else None

    @feature(types.CODE_ACTION_RESOLVE)
    def resolve_action(ls: TorchferryServer, params: types.CodeAction) -> types.CodeAction:
        return actions.resolved(ls, params)

    @feature(types.TEXT_DOCUMENT_HOVER)
    def hover_text(ls: TorchferryServer, params: types.HoverParams) -> types.Hover | None:
        found = ls.documents.get(params.text_document.uri)
        if found is None:
            return None
        program, document = found
        at = params.position
        place = ls.documents.encoding.decode(document.lines, at.line, at.character)
        finding = finding_at(ls.findings(program), program.position(document, place))
        where = finding and program.locate(finding.range)
        if not finding or not where:
            return None
        return hover(
            program, finding, ls.documents.encoding.encode_range(document.lines, where.range)
        )
