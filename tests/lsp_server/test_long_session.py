"""A long day of typing: no error, no stale diagnostic, no memory that only grows."""

from __future__ import annotations

import importlib.util
import random
from pathlib import Path

import pytest
from lsp_session import Session

URI = "file:///w/long.py"
BURST = 20
PIECES = ["torch.abs(x)", "\n", "(", ")", "'", '"""', "é😀", "    ", ":", "\x0c", "x = ", "#", ""]


def real_file() -> str:
    """Return a module of torch's own, read and not imported."""
    found = importlib.util.find_spec("torch")
    if found is None or found.origin is None:
        pytest.skip("torch, whose source is edited here, is not installed")
    return (Path(found.origin).parent / "nn" / "modules" / "rnn.py").read_text()


def memory_mb(session: Session) -> float:
    status = Path(f"/proc/{session.process.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


@pytest.mark.timeout(600)
@pytest.mark.parametrize("edits", [300, pytest.param(3000, marks=pytest.mark.thorough)])
def test_many_random_edits(edits: int, session: Session, seed: int) -> None:
    rng = random.Random(seed)
    original = real_file()
    lines = original.split("\n")
    session.open(URI, original)
    # Hazards come last; the server looks for them in a pause.
    settled = session.await_published(
        URI, lambda params: any(one.code == "TF414" for one in params.diagnostics)
    )
    undo: list[tuple[int, str, int]] = []
    held: list[float] = []
    for version in range(2, edits + 2):
        # Half of the edits take back the last one, as typing errors are.
        if undo and rng.random() < 0.5:
            line, old, count = undo.pop()
            session.change(
                URI, version, ((line, 0, line + count - 1, utf16(lines, line, count)), old)
            )
            lines[line : line + count] = [old]
        else:
            line = rng.randrange(len(lines))
            old = lines[line]
            at = rng.randint(0, len(old))
            new = old[:at] + rng.choice(PIECES) + old[rng.randint(at, len(old)) :]
            session.change(URI, version, ((line, 0, line, utf16(lines, line, 1)), new))
            lines[line : line + 1] = new.split("\n")
            undo.append((line, old, len(new.split("\n"))))
        if version % BURST == 0:
            session.diagnostics(URI, version)
            session.published[URI].clear()
            held.append(memory_mb(session))
    # Caches fill for a while, and garbage that waits to be collected is tens of megabytes.
    third = len(held) // 3
    assert min(held[-third:]) < max(held[:third]) + 25
    session.change(URI, edits + 2, original)
    session.await_published(
        URI,
        lambda params: params.version == edits + 2 and params.diagnostics == settled.diagnostics,
    )
    assert not session.log, "nothing went wrong that a user would be told of"
    assert session.close() == 0


def utf16(lines: list[str], line: int, count: int) -> int:
    """Return the length of the last of some lines, as the client counts."""
    return len(lines[line + count - 1].encode("utf-16-le")) // 2
