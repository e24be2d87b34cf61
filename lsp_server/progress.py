"""Work that takes a while, shown by the client, which may also have it stopped."""

from __future__ import annotations

import asyncio
import itertools
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

if TYPE_CHECKING:
    from concurrent.futures import Future

    from pygls.lsp.server import LanguageServer

_numbers = itertools.count(1)


class Progress:
    """One piece of work: `async with Progress(...) as progress`.

    A client that cannot show progress is not bothered. Cancellation cancels the task that works.
    """

    def __init__(self, server: LanguageServer, title: str, token: int | str | None = None) -> None:
        self._server = server
        self._title = title
        self._token: int | str | None = token
        self._given = token is not None
        self._percentage = -1

    async def __aenter__(self) -> Progress:
        task = asyncio.current_task()
        work = self._server.work_done_progress
        window = self._server.client_capabilities.window
        if not self._given and window and window.work_done_progress:
            self._token = f"torchferry-{next(_numbers)}"
            try:
                await work.create_async(self._token)
            except JsonRpcException:
                self._token = None
        if self._token is None:
            return self
        begin = types.WorkDoneProgressBegin(title=self._title, cancellable=True, percentage=0)
        work.begin(self._token, begin)
        loop = asyncio.get_running_loop()

        def stop(future: Future[None]) -> None:
            if future.cancelled() and task is not None:
                loop.call_soon_threadsafe(task.cancel)

        work.tokens[self._token].add_done_callback(stop)
        return self

    def report(self, done: int, total: int, message: str | None = None) -> None:
        """Report the progress if its percentage has changed."""
        percentage = 100 * done // max(total, 1)
        if self._token is not None and percentage != self._percentage:
            self._percentage = percentage
            value = types.WorkDoneProgressReport(
                percentage=percentage, message=message or f"{done} of {total}", cancellable=True
            )
            self._server.work_done_progress.report(self._token, value)

    async def __aexit__(self, *problem: object) -> None:
        if self._token is not None:
            work = self._server.work_done_progress
            work.end(self._token, types.WorkDoneProgressEnd())
            if (future := work.tokens.pop(self._token, None)) and not future.done():
                future.set_result(None)
