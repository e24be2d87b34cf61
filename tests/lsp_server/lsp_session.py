"""A real client and a real server process; tests await what the server sends, and never sleep."""

from __future__ import annotations

import asyncio
import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from lsprotocol import types
from pygls.lsp.client import LanguageClient

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 90

T = TypeVar("T")


class Session:
    """One client talking to one server process."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        self.client = LanguageClient("tests", "0")
        self.published: dict[str, list[types.PublishDiagnosticsParams]] = defaultdict(list)
        self.log: list[str] = []
        self.tokens: list[int | str] = []
        self.progress: list[Any] = []
        self.edits: list[types.WorkspaceEdit] = []
        self.applies = True
        self._received: asyncio.Event | None = None
        self._open: set[str] = set()
        self._configured = False
        self._listen()

    def _listen(self) -> None:
        @self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params: types.PublishDiagnosticsParams) -> None:
            self.published[params.uri].append(params)
            if self._received:
                self._received.set()

        @self.client.feature(types.WINDOW_WORK_DONE_PROGRESS_CREATE)
        def created(params: types.WorkDoneProgressCreateParams) -> None:
            self.tokens.append(params.token)

        @self.client.feature(types.PROGRESS)
        def progressed(params: types.ProgressParams) -> None:
            self.progress.append(params.value)
            if self._received:
                self._received.set()

        @self.client.feature(types.WORKSPACE_APPLY_EDIT)
        def apply_edit(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
            self.edits.append(params.edit)
            if self._received:
                self._received.set()
            return types.ApplyWorkspaceEditResult(applied=self.applies)

        @self.client.feature(types.WINDOW_SHOW_MESSAGE)
        @self.client.feature(types.WINDOW_LOG_MESSAGE)
        def logged(params: types.LogMessageParams | types.ShowMessageParams) -> None:
            self.log.append(params.message)
            if self._received:
                self._received.set()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._runner.run(asyncio.wait_for(work, PATIENCE))

    # The life of a session

    def start(self, *command: str) -> None:
        async def start() -> None:
            self._received = asyncio.Event()
            await self.client.start_io(sys.executable, *(command or ("-m", "lsp_server")), cwd=ROOT)

        self.run(start())

    @property
    def process(self) -> asyncio.subprocess.Process:
        process = self.client._server
        assert process is not None
        return process

    def initialize(
        self,
        encodings: list[str] | None = None,
        *,
        resolves: bool = True,
        creates: bool = False,
        pulls: bool = False,
        extras: bool = False,
        watches: bool = False,
        folder: Path | None = None,
        options: dict[str, Any] | None = None,
    ) -> types.InitializeResult:
        literal = types.ClientCodeActionLiteralOptions(types.ClientCodeActionKindOptions([""]))
        resolve = types.ClientCodeActionResolveOptions(["edit"]) if resolves else None
        operations = [types.ResourceOperationKind.Create] if creates else None
        shown = types.PublishDiagnosticsClientCapabilities(
            related_information=True,
            code_description_support=True,
            tag_support=types.ClientDiagnosticsTagOptions(list(types.DiagnosticTag)),
        )
        capabilities = types.ClientCapabilities(
            window=types.WindowClientCapabilities(work_done_progress=True) if extras else None,
            general=types.GeneralClientCapabilities(position_encodings=encodings),
            text_document=types.TextDocumentClientCapabilities(
                code_action=types.CodeActionClientCapabilities(
                    code_action_literal_support=literal, resolve_support=resolve
                ),
                diagnostic=types.DiagnosticClientCapabilities() if pulls else None,
                publish_diagnostics=shown if extras else None,
            ),
            workspace=types.WorkspaceClientCapabilities(
                workspace_edit=types.WorkspaceEditClientCapabilities(
                    document_changes=True, resource_operations=operations
                ),
                did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(watches),
            ),
        )
        folders = [types.WorkspaceFolder(folder.as_uri(), folder.name)] if folder else None
        result = self.run(
            self.client.initialize_async(
                types.InitializeParams(
                    capabilities=capabilities,
                    initialization_options=options,
                    workspace_folders=folders,
                )
            )
        )
        self.client.initialized(types.InitializedParams())
        return result

    def close(self) -> int:
        """Shut the server down as the protocol wants it; its exit code."""

        async def close() -> int:
            if self.process.returncode is None:
                await self.client.shutdown_async(None)
                self.client.exit(None)
            code = await self.process.wait()
            await self.client.stop()
            return code

        return self.run(close())

    @property
    def is_running(self) -> bool:
        """Return whether the server can be asked another thing."""
        return self.client._server is not None and self.process.returncode is None

    def leave(self) -> None:
        """Close what is open and forget what was said, so that another test may go on from here."""
        if self._configured:
            self.configure()
            self._configured = False
        for uri in list(self._open):
            self.close_document(uri)
        self.hover("file:///w/never-opened.py", 0, 0)  # all that was sent before has been handled
        for received in (self.published, self.log, self.tokens, self.progress, self.edits):
            received.clear()
        self.applies = True

    def end(self) -> None:
        """Leave nothing behind, however the test went."""
        if self.client._server and self.process.returncode is None:
            self.process.kill()
            self.run(self.process.wait())
            self.run(self.client.stop())
        self._runner.close()

    # Documents

    def open(self, uri: str, text: str, version: int = 1, language: str = "python") -> None:
        self._open.add(uri)
        item = types.TextDocumentItem(uri, language, version, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def change(
        self, uri: str, version: int, *changes: tuple[tuple[int, int, int, int], str] | str
    ) -> None:
        """Edit a document: each change a whole text, or a (from, to) range and what replaces it."""
        events: list[types.TextDocumentContentChangeEvent] = []
        for change in changes:
            if isinstance(change, str):
                events.append(types.TextDocumentContentChangeWholeDocument(change))
            else:
                where, text = change
                events.append(types.TextDocumentContentChangePartial(span(*where), text))
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(version, uri), events
            )
        )

    def close_document(self, uri: str) -> None:
        self._open.discard(uri)
        self.client.text_document_did_close(
            types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri))
        )

    def await_published(
        self, uri: str, ready: Callable[[types.PublishDiagnosticsParams], bool]
    ) -> types.PublishDiagnosticsParams:
        """Return the first matching list of diagnostics, among those sent and those to come."""

        async def wait() -> types.PublishDiagnosticsParams:
            assert self._received
            seen = 0
            while True:
                self._received.clear()
                for params in self.published[uri][seen:]:
                    if ready(params):
                        return params
                seen = len(self.published[uri])
                await self._received.wait()

        return self.run(wait())

    async def is_published(self, uri: str) -> None:
        """Wait for the first diagnostics of a document; for what a client does on request."""
        assert self._received
        while not self.published[uri]:
            self._received.clear()
            await self._received.wait()

    def edited(self, text: str, number: int = 1) -> str:
        """Return a text with the edit that the server asked for as the `number`-th."""

        async def wait() -> types.WorkspaceEdit:
            assert self._received
            while len(self.edits) < number:
                self._received.clear()
                await self._received.wait()
            return self.edits[number - 1]

        return apply(text, edits_of(types.CodeAction("", edit=self.run(wait()))))

    def diagnostics(self, uri: str, version: int = 1) -> list[types.Diagnostic]:
        """Return the server's diagnostics of a version of a document."""
        wanted = self.await_published(uri, lambda params: params.version == version)
        return list(wanted.diagnostics)

    def actions(
        self,
        uri: str,
        where: types.Range,
        *,
        only: list[str] | None = None,
        trigger: types.CodeActionTriggerKind | None = None,
        about: list[types.Diagnostic] | None = None,
    ) -> list[types.CodeAction]:
        context = types.CodeActionContext(about or [], only, trigger)  # type: ignore[arg-type]
        answer = self.run(
            self.client.text_document_code_action_async(
                types.CodeActionParams(types.TextDocumentIdentifier(uri), where, context)
            )
        )
        return [action for action in answer or [] if isinstance(action, types.CodeAction)]

    def resolve(self, action: types.CodeAction) -> types.CodeAction:
        return self.run(self.client.code_action_resolve_async(action))

    def command(self, name: str, *arguments: Any) -> Any:
        """Return the answer of one of the server's commands."""
        return self.run(
            self.client.workspace_execute_command_async(
                types.ExecuteCommandParams(f"torchferry.server.{name}", list(arguments))
            )
        )

    def configure(self, **settings: Any) -> None:
        """Send other settings, and forget what was published under the ones before."""
        self.published.clear()
        self._configured = True
        self.client.workspace_did_change_configuration(
            types.DidChangeConfigurationParams({"torchferry": settings})
        )

    def hover(self, uri: str, line: int, character: int) -> str | None:
        answer = self.run(
            self.client.text_document_hover_async(
                types.HoverParams(
                    types.TextDocumentIdentifier(uri), types.Position(line, character)
                )
            )
        )
        if answer is None:
            return None
        assert isinstance(answer.contents, types.MarkupContent)
        return answer.contents.value


