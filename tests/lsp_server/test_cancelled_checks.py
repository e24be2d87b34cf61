"""A check of closed files that is cancelled leaves nothing untold behind."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from lsprotocol import types

from lsp_server.closed_files import Checked, Workspace

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from lsp_server.progress import Progress

FILE = "file:///w/a.py"


class Scripted(Workspace):
    """A workspace whose checks give what a test says, and wait for ever after that."""

    script: list[list[Checked] | None]
    waits: asyncio.Event

    async def _check(self, known: Mapping[str, str], progress: Progress) -> AsyncIterator[Checked]:
        found = self.script.pop(0)
        for checked in found or []:
            yield checked if checked.uri not in known else Checked(FILE, checked.result, None)
        if len(self.script):
            self.waits.set()
            await asyncio.Event().wait()


def workspace(sent: list[dict[str, Any]], *, asked: bool) -> Scripted:
    """Return a workspace of a client that nothing is open in."""
    session: Any = SimpleNamespace(
        is_asked=asked,
        documents=SimpleNamespace(document=lambda uri: None),
        settings=SimpleNamespace(enable=True, diagnosticMode="workspace"),
    )
    server: Any = SimpleNamespace(
        client_capabilities=SimpleNamespace(window=None), work_done_progress=None
    )
    client: Any = SimpleNamespace(send_plain=sent.append)
    made = Scripted(server, session, client)
    made.waits = asyncio.Event()
    return made


def test_results_of_a_cancelled_check_are_cleared_with_the_file() -> None:
    sent: list[dict[str, Any]] = []

    async def check_twice() -> None:
        folders = workspace(sent, asked=False)
        folders.script = [[Checked(FILE, "1", [{"code": "TF100"}])], []]
        folders.changed()
        await folders.waits.wait()
        folders.changed()  # ends the first check; the file is gone by now
        assert folders._task is not None
        await folders._task

    asyncio.run(check_twice())
    assert [len(message["params"]["diagnostics"]) for message in sent] == [1, 0]


def test_a_cancelled_request_leaves_a_closed_file_to_the_next() -> None:
    async def ask_twice() -> dict[str, Any]:
        folders = workspace([], asked=True)
        folders.script = [[], [Checked(FILE, "1", [{"code": "TF100"}])]]
        folders.closed(FILE)
        params = types.WorkspaceDiagnosticParams([types.PreviousResultId(FILE, "1")])
        first = asyncio.create_task(folders.report(params))
        await folders.waits.wait()
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        return await folders.report(params)

    [item] = asyncio.run(ask_twice())["items"]
    assert item["kind"] == "full"
    assert item["items"] == [{"code": "TF100"}]
