"""Serves a protocol on standard input and output, on one thread that does one thing at a time.

A second thread does nothing but read. Whatever it has read is handled before work that the event
loop was asked to do later, so that ten keystrokes in a row cost one analysis and not ten.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
from typing import TYPE_CHECKING, BinaryIO

from lsp_server import workers
from lsp_server.wire.framing import Frames

if TYPE_CHECKING:
    from lsp_server.connection.protocol import TorchferryProtocol


class Output:
    """Writes messages, each at once, whatever thread they come from."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._writing = threading.Lock()

    def write(self, data: bytes) -> None:
        if self._stream.closed:
            return  # the client has said exit: pending results are not needed
        with self._writing:
            self._stream.write(data)
            self._stream.flush()

    def close(self) -> None:
        with contextlib.suppress(OSError):  # the client may be gone, and has not read the rest
            self._stream.close()


def serve_stdio(protocol: TorchferryProtocol) -> None:
    """Serve until the client says exit, or goes away; raises `SystemExit` with the exit code."""
    asyncio.run(_serve(protocol, sys.stdin.fileno(), Output(_claim_stdout())))
    sys.exit(protocol.exit_code)


def _claim_stdout() -> BinaryIO:
    """Return the stream to the client, and redirect stray `print` calls to the log."""
    sys.stdout.flush()
    stream = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return stream


async def _serve(protocol: TorchferryProtocol, source: int, output: Output) -> None:
    loop = asyncio.get_running_loop()
    protocol.set_writer(output)

    def read() -> None:
        frames = Frames()
        try:
            while data := os.read(source, 1 << 16):
                for body in frames.feed(data):
                    protocol.note_cancellation(body)
                    loop.call_soon_threadsafe(protocol.receive, body)
            loop.call_soon_threadsafe(protocol.ended.set)
        except RuntimeError:
            return  # the loop has ended: the client said exit

    threading.Thread(target=read, name="reader", daemon=True).start()
    await protocol.ended.wait()
    await protocol.finish()
    await workers.all_started()
    output.close()
