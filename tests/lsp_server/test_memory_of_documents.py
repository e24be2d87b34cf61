"""The results for a document are freed when it is closed, and edits leave no garbage."""

from __future__ import annotations

import subprocess
import sys

import pytest

# A session in a separate process: other tests leave objects that are collected at any time.
SESSION = """
import gc
import weakref
from types import SimpleNamespace

from lsprotocol import types

from lsp_server.session import Session
from lsp_server.settings import Settings

URI = "file:///w/a.py"
TEXT = '''import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Linear(width, 4)

    def forward(self, x):
        if x.sum(dim=-1).item() > 0:
            x = torch.zeros((2, 3)) + x.flatten(1, -1)
        return torch.where(x > 0, torch.nn.functional.gelu(x), x)
'''
TYPED = ["y", " = ", "torch.", "stack([x], dim=-1)", "\\n", "(", ")", "'''", "'''", "\\n"]


class Client:
    workspace = SimpleNamespace(folders={})

    def send_plain(self, message):
        pass


def session():
    return Session(Client(), Settings(), "utf-16", types.ClientCapabilities())


def opened(one):
    program = one.documents.open(types.TextDocumentItem(URI, "python", 1, TEXT))
    assert one.diagnostics(program)[0][1]
    assert one.hazards(program, now=True)
    return program


def type_in(one, program):
    at = types.Position(9, 0)
    for version, text in enumerate(TYPED, 2):
        changed = types.TextDocumentContentChangePartial(types.Range(at, at), text)
        identity = types.VersionedTextDocumentIdentifier(version, URI)
        one.documents.change(identity, [changed])
        assert one.diagnostics(program)[0][1]
        rows = text.split("\\n")
        column = len(rows[-1]) + (at.character if len(rows) == 1 else 0)
        at = types.Position(at.line + len(rows) - 1, column)


one = session()
type_in(one, opened(one))
one.documents.close(URI)
gc.collect()
gc.disable()
"""
CLOSED = """
program = weakref.ref(opened(one))
assert program() is not None
one.documents.close(URI)
assert program() is None, gc.get_referrers(program())
"""
EDITED = """
program = opened(one)
gc.collect()
type_in(one, program)
gc.set_debug(gc.DEBUG_SAVEALL)
assert gc.collect() == 0, gc.garbage[:20]
"""


@pytest.mark.parametrize("steps", [CLOSED, EDITED], ids=["a document is closed", "one is typed in"])
def test_nothing_stays_behind(steps: str) -> None:
    done = subprocess.run([sys.executable, "-c", SESSION + steps], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
