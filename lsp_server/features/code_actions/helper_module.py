"""The helper module next to an open file: the imports of fixes, and their additions to it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from lsp_server.workspace.addresses import address_of, path_of
from workbench import files
from workbench.convert.configuration.keys import INLINE, MODULE
from workbench.convert.imports import helper_placement
from workbench.convert.imports.helper_modules import HelperImport, extended
from workbench.errors import TorchferryError
from workbench.positions import Lines, Position, Range

if TYPE_CHECKING:
    from lsp_server.session import Session
    from lsp_server.workspace.documents import Document, Program
    from workbench.findings import Fix

Edits = Sequence[types.CreateFile | types.TextDocumentEdit]


def helper_import(session: Session, program: Program) -> HelperImport | None:
    """Return the module that a program's fixes may import helpers from, or None for inline helpers.

    It does so in a text without a file, where the client cannot create files, and where the module
    is somebody else's, half-typed, or not certain to be found.
    """
    helpers, path = session.project(program).helpers, path_of(program.uri)
    if helpers == INLINE or path is None:
        return None
    spelled = helper_placement.imported_as(path, program.text) if session.creates_files else None
    if spelled is None:
        return None
    _, there = _text(session, helper_placement.module_file(path, spelled))
    if there is None or (there and helper_placement.problem(there)):
        return None
    return HelperImport(spelled, few_inline=helpers != MODULE)


def module_edits(session: Session, program: Program, fix: Fix) -> Edits:
    """Return the edits that add a fix's imported helpers to the module."""
    path = path_of(program.uri)
    if not fix.helpers or fix.helpers_from is None or path is None:
        return []
    file = helper_placement.module_file(path, fix.helpers_from)
    document, there = _text(session, file)
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


def _text(session: Session, file: Path) -> tuple[Document | None, str | None]:
    """Return the module's text in the client or on disk, or an empty text if there is none.

    None for one that cannot be read.
    """
    document = session.documents.at(file)
    if document is not None:
        return document, document.text
    if not file.exists():
        return None, ""
    try:
        return None, files.decode(file, files.read(file))[0]
    except TorchferryError:
        return None, None


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