def span(line: int, character: int, to_line: int, to_character: int) -> types.Range:
    return types.Range(types.Position(line, character), types.Position(to_line, to_character))


def edits_of(action: types.CodeAction) -> list[types.TextEdit | types.AnnotatedTextEdit]:
    """Return the edits of an action, which all concern one document."""
    assert action.edit is not None
    changes = action.edit.document_changes
    assert changes is not None and len(changes) == 1
    [change] = changes
    assert isinstance(change, types.TextDocumentEdit)
    return [edit for edit in change.edits if not isinstance(edit, types.SnippetTextEdit)]


def apply(text: str, edits: Sequence[types.TextEdit | types.AnnotatedTextEdit]) -> str:
    """Return the text after edits in UTF-16 positions, worked out independently of the server."""
    units = text.encode("utf-16-le")
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line.encode("utf-16-le")))

    def offset(place: types.Position) -> int:
        return starts[place.line] + 2 * place.character

    # From the end; of edits with one start, the first comes first in the text.
    for _, edit in sorted(enumerate(edits), key=lambda e: (offset(e[1].range.start), e[0]))[::-1]:
        start, end = offset(edit.range.start), offset(edit.range.end)
        units = units[:start] + edit.new_text.encode("utf-16-le") + units[end:]
    return units.decode("utf-16-le")
