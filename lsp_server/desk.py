"""Where the work is done: open documents come in, findings, fixes and explanations go out.

This is loaded only once the handshake with the client is over: the engine takes longer to load than
a client should have to wait for an answer.
"""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

import workbench
from lsp_server.checking import Checked, Checker
from lsp_server.diagnostics import Extras, diagnostics
from lsp_server.documents import Document, Documents, Program
from lsp_server.encoding import Encoding
from lsp_server.hazards import Hazards
from lsp_server.hover import finding_at, hover
from lsp_server.notebooks import Notebooks
from lsp_server.projects import Projects, path_of
from lsp_server.settings import Settings
from lsp_server.surroundings import Surroundings
from workbench.findings import Finding
from workbench.positions import Position

if TYPE_CHECKING:
    from pathlib import Path

    from lsp_server.protocol import TorchferryProtocol
    from workbench.convert.settings import Settings as ProjectSettings

logger = logging.getLogger(__name__)

# How long nothing must have happened before garbage is collected, and how many characters may be
# analysed without such a pause: an analysis leaves about a hundred times its text behind.
_QUIET_SECONDS = 0.2
_MOST_UNCOLLECTED = 4_000_000


def _refreshable(able: types.WorkspaceClientCapabilities | None) -> Iterator[str]:
    """The requests by which the client can be told to ask again."""
    for supported, method in (
        (able and able.diagnostics, types.WORKSPACE_DIAGNOSTIC_REFRESH),
        (able and able.code_lens, types.WORKSPACE_CODE_LENS_REFRESH),
        (able and able.inlay_hint, types.WORKSPACE_INLAY_HINT_REFRESH),
    ):
        if supported and supported.refresh_support:
            yield method


