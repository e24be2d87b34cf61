"""A minimal client of the Language Server Protocol, so that only the server's time is measured.

pygls's own client cannot read the capabilities of every server.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any, Self


class Wire:
    """A server process and the messages to and from it."""

    def __init__(self, command: list[str]) -> None:
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._last = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def send(self, method: str, params: dict[str, Any], *, request: bool = False) -> int:
        """Send a notification or a request; the number of the request."""
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
        if request:
            self._last += 1
            message["id"] = self._last
        self._write(message)
        return self._last

    def receive(self) -> dict[str, Any]:
        """Return the next message from the server; its requests are answered with null."""
        stream = self._process.stdout
        assert stream is not None
        while True:
            length = 0
            while line := stream.readline().strip():
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if not length:
                raise EOFError("the server has ended")
            message: dict[str, Any] = json.loads(stream.read(length))
            if "id" in message and "method" in message:
                self._write({"jsonrpc": "2.0", "id": message["id"], "result": None})
                continue
            return message

    def await_answer(self, number: int) -> None:
        """Wait for the answer to a request."""
        while self.receive().get("id") != number:
            pass

    def await_diagnostics(self, version: int) -> None:
        """Wait until the diagnostics of this version of a document are published."""
        while True:
            message = self.receive()
            if message.get("method") == "textDocument/publishDiagnostics" and message["params"].get(
                "version"
            ) in (None, version):
                return

    def memory(self) -> float:
        """Resident memory of the server in MB; 0 where the system does not say."""
        status = Path(f"/proc/{self._process.pid}/status")
        if not status.exists():
            return 0.0
        line = next(row for row in status.read_text().splitlines() if row.startswith("VmRSS"))
        return int(line.split()[1]) / 1024

    def _write(self, message: dict[str, Any]) -> None:
        data = json.dumps(message).encode()
        stream = self._process.stdin
        assert stream is not None
        stream.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        stream.flush()
