"""Whatever comes over the wire, the server answers or declines, and stays up."""

from __future__ import annotations

import asyncio
import json
import random
import sys
from typing import TYPE_CHECKING, Any

import pytest
from lsp_session import PATIENCE, ROOT, Session, span

if TYPE_CHECKING:
    from pathlib import Path

URI = "file:///w/a.py"


class Wire:
    """A server process and the bare bytes to and from it."""

    def __init__(self) -> None:
        self.runner = asyncio.Runner()
        self._answers: dict[int | str | None, dict[str, Any]] = {}
        self.process = self.runner.run(self._start())

    async def _start(self) -> asyncio.subprocess.Process:
        pipe = asyncio.subprocess.PIPE
        return await asyncio.create_subprocess_exec(
            sys.executable, "-m", "lsp_server", stdin=pipe, stdout=pipe, stderr=pipe, cwd=ROOT
        )

    def send(self, message: Any) -> None:
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def send_bytes(self, data: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(data)

    def send_end(self) -> None:
        """Close the way to the server."""
        assert self.process.stdin
        self.process.stdin.close()

    def receive(self) -> dict[str, Any]:
        async def receive() -> dict[str, Any]:
            assert self.process.stdout
            header = await self.process.stdout.readuntil(b"\r\n\r\n")
            length = int(header.split(b":")[1].split()[0])
            return json.loads(await self.process.stdout.readexactly(length))

        return self.runner.run(asyncio.wait_for(receive(), PATIENCE))

    def answer(self, identity: int | str | None) -> dict[str, Any]:
        """Return the answer to a request, in any order; notifications are skipped."""
        while identity not in self._answers:
            message = self.receive()
            if "method" not in message:
                self._answers[message.get("id")] = message
        return self._answers.pop(identity)

    def request(self, identity: int | str, method: str, params: Any) -> dict[str, Any]:
        self.send({"jsonrpc": "2.0", "id": identity, "method": method, "params": params})
        return self.answer(identity)

    def initialize(self) -> None:
        assert "result" in self.request(1, "initialize", {"processId": None, "capabilities": {}})
        self.send({"jsonrpc": "2.0", "method": "initialized", "params": {}})

    def end(self) -> None:
        if self.process.returncode is None:
            self.process.kill()
        self.runner.run(self.process.wait())
        self.runner.close()


@pytest.fixture
def wire() -> Any:
    wire = Wire()
    try:
        yield wire
    finally:
        wire.end()


@pytest.fixture(scope="module")
def serving() -> Any:
    """A server that is initialized and stays up through the tests that share it."""
    wire = Wire()
    try:
        wire.initialize()
        yield wire
    finally:
        wire.end()


NOWHERE = {"textDocument": {"uri": "file:///no"}, "position": {"line": 0, "character": 0}}


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{nonsense", -32700),
        (b"\xff\xfe\x00", -32700),
        (b"[" * 100_000, -32700),
        (b"[]", -32600),
        (b'"text"', -32600),
        (b'{"id": 1, "method": 5}', -32600),
        (b'{"id": {}, "method": "shutdown"}', -32600),
    ],
)
def test_malformed_requests_are_refused(serving: Wire, body: bytes, code: int) -> None:
    serving.send(body)
    assert serving.answer(None)["error"]["code"] == code
    assert serving.request(2, "textDocument/hover", NOWHERE)["result"] is None


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("textDocument/hover", {"textDocument": 5}),
        ("textDocument/hover", None),
        ("textDocument/codeAction", {"textDocument": {"uri": URI}}),
        ("codeAction/resolve", []),
        ("workspace/executeCommand", {"command": "no.such"}),
        ("no/such/method", {}),
    ],
)
def test_a_request_that_makes_no_sense_is_answered(serving: Wire, method: str, params: Any) -> None:
    error = serving.request("a", method, params)["error"]
    assert error["code"] < 0 and error["message"]
    assert serving.request("b", "textDocument/hover", NOWHERE)["result"] is None


def test_noise_on_the_wire(serving: Wire) -> None:
    serving.send_bytes(random.Random(1).randbytes(200_000) + b"\r\n")
    assert serving.request(2, "textDocument/hover", NOWHERE)["result"] is None


def test_the_order_of_life(wire: Wire) -> None:
    assert wire.request(1, "textDocument/hover", NOWHERE)["error"]["code"] == -32002
    wire.send({"jsonrpc": "2.0", "method": "textDocument/didClose", "params": {}})
    assert "result" in wire.request(2, "initialize", {"processId": None, "capabilities": {}})
    assert wire.request(3, "initialize", {"capabilities": {}})["error"]["code"] == -32600
    assert "error" not in wire.request(4, "shutdown", None)
    assert wire.request(5, "textDocument/hover", NOWHERE)["error"]["code"] == -32600
    wire.send({"jsonrpc": "2.0", "method": "exit"})
    assert wire.runner.run(asyncio.wait_for(wire.process.wait(), PATIENCE)) == 0