class Desk:
    """The open documents, and the work on them, one piece at a time."""

    def __init__(
        self,
        protocol: TorchferryProtocol,
        settings: Settings,
        encoding: str,
        able: types.ClientCapabilities,
        root: str | None = None,
    ) -> None:
        self.documents = Documents(Encoding(encoding))
        self.notebooks = Notebooks(self.documents)
        self.settings = settings
        action = able.text_document and able.text_document.code_action
        resolve = action and action.resolve_support
        self.resolves_actions = bool(resolve and "edit" in resolve.properties)
        edits = able.workspace and able.workspace.workspace_edit
        self.versions_edits = bool(edits and edits.document_changes)
        # A client that asks for diagnostics is not sent any unasked: it would show them twice.
        self.is_asked = bool(able.text_document and able.text_document.diagnostic)
        self._refreshable = list(_refreshable(able.workspace))
        self.annotates_edits = bool(
            self.versions_edits and edits and edits.change_annotation_support
        )
        self.extras = Extras.of(able.text_document)
        self._protocol = protocol
        self._root = root
        self._told: set[str] = set()
        self._checker = Checker(self.tell)
        self._hazards = Hazards()
        self._surroundings = Surroundings()
        self.projects = Projects(settings, root, self.tell)
        self._waiting: dict[Program, None] = {}
        self._unlooked: dict[Program, None] = {}
        self.settings_number = 0
        self._uncollected = 0
        self._rest: asyncio.TimerHandle | None = None
        self._resting: asyncio.Task[None] | None = None

    @property
    def encoding(self) -> Encoding:
        return self.documents.encoding

    # What requests ask for

    def findings(self, program: Program) -> list[Finding]:
        """What there is to say about the uses of torch in a program as it stands."""
        return self.check(program).findings

    def hazards(self, program: Program, *, now: bool = False) -> list[Finding]:
        """What keeps models in a program from being captured: as last seen, or looked for now."""
        if not self.settings.hazards:
            return []
        if now:
            for _ in self._hazards.look(program, self.check(program)):
                pass
        return self._hazards.known(program)

    def check(self, program: Program) -> Checked:
        """All that is known of a program as it stands."""
        around = self._surroundings.of(program)
        return self._checker.check(program, self.project(program), self.projects.target, around)

    def project(self, program: Program) -> ProjectSettings:
        """The settings that hold for a program."""
        return self.projects.of(program.uri)

    def convert(self, program: Program) -> workbench.Conversion:
        """The whole program converted. Text that does not parse is declined with the reason."""
        around = self._surroundings.of(program)
        try:
            target = self.projects.target(program.uri)
            return workbench.convert(program.text, target=target, neighbours=around)
        except workbench.TorchferryError as error:
            raise JsonRpcException(str(error), types.LSPErrorCodes.RequestFailed.value) from error

    def place(self, program: Program, document: Document, at: types.Position) -> Position:
        """A place that the client named, as one in the program."""
        there = self.encoding.decode(document.lines, at.line, at.character)
        return program.position(document, there)

    def hover(self, uri: str, at: types.Position) -> types.Hover | None:
        """What is to be said about a place; None where there is nothing."""
        found = self.documents.get(uri)
        if found is None:
            return None
        program, document = found
        every = [*self.findings(program), *self.hazards(program)]
        finding = finding_at(every, self.place(program, document, at))
        where = finding and program.locate(finding.range)
        if not finding or not where or where.document is not document:
            return None
        shown = self.encoding.encode_range(document.lines, where.range)
        return hover(program, finding, self.projects.target(program.uri), shown)

    def report(self, uri: str, known: str | None) -> dict[str, Any]:
        """A document's diagnostics for a client that asks; `known` is what it was told last."""
        found = self.documents.get(uri)
        if found is None or not self.settings.enable:
            return {"kind": "full", "items": []}
        program, document = found
        # Hazards come later than the rest, and are told apart by their number.
        seen = len(self.hazards(program))
        result = f"{program.revision} {self.settings_number} {seen}"
        if result == known:
            return {"kind": "unchanged", "resultId": result}
        items = next(items for each, items in self._diagnostics(program) if each is document)
        self._rest_later(program)
        return {"kind": "full", "resultId": result, "items": items}

    def _diagnostics(self, program: Program) -> list[tuple[Document, list[dict[str, Any]]]]:
        if not self.settings.enable or self.projects.excludes(program.uri):
            return [(document, []) for document in program.documents]
        checked = self.check(program)
        every = [*checked.findings, *self.hazards(program)]
        return diagnostics(program, every, self.encoding, self.extras, checked.analysis)

    # What happens

    def changed(self, program: Program | None) -> None:
        """Check a program as soon as the messages that are here already have been handled."""
        if program is None or not program.is_python or self.is_asked:
            return
        if not self._waiting:
            asyncio.get_running_loop().call_soon(self._check_next)
        self._waiting[program] = None

    def closed(self, program: Program | None) -> None:
        """Clear what was said about a program."""
        if program is not None:
            self._waiting.pop(program, None)
            self.cleared([document.uri for document in program.documents])

    def cleared(self, uris: Iterable[str]) -> None:
        """Clear what was said about documents that are gone."""
        for uri in () if self.is_asked else uris:
            self._send(uri, None, [])

    def configure(self, settings: Settings) -> None:
        """Take other settings, and check every open program in their light."""
        self.settings = settings
        self._told.clear()
        self.reread()

    def reread(self) -> None:
        """Read the projects' settings again, and check every open program in their light."""
        self.projects = Projects(self.settings, self._root, self.tell)
        self.settings_number += 1
        for method in self._refreshable:
            self._protocol.send_request(method)
        for program in self.documents.programs():
            self.changed(program)

    def warm_up(self) -> None:
        """Load what the first keystroke would wait for, and keep it out of later collections."""
        try:
            target = self.projects.of("").target
            workbench.check("import torch\nx = torch.zeros(1)\n", target=target)
        except workbench.TorchferryError as error:
            self.tell(f"Torchferry checks nothing: {error}")
        gc.collect()
        gc.freeze()

    def tell(self, message: str) -> None:
        """Show the user a message, once until the settings change."""
        if message not in self._told:
            self._told.add(message)
            logger.warning(message)
            params = {"type": types.MessageType.Error.value, "message": message}
            self._protocol.send_plain({"method": types.WINDOW_SHOW_MESSAGE, "params": params})

    # How the work is done

    def _check_next(self) -> None:
        if not self._waiting:
            return
        loop = asyncio.get_running_loop()
        program = next(iter(self._waiting))
        del self._waiting[program]
        if self.settings.enable:
            self.findings(program)
        # Edits that came meanwhile are handled before this runs, and supersede it.
        loop.call_soon(self._publish, program, program.revision)
        if self._waiting:
            loop.call_soon(self._check_next)
        self._rest_later(program)

    def _publish(self, program: Program, revision: int) -> None:
        if program.revision != revision or program in self._waiting:
            return
        if not self.documents.holds(program):
            return
        for document, items in self._diagnostics(program):
            self._send(document.uri, document.version, items)

    def _send(self, uri: str, version: int | None, items: list[dict[str, Any]]) -> None:
        params: dict[str, Any] = {"uri": uri, "diagnostics": items}
        if version is not None:
            params["version"] = version
        self._protocol.send_plain(
            {"method": types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, "params": params}
        )

    def _rest_later(self, program: Program) -> None:
        """Do what can wait once nothing has happened for a while."""
        self._unlooked[program] = None
        self._uncollected += len(program.text)
        if self._rest:
            self._rest.cancel()
        if self._uncollected > _MOST_UNCOLLECTED:
            self._collect()
        self._rest = asyncio.get_running_loop().call_later(_QUIET_SECONDS, self._begin_to_rest)

    def _begin_to_rest(self) -> None:
        self._rest = None
        self._resting = asyncio.get_running_loop().create_task(self._use_the_rest())

    async def _use_the_rest(self) -> None:
        looked, self._unlooked = list(self._unlooked), {}
        for program in looked:
            if self.settings.enable and self.documents.holds(program):
                await self._look_around(program)
            if self.settings.enable and self.settings.hazards and self.documents.holds(program):
                await self._look(program)
        if self._rest is None:  # nobody has gone on typing meanwhile
            self._collect()

    async def _look(self, program: Program) -> None:
        """Look for hazards, step by step; an edit ends it, and it begins anew when all is quiet."""
        revision = program.revision
        before = self._hazards.known(program)
        for _ in self._hazards.look(program, self.check(program)):
            await asyncio.sleep(0)  # what has come in meanwhile goes first
            if program.revision != revision or not self.documents.holds(program):
                return
        if self._hazards.known(program) != before:
            self._tell_anew(program, revision)

    async def _look_around(self, program: Program) -> None:
        """Read the files that a program imports, and check it again in their light."""
        revision, before = program.revision, self.findings(program)
        try:
            facts = self.projects.target(program.uri).facts
        except workbench.TorchferryError:
            return  # whoever checks it tells
        news = await self._surroundings.read(
            program, self.project(program), facts, self._folders
        )
        if not news or program.revision != revision or not self.documents.holds(program):
            return
        if self.findings(program) != before:
            self.settings_number += 1  # for clients that ask whether there is something new
            self._tell_anew(program, revision)

    @property
    def _folders(self) -> list[Path]:
        """The folders that the client has open."""
        found = (path_of(each.uri) for each in self._protocol.workspace.folders.values())
        return [path for path in found if path is not None]

    def files_changed(self) -> None:
        """Files that are not open, or were saved, are others now: look around anew."""
        self._surroundings.forget()
        for program in self.documents.programs():
            if program.is_python:
                self._rest_later(program)

    def _tell_anew(self, program: Program, revision: int) -> None:
        """Send, or have the client ask for, the diagnostics with what is known now."""
        if not self.is_asked:
            self._publish(program, revision)
        elif types.WORKSPACE_DIAGNOSTIC_REFRESH in self._refreshable:
            self._protocol.send_request(types.WORKSPACE_DIAGNOSTIC_REFRESH)

    def _collect(self) -> None:
        self._uncollected = 0
        gc.collect()
