"""The findings in the files of a workspace for a client's tree, and fixes of its rows."""

from __future__ import annotations

import asyncio
import gc
import hashlib
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

import workbench
from lsp_server import workers
from lsp_server.closed_files import COLLECT_AFTER, program_of
from lsp_server.features.code_actions.edits import workspace_edit
from lsp_server.features.code_actions.helper_module import module_edits
from lsp_server.progress import Progress
from lsp_server.workspace.addresses import address_of, path_of
from lsp_server.workspace.notebooks import NotebookProgram
from workbench.codes import CODES, UNCHECKED
from workbench.convert.findings.messages import REMAINING
from workbench.convert.project.cache import Cache, basis, cache_folder
from workbench.errors import TorchferryError
from workbench.findings import Finding, Fix

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from lsp_server.service import TorchferryServer
    from lsp_server.session import Session
    from lsp_server.workspace.documents import Document, Program

_TITLE = "Checking the workspace"


async def overview(server: TorchferryServer, uris: Sequence[str] = ()) -> dict[str, Any]:
    """Return the findings of some files, or of all files in the workspace that have any.

    A requested file without findings, or one that is gone, has no rows.
    """
    found = [(uri, path_of(uri)) for uri in uris]
    if not uris:
        found = [(address_of(file), file) for file in await server.folders.found(notebooks=True)]
    by_file: dict[str, list[dict[str, Any]]] = {}
    look = _FileRows(server.session)
    async with Progress(server, _TITLE) as progress:
        for number, (uri, file) in enumerate(found):
            await asyncio.sleep(0)  # pending messages go first
            progress.report(number, len(found))
            rows = await look.rows(uri, file)
            if rows or uris:
                by_file[uri] = rows
    await look.end()
    title = server.session.target("").title
    codes = {row["code"] for rows in by_file.values() for row in rows}
    words = {code: CODES[code].words.format(target=title) for code in codes if code in CODES}
    return {"files": [{"uri": uri, "rows": rows} for uri, rows in by_file.items()], "codes": words}


class _FileRows:
    """Looks at files, and keeps what it finds in those that are not open for the next look."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._cache = Cache(cache_folder())
        self._uncollected = 0

    async def rows(self, uri: str, file: Path | None) -> list[dict[str, Any]]:
        """Return the rows of a file as it is in the editor, else on disk."""
        session = self._session
        if session.documents.get(uri) is not None:
            return await session.about(uri, lambda program, _: _rows(session, program)) or []
        notebook = session.notebooks.program(uri)
        if notebook is not None:
            return await session.on_thread(notebook, lambda: _rows(session, notebook))
        if file is None:
            return []
        try:
            own = session.projects.target(uri).facts.own_packages
            program = await asyncio.to_thread(program_of, file, own)
            return await asyncio.to_thread(self._kept, program) if program else []
        except (OSError, TorchferryError):
            return []  # gone, or not text: the editor reports it when it is opened

    async def end(self) -> None:
        """Keep no more than a cache may hold."""
        await asyncio.to_thread(self._cache.trim)

    def _kept(self, program: Program) -> list[dict[str, Any]]:
        """Return the rows of a program, from the cache if nothing has changed."""
        session, uri = self._session, program.uri
        if not _is_wanted(session, program):
            return []
        settings = session.projects.of(uri)
        about = basis(settings, session.target(uri), settings.target, settings.rules)
        cells = program.numbers if isinstance(program, NotebookProgram) else ()
        followed = repr(
            (*about, str(settings.file), session.encoding.kind, uri, program.text, cells)
        )
        key = hashlib.blake2b(followed.encode(), digest_size=20).hexdigest()
        rows = self._cache.get(key)
        if not _are_rows(rows):
            rows = _rows(session, program)
            if all(row["code"] != UNCHECKED for row in rows):
                self._cache.put(key, rows)
            self._collect(program.size)
        return list(rows)

    def _collect(self, size: int) -> None:
        """Free the memory of analyses from time to time."""
        self._uncollected += size
        if self._uncollected > COLLECT_AFTER:
            self._uncollected = 0
            gc.collect()


def _are_rows(kept: Any) -> bool:
    """Return whether what was kept is what a look gives, as far as anything is done with it."""
    return isinstance(kept, list) and all(
        isinstance(row, dict) and {"code", "at"} <= row.keys() for row in kept
    )


def _is_wanted(session: Session, program: Program) -> bool:
    return session.settings.enable and not session.projects.excludes(program.uri)


def _rows(session: Session, program: Program) -> list[dict[str, Any]]:
    if not _is_wanted(session, program):
        return []
    rows = (_row(session, program, finding) for finding in session.findings(program))
    return [row for row in rows if row is not None]


def _row(session: Session, program: Program, finding: Finding) -> dict[str, Any] | None:
    """Return a row; `at` is the finding's position in the program of all cells."""
    place = program.locate(finding.range)
    if place is None:
        return None  # across cells
    encoding, start = session.encoding, finding.range.start
    cell = None
    if isinstance(program, NotebookProgram):
        cell = program.numbers[program.documents.index(place.document)]
    return {
        "range": encoding.encode_range_plainly(place.document.lines, place.range),
        "cell": cell,
        "at": [start.line, encoding.encode(program.lines, start)],
        "code": finding.code,
        "severity": str(finding.severity),
        "message": finding.message,
        "name": finding.name,
        "target": finding.target,
        "isUse": finding.converts or finding.code in REMAINING,
        "stays": finding.code in REMAINING,
        "safety": str(finding.safety) if finding.make_fix else None,
    }


async def rows_edit(
    session: Session, uri: str, places: Sequence[Sequence[int]] | None
) -> types.WorkspaceEdit:
    """Return the edit for the findings at some positions of an open file; None means all.

    A notebook is named by the address of a cell, and its positions are the `at` of its rows.

    Raises:
        JsonRpcException: the file is not open, or nothing there converts any more.
    """

    def edit(program: Program, document: Document) -> types.WorkspaceEdit | None:
        session.reject_if_too_large(program)
        fix = _fix(session, program, None if places is None else {tuple(at) for at in places})
        if fix is None or not fix.edits:
            return None
        more = module_edits(session, program, fix)
        return workspace_edit(session, program, fix.edits, more)

    made = await session.written(uri, edit)
    if made is None:
        raise workers.failed("Nothing is left to convert here; refresh the view.")
    return made


def _fix(
    session: Session, program: Program, places: Collection[tuple[int, ...]] | None
) -> Fix | None:
    if places is None:
        done = session.convert(program)
        return Fix("", tuple(done.edits), done.helpers, done.helpers_from)
    lines, encode = program.lines, session.encoding.encode
    return workbench.fix_together(
        finding
        for finding in session.findings(program)
        if finding.make_fix is not None
        and (finding.range.start.line, encode(lines, finding.range.start)) in places
    )


def asked_places(sent: Any) -> list[list[int]] | None:
    """Return the positions that a client names as pairs of line and character; None for the file.

    Raises:
        JsonRpcException: it names them in another way.
    """
    match sent:
        case None:
            return None
        case [*pairs] if all(
            isinstance(one, list | tuple) and [type(part) for part in one] == [int, int]
            for one in pairs
        ):
            return [list(one) for one in pairs]
    raise JsonRpcException("A position is a pair of a line and a character.", -32602)