@pytest.mark.parametrize("uses", [1, 1300], ids=["small", "on a thread"])
def test_requests_before_a_shutdown_are_answered_before_it(wire: Wire, uses: int) -> None:
    text = "import torch\n" + "y = torch.abs(x)\n" * uses
    document = {"uri": URI, "languageId": "python", "version": 1, "text": text}
    place = {"line": 1, "character": 6}
    asked = {
        "textDocument": {"uri": URI},
        "range": {"start": place, "end": place},
        "context": {"diagnostics": []},
    }
    wire.initialize()
    wire.send({"method": "textDocument/didOpen", "params": {"textDocument": document}})
    wire.send({"id": 2, "method": "textDocument/codeAction", "params": asked})
    wire.send({"id": 3, "method": "shutdown"})
    wire.send({"method": "exit"})
    wire.send_end()
    assert "Convert torch.abs to paddle.abs" in [each["title"] for each in wire.answer(2)["result"]]
    assert wire.answer(3)["result"] is None
    assert wire.runner.run(asyncio.wait_for(wire.process.wait(), PATIENCE)) == 0


def test_a_shutdown_waits_for_no_command(wire: Wire, tmp_path: Path) -> None:
    slow = tmp_path / "python"
    slow.write_text("#!/bin/sh\nexec sleep 600\n")
    slow.chmod(0o755)
    wire.initialize()
    settings = {"torchferry": {"interpreter": str(slow)}}
    wire.send({"method": "workspace/didChangeConfiguration", "params": {"settings": settings}})
    prove = {"command": "torchferry.server.prove", "arguments": ["torch.relu"]}
    wire.send({"id": 2, "method": "workspace/executeCommand", "params": prove})
    wire.send({"id": 3, "method": "shutdown"})
    assert wire.answer(2)["error"]["code"] == -32800
    assert wire.answer(3)["result"] is None
    wire.send({"method": "exit"})
    assert wire.runner.run(asyncio.wait_for(wire.process.wait(), PATIENCE)) == 0


def test_cancelled_requests_are_answered(serving: Wire) -> None:
    requests = [
        {"jsonrpc": "2.0", "id": n, "method": "textDocument/hover", "params": NOWHERE}
        for n in range(10, 20)
    ]
    cancel = {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 19}}
    stream = b""
    for message in [*requests, cancel]:
        body = json.dumps(message).encode()
        stream += b"Content-Length: %d\r\n\r\n" % len(body) + body
    serving.send_bytes(stream)
    for n in range(10, 19):
        assert "result" in serving.answer(n)
    last = serving.answer(19)
    assert last.get("error", {}).get("code") == -32800 or "result" in last
    serving.send({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {}})
    serving.send({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 999}})
    assert "result" in serving.request(20, "textDocument/hover", NOWHERE)


def test_documents_that_are_not_open(session: Session) -> None:
    session.change(URI, 2, "import torch\n")
    session.close_document(URI)
    session.close_document("untitled:Untitled-1")
    assert session.actions(URI, span(0, 0, 1, 1)) == []
    session.open("untitled:Untitled-1", "import torch\ny = torch.abs(x)\n")
    assert session.diagnostics("untitled:Untitled-1")


@pytest.mark.parametrize("seed", range(3))
def test_random_edits_end_as_a_fresh_open(session: Session, seed: int) -> None:
    rng = random.Random(seed)
    pieces = ["torch.abs(x)", "\n", "(", ")", "'", '"""', "é😀", "    ", ":", "\u2028", "x = ", ""]
    text = "import torch\n\n\ndef f(x):\n    y = torch.relu(x)\n    return torch.abs(y)\n"
    session.open(URI, text)
    version = 1
    for version in range(2, 202):
        lines = text.split("\n")
        line = rng.randrange(len(lines))
        a, b = sorted(rng.randint(0, len(lines[line])) for _ in range(2))
        new = rng.choice(pieces)
        units = [len(lines[line][:n].encode("utf-16-le")) // 2 for n in (a, b)]
        session.change(URI, version, ((line, units[0], line, units[1]), new))
        lines[line] = lines[line][:a] + new + lines[line][b:]
        text = "\n".join(lines)
    # Back to whole code: what half-typed code shows may depend on how it came to be.
    text = "import torch\n" + "y = torch.abs(x)\n" * 3
    session.change(URI, version + 1, text)
    session.open("file:///w/fresh.py", text)
    assert session.diagnostics(URI, version + 1) == session.diagnostics("file:///w/fresh.py")
    assert session.close() == 0
