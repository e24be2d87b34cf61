"""`[tool.torchferry]` in an open pyproject.toml: mistakes, completion and hover."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from lsp_server.presentation.diagnostics import SOURCE
from lsp_server.workspace.addresses import path_of
from workbench.codes import CODES
from workbench.convert.configuration.keys import KEYS, OFF
from workbench.convert.configuration.mistakes import mistakes
from workbench.findings import Severity

if TYPE_CHECKING:
    from lsp_server.wire.encoding import Encoding
    from lsp_server.workspace.documents import Document
    from workbench.positions import Position

_OURS = "tool.torchferry"
_HEADER = re.compile(r"\s*\[\s*([\w.-]+)\s*\]")
_KEY = re.compile(r"\s*([\w-]+)\s*=")
_WORD = re.compile(r"[\w-]+")


def diagnostics(document: Document, encoding: Encoding) -> list[dict[str, Any]]:
    """Return the mistakes in the settings, as the protocol has them."""
    path = path_of(document.uri)
    found = mistakes(document.text, path) if path else []
    return [
        {
            "range": encoding.encode_range_plainly(document.lines, one.range),
            "severity": types.DiagnosticSeverity.Error.value,
            "source": SOURCE,
            "message": one.message,
        }
        for one in found
    ]


def completions(
    document: Document, encoding: Encoding, at: types.Position
) -> list[types.CompletionItem]:
    """Return keys at the beginning of a line, and values after an equals sign."""
    place = encoding.decode(document.lines, at.line, at.character)
    before = document.lines.line(place.line)[: place.column]
    table = _table(document, place)
    key = _KEY.match(before)
    if table == f"{_OURS}.severities":
        words = {code: known.meaning for code, known in CODES.items()}
        values: tuple[str, ...] = (*map(str, Severity), OFF)
    elif table == _OURS:
        words = {name: known.meaning for name, known in KEYS.items()}
        values = KEYS[key[1]].values if key and key[1] in KEYS else ()
    else:
        return []
    if key is None:
        return [_item(name, meaning) for name, meaning in words.items()]
    bare = before.count('"') % 2 or values == ("true", "false")
    return [_item(one if bare else f'"{one}"', "") for one in values]


def _item(label: str, meaning: str) -> types.CompletionItem:
    kind = types.CompletionItemKind.Property if meaning else types.CompletionItemKind.Value
    return types.CompletionItem(label=label, kind=kind, detail=meaning or None)


def _table(document: Document, place: Position) -> str:
    """Return the name of the table that a place is in."""
    for number in range(place.line, -1, -1):
        if header := _HEADER.match(document.lines.line(number)):
            return header[1] if number < place.line else ""
    return ""


def hover(document: Document, encoding: Encoding, at: types.Position) -> types.Hover | None:
    """Return the meaning of the setting, or of the code, at a place."""
    place = encoding.decode(document.lines, at.line, at.character)
    if not _table(document, place).startswith(_OURS):
        return None
    words = _WORD.finditer(document.lines.line(place.line))
    word = next((one[0] for one in words if one.start() <= place.column <= one.end()), "")
    if word in KEYS:
        known = KEYS[word]
        text = f"{known.meaning}\n\n```toml\n{word} = {known.example}\n```"
    elif word in CODES:
        text = f"{word}: {CODES[word].meaning}"
    else:
        return None
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text))
