"""Fuzzes the language server with messages that no client should send.

    python -m tests.fuzz.protocol --count 20000

Whatever comes, every request is answered, none with an internal error, and afterwards the server
publishes the findings of a document and answers a hover as if nothing had been.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path
from queue import Empty, Queue
from random import Random
from typing import Any

from lsp_server.wire.framing import Frames
from tests.fuzz.messages import Client, framed

ROOT = Path(__file__).resolve().parents[2]
# Far beyond what an answer takes on a busy machine: only what hangs comes here.
PATIENCE = 60
_SESSION = 1_000  # messages to one server
_BATCH = 25  # messages until it is asked whether it is still there
_INTERNAL = -32603
_SHOWN = 20

_GOOD = "file:///w/probe.py"
_TEXT = "import torch\n\nx = torch.relu(torch.zeros(2, 3))\n"
_HOVER = {"textDocument": {"uri": _GOOD}, "position": {"line": 2, "character": 8}}
_SETTINGS = {"settings": {"torchferry": {"enable": True, "target": "paddle", "severities": {}}}}


class Server:
    """A server process, and what it said."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "lsp_server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=ROOT,
            env={**os.environ, "PYTHONFAULTHANDLER": "1"},
        )
        self.answered: Counter[int | str] = Counter()
        self.problems: list[str] = []
        self.log: list[str] = []
        self._messages: Queue[dict[str, Any] | None] = Queue()
        self._readers = [threading.Thread(target=each) for each in (self._read, self._read_log)]
        for reader in self._readers:
            reader.start()

    def _read(self) -> None:
        assert self.process.stdout
        frames = Frames()
        while data := self.process.stdout.read1(1 << 16):
            for body in frames.feed(data):
                self._messages.put(json.loads(body))
        self._messages.put(None)

    def _read_log(self) -> None:
        assert self.process.stderr
        for line in self.process.stderr:
            self.log.append(line.decode(errors="replace").rstrip())

    def send(self, data: bytes) -> None:
        """Send bytes, whatever they are."""
        assert self.process.stdin
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def ask(self, identity: str, method: str, params: Any) -> Any:
        """Return the result of a request that is in order."""
        self.send(framed({"id": identity, "method": method, "params": params}))
        answer = self.hear(
            lambda message: message.get("id") == identity and "method" not in message
        )
        if "result" not in answer:
            raise ValueError(f"{method} is answered with {answer}")
        return answer["result"]

    def hear(self, wanted: Any) -> dict[str, Any]:
        """Return the first message that is wanted; the others are noted.

        Raises:
            TimeoutError, EOFError: it does not come.
        """
        while True:
            try:
                message = self._messages.get(timeout=PATIENCE)
            except Empty:
                raise TimeoutError(f"no answer within {PATIENCE} s") from None
            if message is None:
                raise EOFError(f"the server has ended: {self.log[-1:]}")
            self._note(message)
            if wanted(message):
                return message

    def _note(self, message: dict[str, Any]) -> None:
        if "method" in message or message.get("id") is None:
            return
        self.answered[message["id"]] += 1
        error = message.get("error")
        if error and error["code"] == _INTERNAL:
            self.problems.append(f"request {message['id']}: {error['message'][:300]}")

    def stacks(self) -> list[str]:
        """End a server that no longer answers, and return where it was."""
        self.process.send_signal(signal.SIGABRT)
        self._readers[1].join(timeout=PATIENCE)
        return self.log[-60:]

    def end(self) -> None:
        """Leave no process behind."""
        self.process.kill()
        self.process.wait()
        for reader in self._readers:
            reader.join()


def session(client: Client, count: int) -> list[str]:
    """Send messages to a server of their own; what was wrong."""
    server = Server()
    try:
        _converse(server, client, count)
        while missing := [each for each in client.asked if not server.answered[each]]:
            try:
                server.hear(lambda message: True)
            except TimeoutError:
                server.problems += [f"{each}: not answered" for each in missing]
                break
        problems = server.problems + _tracebacks(server.log)
    except (TimeoutError, EOFError, BrokenPipeError, ValueError) as error:
        problems = [*server.problems, f"{type(error).__name__}: {error}", *server.stacks()]
    finally:
        server.end()
    return problems


def _converse(server: Server, client: Client, count: int) -> None:
    early = count // 50
    for _ in range(early):
        server.send(client.message())
    pulls = client.pulls
    try:
        server.ask("initialize", "initialize", client.hello())
    except ValueError:  # one of the messages was so good as to initialize it, and pulls nothing
        pulls = False
    server.send(framed({"method": "initialized", "params": {}}))
    for number in range(early, count):
        server.send(client.message())
        if number % _BATCH == 0:
            server.ask(f"there {number}", "workspace/executeCommand", _ENVIRONMENT)
    server.send(framed({"method": "workspace/didChangeConfiguration", "params": _SETTINGS}))
    opened = {"uri": _GOOD, "languageId": "python", "version": 77, "text": _TEXT}
    server.send(framed({"method": "textDocument/didOpen", "params": {"textDocument": opened}}))
    if pulls:
        found = server.ask("find", "textDocument/diagnostic", {"textDocument": {"uri": _GOOD}})
        found = found["items"]
    else:
        found = server.hear(_is_of_probe)["params"]["diagnostics"]
    if not any("torch.relu" in each["message"] for each in found):
        server.problems.append(f"at the end it finds {found}")
    hovered = server.ask("hover", "textDocument/hover", _HOVER)
    if "torch.relu" not in str(hovered):
        server.problems.append(f"at the end it says {hovered}")


_ENVIRONMENT = {"command": "torchferry.server.environment", "arguments": []}


def _is_of_probe(message: dict[str, Any]) -> bool:
    params = message.get("params")
    return (
        message.get("method") == "textDocument/publishDiagnostics"
        and params["uri"] == _GOOD
        and params.get("version") == 77
    )


def _tracebacks(log: list[str]) -> list[str]:
    """Return the exceptions that were logged as faults of the server's own."""
    found = []
    for number, line in enumerate(log):
        if " ERROR lsp_server." in line or " ERROR asyncio:" in line:
            after = (each for each in log[number + 1 :] if each and not each[0].isspace())
            raised = next((each for each in after if not each.startswith("Traceback")), "")
            found.append(f"{line}: {raised}"[:400])
    return found


def main(count: int = 1_000, seed: int = 0) -> int:
    """Send so many messages; the exit code."""
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for first in range(0, count, _SESSION):
            name = f"{seed}/{first}"
            client = Client(Random(name), Path(folder))
            for problem in session(client, min(_SESSION, count - first)):
                wrong += 1
                if wrong <= _SHOWN:
                    print(f"session {name}: {problem}", flush=True)
    print(f"{count:,} cases, {wrong:,} undocumented")
    return 1 if wrong else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.protocol")
    parser.add_argument("--count", type=int, default=1_000, help="how many messages")
    parser.add_argument("--seed", type=int, default=0, help="what they are made from")
    given = parser.parse_args()
    sys.exit(main(given.count, given.seed))
