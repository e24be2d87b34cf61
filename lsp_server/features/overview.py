"""What is found in the files of a workspace, as a client's tree shows it, and fixes of its rows."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

import workbench
from lsp_server import workers
from lsp_server.features.code_actions.edits import workspace_edit
from lsp_server.features.code_actions.helper_module import module_edits
from lsp_server.progress import Progress
from lsp_server.workspace.closed_files import program_of
from lsp_server.workspace.projects import path_of
from workbench.codes import CODES
from workbench.convert.findings.messages import REMAINING
from workbench.errors import TorchferryError
from workbench.findings import Finding, Fix

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from lsp_server.service import TorchferryServer
    from lsp_server.session import Session
    from lsp_server.workspace.documents import Document, Program

_TITLE = "Looking through the workspace"


async def overview(server: TorchferryServer, uris: Sequence[str] = ()) -> dict[str, Any]:
    """The findings of some files, or of all in the workspace in which there are any.

    A file of its own that has nothing, or is gone, is told with no rows.
    """
    found = [(uri, path_of(uri)) for uri in uris]
    if not uris:
        found = [(file.as_uri(), file) for file in await server.folders.found()]
    told: dict[str, list[dict[str, Any]]] = {}
    async with Progress(server, _TITLE) as progress:
        for number, (uri, file) in enumerate(found):
            await asyncio.sleep(0)  # what has come in meanwhile goes first
            progress.report(number, len(found))
            rows = await _rows_of(server.session, uri, file)
            if rows or uris:
                told[uri] = rows
    title = server.session.projects.target("").title
    codes = {row["code"] for rows in told.values() for row in rows}
    words = {code: CODES[code].words.format(target=title) for code in codes if code in CODES}
    return {"files": [{"uri": uri, "rows": rows} for uri, rows in told.items()], "codes": words}


async def _rows_of(session: Session, uri: str, file: Path | None) -> list[dict[str, Any]]:
    if session.documents.get(uri) is not None:
        return await session.about(uri, lambda program, _: _rows(session, program)) or []
    if file is None:
        return []
    try:
        own = session.projects.target(uri).facts.own_packages
        program = await asyncio.to_thread(program_of, file, own)
        return await asyncio.to_thread(_rows, session, program) if program else []
    except (OSError, TorchferryError):
        return []  # gone, or no text: the editor says so where it is opened


def _rows(session: Session, program: Program) -> list[dict[str, Any]]:
    if not session.settings.enable or session.projects.excludes(program.uri):
        return []
    return [_row(session, program, finding) for finding in session.findings(program)]


def _row(session: Session, program: Program, finding: Finding) -> dict[str, Any]:
    where = session.encoding.encode_range_plainly(program.lines, finding.range)
    return {
        "range": where,
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
    """The edit that converts what begins at some places of an open file; all of it for None.

    Raises:
        JsonRpcException: the file is not open, or nothing there converts any more.
    """

    def edit(program: Program, document: Document) -> types.WorkspaceEdit | None:
        session.bear(program)
        fix = _fix(session, program, None if places is None else {tuple(at) for at in places})
        if fix is None or not fix.edits:
            return None
        more = module_edits(session, program, fix)
        return workspace_edit(session, program, fix.edits, more)

    made = await session.about(uri, edit)
    if made is None:
        raise workers.failed("Nothing converts here any more; refresh the view.")
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
    """The places that a client names: pairs of line and character; None for the whole file.

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
    raise JsonRpcException("Places are pairs of a line and a character.", -32602)
