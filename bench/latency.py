"""Keystroke to diagnostics through the real protocol, compared with ruff's server in one run."""

from __future__ import annotations

import ast
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from bench.sources import of_length
from bench.table import Row
from bench.wire import Wire

_KEYSTROKES = 60
_STARTS = 5
_PREVIEWS = 10
_URI = "file:///bench/model.py"
_TYPED = "x = torch.relu(x)"
_BARE = "from pygls.lsp.server import LanguageServer as S; S('bare', '1').start_io()"


@dataclass
class Typing:
    """The latencies of a server, and its memory."""

    milliseconds: list[float] = field(default_factory=list)
    memory: float = 0.0

    def percentile(self, share: float) -> float:
        ordered = sorted(self.milliseconds)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]

    def shown(self) -> str:
        """Return the figures for a table."""
        return f"p50 {self.percentile(0.5):.1f} ms, p95 {self.percentile(0.95):.1f} ms"


@dataclass(frozen=True)
class Key:
    """Text that is typed at a position, with 0-based line and column."""

    line: int
    column: int
    text: str


def rows() -> Iterator[Row]:
    """Yield the time to start, the memory, and the latency at two sizes."""
    ruff = shutil.which("ruff", path=str(Path(sys.executable).parent)) or shutil.which("ruff")
    for lines, budget in ((1_000, "p95 4.4 x ruff"), (5_000, "p95 1.47 x ruff")):
        text = of_length(lines)
        if lines == 5_000:
            text = _repeated(text, lines)
        count = text.count("\n")
        keys = _between(text)
        ours = _type([sys.executable, "-m", "lsp_server"], text, keys)
        if lines == 1_000:
            bare = min(_started([sys.executable, "-c", _BARE]) for _ in range(_STARTS))
            start = min(_started([sys.executable, "-m", "lsp_server"]) for _ in range(_STARTS))
            yield Row("server start to initialised", f"{start:.0f} ms", budget="1.3 x bare pygls")
            yield Row("bare pygls server, start", f"{bare:.0f} ms", bare / start)
            yield Row("server memory with a file open", f"{ours.memory:.0f} MB", budget="80 MB")
        yield Row(f"keystroke to diagnostics, {count:,} lines", ours.shown(), budget=budget)
        inside = _type([sys.executable, "-m", "lsp_server"], text, _inside(text))
        yield Row(f"in a function, new lines too, {count:,} lines", inside.shown())
        first, *later = _preview(text)
        shown = f"first {first:.0f} ms, after a key p50 {median(later):.0f} ms"
        yield Row(f"preview of a file, {count:,} lines", shown, budget="1,000 ms")
        if ruff is not None:
            for where, our, typed in (("", ours, keys), ("in a function, ", inside, _inside(text))):
                peer = _type([ruff, "server"], text, typed)
                ratio = peer.percentile(0.95) / our.percentile(0.95)
                yield Row(f"ruff server, {where}{count:,} lines, p95", peer.shown(), ratio)


def _started(command: list[str]) -> float:
    """Return the milliseconds until a server has answered `initialize`."""
    began = time.perf_counter()
    with Wire(command) as wire:
        params = {"processId": None, "rootUri": None, "capabilities": {}}
        wire.await_answer(wire.send("initialize", params, request=True))
        return 1000 * (time.perf_counter() - began)


def _repeated(text: str, lines: int) -> str:
    """Return a program of about this length, made of copies of a real one."""
    copies = max(1, round(lines / max(1, text.count("\n"))))
    return "\n".join([text] * copies)


def _type(command: list[str], text: str, keys: list[Key]) -> Typing:
    """Open a file and type into it, waiting for the answer to each key."""
    result = Typing()
    with Wire(command) as wire:
        _open(wire, text)
        result.memory = wire.memory()
        for version, key in enumerate(keys, 1):
            began = time.perf_counter()
            _press(wire, version, key)
            wire.await_diagnostics(version)
            result.milliseconds.append(1000 * (time.perf_counter() - began))
    return result


def _preview(text: str) -> list[float]:
    """Return the milliseconds to the preview of an open file, unchanged and after each key."""
    took: list[float] = []
    command = {"command": "torchferry.server.preview", "arguments": [_URI]}
    with Wire([sys.executable, "-m", "lsp_server"]) as wire:
        _open(wire, text)
        for version, key in enumerate(_between(text)[:_PREVIEWS]):
            if version:
                _press(wire, version, key)
            began = time.perf_counter()
            wire.await_answer(wire.send("workspace/executeCommand", command, request=True))
            took.append(1000 * (time.perf_counter() - began))
    return took


def _open(wire: Wire, text: str) -> None:
    """Begin a session with one file, and wait for its diagnostics."""
    capabilities = {"textDocument": {"publishDiagnostics": {"versionSupport": True}}}
    params = {"processId": None, "rootUri": None, "capabilities": capabilities}
    wire.await_answer(wire.send("initialize", params, request=True))
    wire.send("initialized", {})
    document = {"uri": _URI, "languageId": "python", "version": 0, "text": text}
    wire.send("textDocument/didOpen", {"textDocument": document})
    wire.await_diagnostics(0)


def _press(wire: Wire, version: int, key: Key) -> None:
    """Type one key, which results in this version of the file."""
    at = {"line": key.line, "character": key.column}
    change = {"range": {"start": at, "end": at}, "text": key.text}
    document = {"uri": _URI, "version": version}
    wire.send("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})


def _between(text: str) -> list[Key]:
    """Return the keys of lines that are typed in the middle of a text."""
    line, width = _place(text), len(_TYPED)
    places = (divmod(number, width) for number in range(_KEYSTROKES))
    return [Key(line + row, column, _TYPED[column]) for row, column in places]


def _inside(text: str) -> list[Key]:
    """Return the keys of new lines before the last statement of a function in the middle."""
    lines = text.split("\n")
    functions = [
        one
        for one in ast.walk(ast.parse(text))
        if isinstance(one, ast.FunctionDef) and one.body[-1].lineno > one.lineno + 3
    ]
    middle = min(functions, key=lambda one: abs(one.lineno - len(lines) // 2)).body[-1]
    above, indent = middle.lineno - 2, " " * middle.col_offset
    keys: list[Key] = []
    while len(keys) < _KEYSTROKES:
        keys.append(Key(above, len(lines[above]), f"\n{indent}"))
        above += 1
        lines.insert(above, indent + _TYPED)
        keys += [Key(above, len(indent) + at, key) for at, key in enumerate(_TYPED)]
    return keys[:_KEYSTROKES]


def _place(text: str) -> int:
    """Return the index of a blank line in the middle of the text, between two definitions."""
    lines = [*text.splitlines(), ""]
    half = len(lines) // 2
    return next(
        index
        for index in range(half, len(lines) - 1)
        if not lines[index].strip() and not lines[index + 1].startswith((" ", "\t"))
    )
