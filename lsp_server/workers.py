"""Child processes that do what would keep the server from answering, or what needs a framework.

A worker writes lines of JSON: `{"done": 3, "total": 9}` on its way, and `{"result": ...}` or
`{"error": "..."}` last.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# Our packages come after those of the interpreter, whose own versions therefore win.
_RUN = (
    "import runpy, sys; sys.path.append(sys.argv[1]); del sys.argv[:1]; "
    "from workbench.processes import follow_parent; follow_parent(); "
)
_LONGEST_LINE = 64 * 1024 * 1024

_starting: set[asyncio.Task[asyncio.subprocess.Process]] = set()


async def run(
    module: str,
    arguments: Sequence[str],
    *,
    interpreter: str = "",
    tick: Callable[[int, int], None] = lambda done, total: None,
    patience: float | None = None,
) -> Any:
    """Run a module of ours as a worker and give its result; cancelling ends the worker.

    Raises:
        JsonRpcException: it failed, hung or died; the message says why and what to do.
    """
    command = interpreter or sys.executable
    root = str(Path(__file__).resolve().parents[1])
    call = f"{_RUN}sys.argv[0] = {module!r}; runpy.run_module({module!r}, run_name='__main__')"
    try:
        process = await _start(command, "-P", "-X", "utf8", "-c", call, root, *arguments)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise failed(f"{command} does not start: {why}; choose another interpreter") from error
    try:
        async with asyncio.timeout(patience):
            return await _listen(process, tick)
    except TimeoutError as error:
        raise failed(
            f"the worker did not answer within {patience:.0f} s and was stopped"
        ) from error
    finally:
        _end(process)
        await process.wait()


async def all_started() -> None:
    """Wait for the workers that are about to start; those that nobody wants any more have ended."""
    while _starting:
        await asyncio.wait(_starting)


async def _start(*command: str) -> asyncio.subprocess.Process:
    """Start a process; asyncio may wait for ever where the start itself is cancelled."""
    starting = asyncio.create_task(
        asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=_LONGEST_LINE,
            start_new_session=os.name == "posix",
        )
    )
    _starting.add(starting)
    starting.add_done_callback(_starting.discard)
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        starting.add_done_callback(_end_unwanted)
        raise


def failed(message: str) -> JsonRpcException:
    """Return the error of a request that was understood but could not be done."""
    return JsonRpcException(message, types.LSPErrorCodes.RequestFailed.value)


async def _listen(process: asyncio.subprocess.Process, tick: Callable[[int, int], None]) -> Any:
    assert process.stdout and process.stderr
    errors = asyncio.create_task(process.stderr.read())
    while line := await process.stdout.readline():
        try:
            received = json.loads(line)
        except ValueError:
            continue  # output of a library
        match received:
            case {"done": int(done), "total": int(total)}:
                tick(done, total)
            case {"error": str(message)}:
                raise failed(message)
            case {"result": result}:
                return result
    words = (await errors).decode(errors="replace").strip().split("\n")[-1]
    code = await process.wait()
    raise failed(f"the worker ended with code {code}: {words or 'without a message'}")


def _end_unwanted(started: asyncio.Task[asyncio.subprocess.Process]) -> None:
    if started.exception() is None:
        _end(started.result())


def _end(process: asyncio.subprocess.Process) -> None:
    """End a worker and what it has started."""
    if process.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
