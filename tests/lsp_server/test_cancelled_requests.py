"""Typing in a large file with a client that cancels its requests, as VS Code does."""

from __future__ import annotations

import random
from typing import Any

import pytest
from lsp_session import Session, span
from lsprotocol import types

URI = "file:///w/typed.py"
FRESH = "file:///w/fresh.py"
NOT_OPEN = "file:///w/not-open.py"
BLOCK = """
class Layer{n}(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = nn.Linear(width, 4 * width)
        self.norm = nn.BatchNorm2d(width, momentum=0.{n})

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        x = torch.where(mask, x, torch.zeros_like(x))
        return F.gelu(self.first(x)).masked_fill(mask, 0.0)
"""
IMPORTS = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
PIECES = [
    "aa = torch.sub(x, y)\n",
    "\n",
    "# é😀 note\n",
    "z = torch.stack([a, b], dim=1)\n",
    "(\n",
    '"""\n',
]
TYPED = ["x", ".", "torch.", "(", ")", " ", "\n", "    ", "'", "=", ":", ""]


def program(lines: int) -> str:
    """Return a program of at least so many lines."""
    blocks = range(1, lines // BLOCK.count("\n") + 2)
    return IMPORTS + "".join(BLOCK.replace("{n}", str(n)) for n in blocks)


def ask_and_cancel(session: Session, uri: str, rng: random.Random) -> None:
    """Send requests about a document, and cancel most of them while a thread works on them."""
    document = types.TextDocumentIdentifier(uri)
    line = rng.randrange(400)
    requests: list[tuple[str, Any]] = [
        ("textDocument/hover", types.HoverParams(document, types.Position(line, 12))),
        (
            "textDocument/codeAction",
            types.CodeActionParams(
                document, span(line, 0, line + 3, 0), types.CodeActionContext([])
            ),
        ),
        ("textDocument/inlayHint", types.InlayHintParams(document, span(0, 0, line + 99, 0))),
        ("textDocument/codeLens", types.CodeLensParams(document)),
    ]
    protocol = session.client.protocol
    names = [str(rng.random()) for _ in range(3)]
    for name, (method, params) in zip(names, rng.sample(requests, 3), strict=True):
        protocol.send_request(method, params, msg_id=name)
    session.hover(NOT_OPEN, 0, 0)  # by its answer, the work on the others has begun
    for name in names:
        if rng.random() < 0.8:
            protocol.notify("$/cancelRequest", types.CancelParams(name))


def shown(diagnostics: list[types.Diagnostic]) -> list[tuple[Any, ...]]:
    return [(one.range, one.code, one.message) for one in diagnostics]


def edit(session: Session, version: int, lines: list[str], rng: random.Random) -> list[str]:
    """Make one edit near the top: a new line, lines taken out or copied, or a change in a line."""
    line = rng.randrange(3, min(len(lines), 600))
    kind = rng.random()
    if kind < 0.4:
        return changed(session, version, lines, (line, 0, line, 0), rng.choice(PIECES))
    if kind < 0.7:
        last = min(line + rng.choice((1, 1, 1, 5)), len(lines))
        return changed(session, version, lines, (line, 0, last, 0), "")
    if kind < 0.75:
        copied = "".join(lines[line : line + rng.randrange(1, 12)])
        return changed(session, version, lines, (line, 0, line, 0), copied)
    text = lines[line].rstrip("\n")
    if not text.isascii():
        return changed(session, version, lines, (line, 0, line, 0), "\n")
    start = rng.randint(0, len(text))
    end = rng.randint(start, min(len(text), start + 3))
    return changed(session, version, lines, (line, start, line, end), rng.choice(TYPED))


def changed(
    session: Session,
    version: int,
    lines: list[str],
    where: tuple[int, int, int, int],
    text: str,
) -> list[str]:
    """Replace a range, in the server and in the lines."""
    session.change(URI, version, (where, text))
    first, start, last, end = where
    head, tail = lines[first][:start] if first < len(lines) else "", ""
    rest = lines[last:]
    if end or last == first:
        tail, rest = (rest[0][end:] if rest else ""), rest[1:]
    middle = (head + text + tail).splitlines(keepends=True)
    return [*lines[:first], *middle, *rest]


def type_and_compare(session: Session, length: int, edits: int, seed: int) -> None:
    """Type lines with cancelled requests; the findings are those of the same text opened fresh."""
    rng = random.Random(seed)
    lines = program(length).splitlines(keepends=True)
    session.open(URI, "".join(lines))
    session.diagnostics(URI)
    for version in range(2, edits + 2):
        lines = edit(session, version, lines, rng)
        ask_and_cancel(session, URI, rng)
        if version % 10 == 0:
            typed = session.diagnostics(URI, version)
            session.published.clear()
            session.open(FRESH, "".join(lines))
            assert shown(typed) == shown(session.diagnostics(FRESH)), f"seed {seed}, edit {version}"
            session.close_document(FRESH)
            session.published.clear()


@pytest.mark.timeout(600)
def test_findings_follow_the_text(session: Session, seed: int) -> None:
    type_and_compare(session, 700, 40, seed)


@pytest.mark.thorough
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("length", [1000, 3000, 8000])
def test_findings_follow_the_text_for_hours(session: Session, length: int) -> None:
    type_and_compare(session, length, 5000 // 3, seed=length)
