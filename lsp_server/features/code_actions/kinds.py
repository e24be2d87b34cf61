"""The kinds of code actions that the server offers, which the client learns at the start."""

from __future__ import annotations

from lsprotocol import types

FIX_ALL = "source.fixAll.torchferry"
REWRITE = "refactor.rewrite.torchferry"
ACTION_KINDS: list[types.CodeActionKind | str] = [
    types.CodeActionKind.QuickFix,
    REWRITE,
    FIX_ALL,
]
