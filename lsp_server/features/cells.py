"""A notebook converted where it stands: one cell of it, or all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from lsp_server import workers
from lsp_server.features.code_actions.edits import workspace_edit
from lsp_server.features.code_actions.offered import rest
from lsp_server.features.code_actions.several import Selection, fix_some
from workbench.findings import Finding, Fix

if TYPE_CHECKING:
    from lsp_server.service import TorchferryServer
    from lsp_server.session import Session
    from lsp_server.workspace.documents import Document, Program


async def convert_cells(server: TorchferryServer, uri: str, whole: bool) -> str:
    """Convert a cell of an open notebook, or all of its cells, in one edit.

    Args:
        server: sends the edit to the client.
        uri: the address of the cell, or of any cell of the notebook.
        whole: convert all cells.

    Returns:
        A sentence about the converted uses, the differences, and the remaining uses.

    Raises:
        JsonRpcException: the cell does not exist, cannot be converted, or has changed meanwhile.
    """
    session = server.session
    made = await session.written(
        uri, lambda program, document: _made(session, program, None if whole else document)
    )
    if made is None:
        raise workers.failed("This is not a Python cell; choose one that is.")
    edit, summary = made
    if edit is not None:
        await server.apply(edit)
    return summary


def _made(
    session: Session, program: Program, only: Document | None
) -> tuple[types.WorkspaceEdit | None, str]:
    """Return the edit, if there is one, and the sentence for the user."""
    session.reject_if_too_large(program)
    found = [each for each in session.findings(program) if _is_in(program, only, each)]
    count = sum(each.converts and each.make_fix is not None for each in found)
    uses = "1 use" if count == 1 else f"{count or 'no'} uses"
    where = "the notebook" if only is None else "this cell"
    summary = f"Converted {uses} of torch in {where}{rest(found)}."
    fix = _fix(session, program, None if only is None else found)
    edit = workspace_edit(session, program, fix.edits) if fix and fix.edits else None
    return edit, summary


def _is_in(program: Program, document: Document | None, finding: Finding) -> bool:
    if document is None:
        return True
    place = program.locate(finding.range)
    return place is not None and place.document is document


def _fix(session: Session, program: Program, found: list[Finding] | None) -> Fix | None:
    if found is not None:
        return fix_some(found, Selection())
    done = session.convert(program)
    return Fix("", tuple(done.edits))
