"""The session of a client: open documents come in, findings, fixes and explanations go out.

This is loaded only after the handshake with the client: the engine takes longer to load than a
client should have to wait for an answer.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import ref

from lsprotocol import types
from pygls.exceptions import JsonRpcException

import workbench
from lsp_server import workers
from lsp_server.checking import Checked, Checker, failure, too_large
from lsp_server.presentation.diagnostics import Extras, diagnostics
from lsp_server.presentation.hazards import Hazards
from lsp_server.presentation.hover import finding_at, hover
from lsp_server.settings import Settings
from lsp_server.wire.encoding import Encoding
from lsp_server.workspace.addresses import path_of
from lsp_server.workspace.documents import Document, Documents, Program
from lsp_server.workspace.helper_modules import helper_import
from lsp_server.workspace.notebooks import Notebooks
from lsp_server.workspace.project_context import Surroundings
from lsp_server.workspace.projects import FILE, Projects
from workbench.findings import Finding
from workbench.garbage import keep_all, release_memory
from workbench.positions import Position
from workbench.targets import DEFAULT

if TYPE_CHECKING:
    from pathlib import Path

    from lsp_server.wire.client import Client
    from workbench.convert.configuration.settings import Settings as ProjectSettings
    from workbench.convert.fix_request import Ask
    from workbench.convert.imports.helper_modules import HelperImport
    from workbench.targets import Target

logger = logging.getLogger(__name__)

T = TypeVar("T")

# Work on a larger program takes longer than a request about another program may wait.
_LARGE = 20_000

# The idle time before garbage is collected, and the number of characters that may be analysed
# without such a pause: an analysis is freed by itself, its surroundings are not.
_QUIET_SECONDS = 0.2
_MOST_UNCOLLECTED = 100_000_000


def _refreshable(able: types.WorkspaceClientCapabilities | None) -> Iterator[str]:
    """Yield the requests that ask the client to refresh."""
    for supported, method in (
        (able and able.diagnostics, types.WORKSPACE_DIAGNOSTIC_REFRESH),
        (able and able.code_lens, types.WORKSPACE_CODE_LENS_REFRESH),
        (able and able.inlay_hint, types.WORKSPACE_INLAY_HINT_REFRESH),
    ):
        if supported and supported.refresh_support:
            yield method


async def _ended(thread: asyncio.Future[Any]) -> None:
    """Wait until a thread has ended, however often the waiting task is cancelled."""
    while not thread.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait([thread])
    if not thread.cancelled() and (error := thread.exception()) is not None:
        logger.debug("A cancelled request failed", exc_info=error)


class SupersededError(JsonRpcException):
    """The text changed while a thread worked on it."""

    CODE = types.LSPErrorCodes.ContentModified.value
    MESSAGE = "The text has changed. Try again."

    def __init__(self) -> None:
        super().__init__(self.MESSAGE, self.CODE)


class AskAgainError(JsonRpcException):
    """The text changed while its diagnostics were worked out.

    A client keeps the diagnostics that it shows, and asks again. After any other error VS Code
    shows none.
    """

    CODE = types.LSPErrorCodes.ServerCancelled.value

    def __init__(self) -> None:
        super().__init__(SupersededError.MESSAGE, self.CODE, {"retriggerRequest": True})


class Session:
    """The open documents, and the work on them.

    Work on a small program is done at once. That on a large one is done on a thread, one piece
    after the other, while requests about other programs are answered.
    """

    def __init__(
        self,
        client: Client,
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
        # A client that pulls diagnostics gets no pushed ones: it would show them twice.
        self.is_asked = bool(able.text_document and able.text_document.diagnostic)
        self._refreshable = list(_refreshable(able.workspace))
        files = (edits and edits.resource_operations) or ()
        self.creates_files = self.versions_edits and types.ResourceOperationKind.Create in files
        self.extras = Extras.of(able.text_document)
        self._client = client
        self._root = root
        self._shown_messages: set[str] = set()
        self._checker = Checker(self.show_message)
        self._hazards = Hazards()
        self._surroundings = Surroundings()
        self.projects = Projects(settings, root, self.show_message)
        self._waiting: dict[Program, None] = {}
        self._checking: asyncio.Task[None] | None = None
        self._unlooked: dict[Program, None] = {}
        self.settings_number = 0
        self._uncollected = 0
        self._rest: asyncio.TimerHandle | None = None
        self._resting: asyncio.Task[None] | None = None

    @property
    def encoding(self) -> Encoding:
        return self.documents.encoding

    # Scheduling

    async def on_thread(self, program: Program, work: Callable[[], T]) -> T:
        """Do work that reads a program; if it is large, on a thread.

        A cancelled request keeps its turn until its thread has ended: the analysis of a program is
        updated in place, and two threads would move the same tree twice.

        Raises:
            SupersededError: the program has changed meanwhile.
        """
        if program.size <= _LARGE and not program.turn.locked():
            return work()
        async with program.turn:
            revision = program.revision
            thread = asyncio.ensure_future(asyncio.to_thread(work))
            try:
                result = await asyncio.shield(thread)
            except asyncio.CancelledError:
                await _ended(thread)
                raise
            except Exception:
                if program.revision == revision:
                    raise
            if program.revision != revision:
                raise SupersededError
            return result

    async def about(self, uri: str, answer: Callable[[Program, Document], T]) -> T | None:
        """Return an answer about an open document, or None if it is not open or not Python."""
        found = self.documents.get(uri)
        if found is None:
            return None
        program, document = found
        return await self.on_thread(program, lambda: answer(program, document))

    async def written(self, uri: str, answer: Callable[[Program, Document], T]) -> T | None:
        """Return an answer that writes code, as `about` does, after reading the program's project.

        Otherwise the code would depend on whether the server has been idle since the file was
        opened.
        """
        if found := self.documents.get(uri):
            await self.look_around(found[0])
        return await self.about(uri, answer)

    # Answers to requests

    def project_file(self, uri: str) -> Document | None:
        """Return an open pyproject.toml."""
        return self.documents.document(uri) if uri.endswith(f"/{FILE}") else None

    def _mistakes(self, document: Document) -> list[dict[str, Any]]:
        from lsp_server.presentation.project_file import diagnostics as mistakes

        return mistakes(document, self.encoding)

    def findings(self, program: Program) -> list[Finding]:
        """Return the findings about the uses of torch in the current program."""
        return self.check(program).findings

    def hazards(self, program: Program, *, now: bool = False) -> list[Finding]:
        """Return hazards that keep models from being captured: as last seen, or computed now."""
        if not self.settings.hazards:
            return []
        if now:
            for _ in self._hazards.look(program, self.check(program)):
                pass
        return self._hazards.known(program)

    def check(self, program: Program) -> Checked:
        """Return all results for the current program."""
        around = self._surroundings.of(program)
        settings, aim = self.project(program), self.projects.target
        return self._checker.check(program, settings, aim, around, self._asking(program))

    def project(self, program: Program) -> ProjectSettings:
        """Return the settings that hold for a program."""
        return self.projects.of(program.uri)

    def target(self, uri: str) -> Target:
        """Return what a request on a document converts to.

        Raises:
            JsonRpcException: the settings name no target that there is.
        """
        try:
            return self.projects.target(uri)
        except workbench.TorchferryError as error:
            raise workers.failed(str(error)) from error

    def every_finding(self, program: Program) -> list[Finding]:
        """Return the findings about the uses of torch, including those that the user hid."""
        analysis = self.check(program).analysis
        if analysis is None:
            return []
        target = self.target(program.uri)
        return workbench.check_analysis(analysis, target=target, beside=self._asking(program))

    def _helper_import(self, program: Program) -> HelperImport | None:
        """Return the module that a program's fixes may import helpers from, or None."""
        if not self.creates_files:
            return None
        return helper_import(self.documents, program, self.project(program).helpers)

    def _asking(self, program: Program) -> Ask:
        """Give a function that says which module the fixes of a program import helpers from.

        It refers to the program weakly: findings keep it, and are kept as long as the program is.
        """
        there = ref(program)

        def ask() -> HelperImport | None:
            known = there()
            return self._helper_import(known) if known is not None else None

        return ask

    def convert(self, program: Program) -> workbench.Conversion:
        """Convert the whole program. Text that does not parse is declined with the reason."""
        self.reject_if_too_large(program)
        around = self._surroundings.of(program)
        module = self._helper_import(program)
        target = self.target(program.uri)
        try:
            return workbench.convert(program.text, target=target, neighbours=around, beside=module)
        except workbench.TorchferryError as error:
            raise workers.failed(str(error)) from error

    def reject_if_too_large(self, program: Program) -> None:
        """Refuse a program that is too large."""
        if reason := too_large(program):
            raise workers.failed(f"The editor does not convert this file: {reason}")

    def place(self, program: Program, document: Document, line: int, character: int) -> Position:
        """Return a position that the client named, as one in the program."""
        there = self.encoding.decode(document.lines, line, character)
        return program.position(document, there)

    def hover(self, program: Program, document: Document, at: types.Position) -> types.Hover | None:
        """Return the text about a position, or None if there is none."""
        every = [*self.findings(program), *self.hazards(program)]
        finding = finding_at(every, self.place(program, document, at.line, at.character))
        where = finding and program.locate(finding.range)
        if not finding or not where or where.document is not document:
            return None
        shown = self.encoding.encode_range(document.lines, where.range)
        return hover(program, finding, self.target(program.uri), shown)

    async def report(self, uri: str, known: str | None) -> dict[str, Any]:
        """Return a document's diagnostics for a client that pulls; `known` is its last result.

        Raises:
            AskAgainError: the text has changed meanwhile.
        """
        settings = self.project_file(uri)
        if settings is not None and self.settings.enable:
            return {"kind": "full", "items": self._mistakes(settings)}
        found = self.documents.get(uri)
        if found is None or not self.settings.enable:
            return {"kind": "full", "items": []}
        self._schedule_idle_work(found[0])
        try:
            return await self.on_thread(found[0], lambda: self._report(*found, known))
        except SupersededError as error:
            raise AskAgainError from error

    def _report(self, program: Program, document: Document, known: str | None) -> dict[str, Any]:
        # Hazards come later than the rest, and their number distinguishes the result.
        seen = len(self.hazards(program))
        result = f"{program.revision} {self.settings_number} {seen}"
        if result == known:
            return {"kind": "unchanged", "resultId": result}
        every = self.diagnostics(program)
        items = next((items for each, items in every if each is document), [])
        return {"kind": "full", "resultId": result, "items": items}

    def diagnostics(self, program: Program) -> list[tuple[Document, list[dict[str, Any]]]]:
        """Return the diagnostics of each document of a program; a failure is one of them."""
        try:
            return self._diagnostics(program)
        except Exception as error:
            logger.exception("The check of a program failed")
            return diagnostics(program, [failure(error)], self.encoding, self.extras, None)

    def _diagnostics(self, program: Program) -> list[tuple[Document, list[dict[str, Any]]]]:
        if not self.settings.enable or self.projects.excludes(program.uri):
            return [(document, []) for document in program.documents]
        checked = self.check(program)
        every = [*checked.findings, *self.hazards(program)]
        aim = self.target(program.uri).name if checked.analysis else DEFAULT
        return diagnostics(program, every, self.encoding, self.extras, checked.analysis, aim)

    # Events

    def changed(self, program: Program | None) -> None:
        """Check a program as soon as the messages that are here already have been handled."""
        if program is None or self.is_asked:
            return
        settings = self.project_file(program.uri)
        if settings is not None and self.settings.enable:
            self._send(settings.uri, settings.version, self._mistakes(settings))
        if not program.is_python:
            return
        self._waiting[program] = None
        if self._checking is None:
            self._checking = asyncio.get_running_loop().create_task(self._check_waiting())

    def closed(self, program: Program | None) -> None:
        """Clear the diagnostics of a program."""
        if program is not None:
            self._waiting.pop(program, None)
            self.cleared([document.uri for document in program.documents])

    def cleared(self, uris: Iterable[str]) -> None:
        """Clear the diagnostics of documents that are gone."""
        for uri in () if self.is_asked else uris:
            self._send(uri, None, [])

    def configure(self, settings: Settings) -> None:
        """Take other settings, and check every open program in their light."""
        self.settings = settings
        self._shown_messages.clear()
        self.reread()

    def reread(self) -> None:
        """Read the projects' settings again, and check every open program in their light."""
        self.projects = Projects(self.settings, self._root, self.show_message)
        self.settings_number += 1
        for method in self._refreshable:
            self._client.send_request(method)
        for program in self.documents.programs():
            self.changed(program)

    def settings_watched(self) -> None:
        """Read the projects' settings again if they were written before the client watched them."""
        if self.projects.are_outdated():
            self.reread()

    def warm_up(self) -> None:
        """Load what the first keystroke would wait for, and keep it out of later collections."""
        try:
            target = self.projects.of("").target
            workbench.check("import torch\nx = torch.zeros(1)\n", target=target)
        except workbench.TorchferryError as error:
            self.show_message(f"Torchferry cannot check anything: {error}")
        release_memory()
        keep_all()

    def show_message(self, message: str) -> None:
        """Show the user a message, once until the settings change."""
        if message not in self._shown_messages:
            self._shown_messages.add(message)
            logger.warning(message)
            params = {"type": types.MessageType.Error.value, "message": message}
            self._client.send_plain({"method": types.WINDOW_SHOW_MESSAGE, "params": params})

    # Scheduling of work

    async def _check_waiting(self) -> None:
        """Check what has changed, one program after the other."""
        while self._waiting:
            program = next(iter(self._waiting))
            del self._waiting[program]
            try:
                await self._publish(program)
            except Exception:
                logger.exception("What was found in a program could not be sent")
            self._schedule_idle_work(program)
        self._checking = None

    async def _publish(self, program: Program) -> None:
        """Check a program and send what is found, unless another text of it is to be checked."""
        revision = program.revision
        try:
            every = await self.on_thread(program, lambda: self.diagnostics(program))
        except SupersededError:
            return  # the change that came meanwhile causes a check
        await asyncio.sleep(0)  # edits that came meanwhile supersede it
        if program.revision != revision or program in self._waiting:
            return
        if self.documents.holds(program):
            for document, items in every:
                self._send(document.uri, document.version, items)

    def _send(self, uri: str, version: int | None, items: list[dict[str, Any]]) -> None:
        params: dict[str, Any] = {"uri": uri, "diagnostics": items}
        if version is not None:
            params["version"] = version
        self._client.send_plain(
            {"method": types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, "params": params}
        )

    def _schedule_idle_work(self, program: Program) -> None:
        """Do what can wait once nothing has happened for a while."""
        self._unlooked[program] = None
        self._uncollected += program.size
        if self._rest:
            self._rest.cancel()
        if self._uncollected > _MOST_UNCOLLECTED:
            self._collect()
        self._rest = asyncio.get_running_loop().call_later(_QUIET_SECONDS, self._start_idle_work)

    def _start_idle_work(self) -> None:
        self._rest = None
        self._resting = asyncio.get_running_loop().create_task(self._do_idle_work())

    async def _do_idle_work(self) -> None:
        looked, self._unlooked = list(self._unlooked), {}
        for program in looked:
            for work in (self.look_around, self._look):
                try:
                    if self.settings.enable and self.documents.holds(program):
                        await work(program)
                except SupersededError:
                    continue  # it is checked again when all is quiet
                except Exception:
                    logger.exception("Looking around a program failed")
        if self._rest is None:  # nobody typed meanwhile
            self._collect()

    async def _look(self, program: Program) -> None:
        """Look for hazards, step by step; an edit stops it, and it restarts when all is quiet."""
        if not self.settings.hazards:
            return
        revision = program.revision
        before = self._hazards.known(program)
        for _ in await self.on_thread(program, lambda: self._steps(program)):
            await asyncio.sleep(0)  # pending messages go first
            if program.revision != revision or not self.documents.holds(program):
                return
        if self._hazards.known(program) != before:
            await self._send_again(program)

    def _steps(self, program: Program) -> Iterable[None]:
        """Return the steps of looking for hazards; a large program's are all taken at once."""
        steps = self._hazards.look(program, self.check(program))
        return list(steps) if program.size > _LARGE else steps

    async def look_around(self, program: Program) -> None:
        """Read the files that a program imports, and check it again in their light."""
        if too_large(program):
            return
        revision = program.revision
        before = await self.on_thread(program, lambda: self.findings(program))
        try:
            facts = self.projects.target(program.uri).facts
        except workbench.TorchferryError:
            return  # the check reports it
        changed = await self._surroundings.read(program, self.project(program), facts, self.folders)
        if not changed or program.revision != revision or not self.documents.holds(program):
            return
        if await self.on_thread(program, lambda: self.findings(program)) != before:
            self.settings_number += 1  # for clients that poll for changes
            await self._send_again(program)

    @property
    def folders(self) -> list[Path]:
        """The folders that the client has open."""
        found = (path_of(each.uri) for each in self._client.workspace.folders.values())
        return [path for path in found if path is not None]

    def files_changed(self) -> None:
        """Re-read project files that changed."""
        self._surroundings.forget()
        for program in self.documents.programs():
            if program.is_python:
                self._schedule_idle_work(program)

    async def _send_again(self, program: Program) -> None:
        """Send, or have the client ask for, the diagnostics with what is known now."""
        if not self.is_asked:
            await self._publish(program)
        elif types.WORKSPACE_DIAGNOSTIC_REFRESH in self._refreshable:
            self._client.send_request(types.WORKSPACE_DIAGNOSTIC_REFRESH)

    def _collect(self) -> None:
        self._uncollected = 0
        release_memory()
