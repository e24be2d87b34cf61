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


def type_and_compare(session: Session, length: int, edits: int, seed: int) -> None:
    """Type lines with cancelled requests; the findings are those of the same text opened fresh."""
    rng = random.Random(seed)
    lines = program(length).splitlines(keepends=True)
    session.open(URI, "".join(lines))
    session.diagnostics(URI)
    for version in range(2, edits + 2):
        line = rng.randrange(3, min(len(lines), 600))
        if rng.random() < 0.4:
            del lines[line]
            session.change(URI, version, ((line, 0, line + 1, 0), ""))
        else:
            piece = rng.choice(PIECES)
            lines.insert(line, piece)
            session.change(URI, version, ((line, 0, line, 0), piece))
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
