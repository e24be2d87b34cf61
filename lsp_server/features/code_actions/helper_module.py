"""Additions of fixes to the module of helpers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from lsp_server.workspace.addresses import address_of, path_of
from lsp_server.workspace.helper_modules import module_text
from workbench.convert.imports import helper_placement
from workbench.convert.imports.helper_modules import extended
from workbench.positions import Lines, Position, Range

if TYPE_CHECKING:
    from lsp_server.session import Session
    from lsp_server.workspace.documents import Program
    from workbench.findings import Fix

Edits = Sequence[types.CreateFile | types.TextDocumentEdit]


def module_edits(session: Session, program: Program, fix: Fix) -> Edits:
    """Return the edits that add a fix's imported helpers to the module."""
    path = path_of(program.uri)
    if not fix.helpers or fix.helpers_from is None or path is None:
        return []
    file = helper_placement.module_file(path, fix.helpers_from)
    document, there = module_text(session.documents, file)
    new = extended(there or "", fix.helpers, session.target(program.uri))
    if new == there:
        return []
    uri = document.uri if document else _uri(program.uri, path, file)
    lines = Lines(there or "")
    edit = types.TextDocumentEdit(
        types.OptionalVersionedTextDocumentIdentifier(
            uri=uri, version=document.version if document else None
        ),
        [_smallest(session, lines, new)],
    )
    if document is not None or file.exists():
        return [edit]
    return [types.CreateFile(uri, options=types.CreateFileOptions(ignore_if_exists=True)), edit]


def _uri(source_uri: str, path: Path, file: Path) -> str:
    """Return the address of the module, spelled as the client spells that of its neighbour."""
    if file.parent == path.parent:
        return f"{source_uri.rpartition('/')[0]}/{file.name}"
    return address_of(file)


def _smallest(session: Session, lines: Lines, new: str) -> types.TextEdit:
    """Return one edit that makes a text the new one, without their common beginning and end."""
    old, head, tail = lines.text, 0, 0
    limit = min(len(old), len(new))
    while head < limit and old[head] == new[head]:
        head += 1
    while tail < limit - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    where = lines.range(head, len(old) - tail) if old else Range(Position(0, 0), Position(0, 0))
    return types.TextEdit(session.encoding.encode_range(lines, where), new[head : len(new) - tail])
