"""Diagnostics of the files of a workspace that are not open, worked out between keystrokes."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from lsp_server.progress import Progress
from lsp_server.settings import WORKSPACE
from lsp_server.workspace.addresses import address_of, path_of
from lsp_server.workspace.documents import Document, Program
from lsp_server.workspace.notebooks import NotebookProgram
from workbench import files
from workbench.errors import TorchferryError
from workbench.source.packages import may_use_torch

if TYPE_CHECKING:
    from pygls.lsp.server import LanguageServer

    from lsp_server.session import Session
    from lsp_server.wire.client import Client

logger = logging.getLogger(__name__)

# The interval for re-reading files without a notification of a change.
_LOOK_AGAIN_SECONDS = 60
_TITLE = "Checking the workspace"
_AT_ONCE = 100  # files
COLLECT_AFTER = 2_000_000  # characters


@dataclass
class Checked:
    """A file's diagnostics; None where they are as they were."""

    uri: str
    result: str
    items: list[dict[str, Any]] | None


@dataclass
class Workspace:
    """The folders that the client has open."""

    server: LanguageServer
    session: Session
    client: Client
    changed_event: asyncio.Event = field(default_factory=asyncio.Event)
    _closed: set[str] = field(default_factory=set)
    _published: set[str] = field(default_factory=set)
    _task: asyncio.Task[None] | None = None

    @property
    def is_wanted(self) -> bool:
        """Return whether the user wants to hear of files that are not open."""
        settings = self.session.settings
        return settings.enable and settings.diagnosticMode == WORKSPACE

    def changed(self) -> None:
        """Record a change outside of the open documents."""
        self.changed_event.set()
        if self.session.is_asked:
            return
        if self._task is not None:
            self._task.cancel()
        self._task = asyncio.get_running_loop().create_task(self._publish())

    def closed(self, uri: str) -> None:
        """Record that an editor closed a file: its diagnostics may be of a discarded text."""
        self._closed.add(uri)
        self.changed()

    # Clients that pull

    async def report(self, params: types.WorkspaceDiagnosticParams) -> dict[str, Any]:
        """Answer when there is a change, in parts if the client accepts parts."""
        known = {each.uri: each.value for each in params.previous_result_ids}
        token = params.partial_result_token
        sent = False
        while True:
            self.changed_event.clear()
            closed, self._closed = self._closed, set()
            for uri in closed:
                known.pop(uri, None)
            items: list[dict[str, Any]] = []
            progress = Progress(self.server, _TITLE, params.work_done_token)
            try:
                async with progress:
                    async for checked in self._check(known, progress):
                        known[checked.uri] = checked.result
                        if token is None:
                            items.append(_report(checked))
                        elif checked.items is not None:
                            sent = True
                            self._send_part(token, [_report(checked)])
            except asyncio.CancelledError:
                self._closed |= closed  # the next request reports them
                raise
            has_changes = sent or any(item["kind"] == "full" for item in items)
            if has_changes or not self.is_wanted:
                return {"items": items}
            # Nothing has changed: the client would only ask again at once.
            try:
                async with asyncio.timeout(_LOOK_AGAIN_SECONDS):
                    await self.changed_event.wait()
            except TimeoutError:
                continue

    def _send_part(self, token: int | str, items: list[dict[str, Any]]) -> None:
        params = {"token": token, "value": {"items": items}}
        self.client.send_plain({"method": types.PROGRESS, "params": params})

    # Clients that get pushed diagnostics

    async def _publish(self) -> None:
        gone = set(self._published)
        async with Progress(self.server, _TITLE) as progress:
            async for checked in self._check({}, progress):
                gone.discard(checked.uri)
                if checked.items or checked.uri in self._published:
                    self._send(checked.uri, checked.items or [])
        for uri in gone:
            if self.session.documents.document(uri) is None:
                self._send(uri, [])
            self._published.discard(uri)

    def _send(self, uri: str, items: list[dict[str, Any]]) -> None:
        # Immediately, since the publishing task may be cancelled before the next file.
        if items:
            self._published.add(uri)
        else:
            self._published.discard(uri)
        params = {"uri": uri, "diagnostics": items}
        method = types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS
        self.client.send_plain({"method": method, "params": params})

    # Checking

    async def _check(self, known: Mapping[str, str], progress: Progress) -> AsyncIterator[Checked]:
        if not self.is_wanted:
            return
        found = await self.found()
        read = 0
        for number, file in enumerate(found):
            await asyncio.sleep(0)  # pending messages go first
            progress.report(number, len(found))
            uri = address_of(file)
            if self.session.documents.at(file) is not None:
                continue
            try:
                state = file.stat()
                result = f"{state.st_mtime_ns} {state.st_size} {self.session.settings_number}"
                if known.get(uri) == result:
                    yield Checked(uri, result, None)
                    continue
                own = self.session.projects.target(uri).facts.own_packages
                items = await asyncio.to_thread(self._items, file, own)
            except (OSError, TorchferryError):
                continue  # gone, or not text: the editor reports it when it is opened
            except Exception:
                logger.exception("Checking a file of the workspace failed")
                continue
            yield Checked(uri, result, items)
            read += state.st_size
            if read > COLLECT_AFTER:
                read = 0
                gc.collect()
        for uri in known.keys() - {address_of(file) for file in found}:
            if known[uri] and self.session.documents.document(uri) is None:
                yield Checked(uri, "", [])  # a file that is gone

    async def found(self, *, notebooks: bool = False) -> list[Path]:
        """Return the files of all folders, in parts, since a folder can be a whole disk."""
        files = iter(self._files(notebooks))
        found: dict[Path, None] = {}
        while part := await asyncio.to_thread(lambda: list(islice(files, _AT_ONCE))):
            found.update(dict.fromkeys(part))
        return list(found)

    def _files(self, notebooks: bool) -> Iterable[Path]:
        wanted = {*files.PYTHON, files.NOTEBOOK} if notebooks else files.PYTHON
        for folder in list(self.client.workspace.folders.values()):
            root = path_of(folder.uri)
            if root is None:
                continue
            for file in files.walk(root, lambda place, message: logger.info("%s", message)):
                excluded = self.session.projects.excludes(address_of(file))
                if file.suffix in wanted and not file.is_symlink() and not excluded:
                    yield file

    def _items(self, file: Path, own_packages: Iterable[str]) -> list[dict[str, Any]]:
        """Return the diagnostics of a file; this runs on a thread and changes no other program.

        Raises:
            OSError, TorchferryError: it cannot be read.
        """
        program = program_of(file, own_packages)
        if program is None:
            return []
        [(_, items)] = self.session.diagnostics(program)
        return items


def program_of(file: Path, own_packages: Iterable[str]) -> Program | None:
    """Return a file that is not open, to be checked, or None if it cannot use torch.

    Raises:
        OSError, TorchferryError: it cannot be read.
    """
    text, _ = files.decode(file, files.read(file))
    if not may_use_torch(text, own_packages):
        return None
    uri = address_of(file)
    if file.suffix == files.NOTEBOOK:
        return NotebookProgram.of_file(uri, text)
    return Program(uri, [Document(uri, "python", 0, text)])


def _report(checked: Checked) -> dict[str, Any]:
    fields: dict[str, Any] = {"uri": checked.uri, "version": None, "resultId": checked.result}
    if checked.items is None:
        return {**fields, "kind": "unchanged"}
    return {**fields, "kind": "full", "items": checked.items}
