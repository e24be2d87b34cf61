"""Keystroke to diagnostics through the real protocol, beside ruff's server in the same run."""

from __future__ import annotations

import shutil
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bench.sources import of_length
from bench.table import Row
from bench.wire import Wire

_KEYSTROKES = 60
_STARTS = 5
_TYPED = "x = torch.relu(x)"
_BARE = "from pygls.lsp.server import LanguageServer as S; S('bare', '1').start_io()"


@dataclass
class Typing:
    """How long a server takes to answer keystrokes, and what it weighs."""

    milliseconds: list[float] = field(default_factory=list)
    memory: float = 0.0

    def percentile(self, share: float) -> float:
        ordered = sorted(self.milliseconds)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def rows() -> Iterator[Row]:
    """Start, memory, and latency at two sizes."""
    ruff = shutil.which("ruff", path=str(Path(sys.executable).parent)) or shutil.which("ruff")
    for lines, budget in ((1_000, "30 ms"), (5_000, "100 ms")):
        text = of_length(lines)
        if lines == 5_000:
            text = _repeated(text, lines)
        count = text.count("\n")
        ours = _type([sys.executable, "-m", "lsp_server"], text)
        if lines == 1_000:
            bare = min(_started([sys.executable, "-c", _BARE]) for _ in range(_STARTS))
            start = min(_started([sys.executable, "-m", "lsp_server"]) for _ in range(_STARTS))
            yield Row("server start to initialised", f"{start:.0f} ms", budget="1.3 x bare pygls")
            yield Row("bare pygls server, start", f"{bare:.0f} ms", bare / start)
            yield Row("server memory with a file open", f"{ours.memory:.0f} MB", budget="80 MB")
        shown = f"p50 {ours.percentile(0.5):.1f} ms, p95 {ours.percentile(0.95):.1f} ms"
        yield Row(f"keystroke to diagnostics, {count:,} lines", shown, budget=f"p95 {budget}")
        if ruff is not None:
            peer = _type([ruff, "server"], text)
            median = statistics.median(peer.milliseconds)
            shown = f"p50 {median:.1f} ms, p95 {peer.percentile(0.95):.1f} ms"
            ratio = median / statistics.median(ours.milliseconds)
            yield Row(f"ruff server, {count:,} lines", shown, ratio)


def _started(command: list[str]) -> float:
    """Milliseconds until a server has answered `initialize`."""
    began = time.perf_counter()
    with Wire(command) as wire:
        params = {"processId": None, "rootUri": None, "capabilities": {}}
        wire.await_answer(wire.send("initialize", params, request=True))
        return 1000 * (time.perf_counter() - began)


def _repeated(text: str, lines: int) -> str:
    """A program about as long as asked for, made of whole copies of a real one."""
    copies = max(1, round(lines / max(1, text.count("\n"))))
    return "\n".join([text] * copies)


def _type(command: list[str], text: str) -> Typing:
    """Open a file and type a line into its middle, waiting for the answer to each key."""
    result = Typing()
    uri = "file:///bench/model.py"
    with Wire(command) as wire:
        support = {"publishDiagnostics": {"versionSupport": True}}
        capabilities = {"textDocument": support}
        params = {"processId": None, "rootUri": None, "capabilities": capabilities}
        wire.await_answer(wire.send("initialize", params, request=True))
        wire.send("initialized", {})
        document = {"uri": uri, "languageId": "python", "version": 0, "text": text}
        wire.send("textDocument/didOpen", {"textDocument": document})
        wire.await_diagnostics(0)
        result.memory = wire.memory()
        line = _place(text)
        for version in range(1, _KEYSTROKES + 1):
            column = (version - 1) % len(_TYPED)
            at = {"line": line, "character": column}
            change = {"range": {"start": at, "end": at}, "text": _TYPED[column]}
            identifier = {"uri": uri, "version": version}
            began = time.perf_counter()
            wire.send(
                "textDocument/didChange", {"textDocument": identifier, "contentChanges": [change]}
            )
            wire.await_diagnostics(version)
            result.milliseconds.append(1000 * (time.perf_counter() - began))
            if column + 1 == len(_TYPED):
                line += 1
    return result


def _place(text: str) -> int:
    """A blank line in the middle of the text, between two definitions."""
    lines = [*text.splitlines(), ""]
    half = len(lines) // 2
    return next(
        index
        for index in range(half, len(lines) - 1)
        if not lines[index].strip() and not lines[index + 1].startswith((" ", "\t"))
    )
