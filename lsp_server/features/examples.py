"""The code in a document converted where it stands: in Markdown, in docstrings with their file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from lsp_server.features.code_actions.edits import workspace_edit
from lsp_server.features.code_actions.helper_module import module_edits
from lsp_server.features.code_actions.offered import rest
from lsp_server.workspace.addresses import path_of
from lsp_server.workspace.documents import Document, Program
from workbench.convert.examples.examples import Examples
from workbench.findings import Finding, Fix

if TYPE_CHECKING:
    from lsp_server.service import TorchferryServer
    from lsp_server.session import Session

_Made = tuple[types.WorkspaceEdit | None, str]


async def convert_examples(server: TorchferryServer, uri: str, version: int, text: str) -> str:
    """Convert the code in a Markdown document, or an open file and the code in its docstrings.

    Args:
        server: has the client carry out the edit.
        uri: the address of the document.
        version: that of the client's text.
        text: that of a Markdown document, which clients do not open here.

    Returns:
        what was converted, what differs now, and what stays, in a sentence.

    Raises:
        JsonRpcException: it cannot be converted, or has changed meanwhile.
    """
    session = server.session
    made = await session.written(uri, lambda program, _: _file(session, program))
    edit, summary = made or _document(session, Program(uri, [Document(uri, "md", version, text)]))
    if edit is not None:
        await server.apply(edit)
    return summary


def _document(session: Session, program: Program) -> _Made:
    session.reject_if_too_large(program)
    examples = _checked(session, program, Examples.of_markdown(program.text))
    edits = examples.edits()
    uses = sum(each.converts for each in examples.found)
    if not examples.pieces:
        return None, "This document has no Python code."
    if uses and not edits:
        return None, (
            "Nothing is converted: the code needs helper functions, which do not belong in an"
            " example."
        )
    summary = f"Converted {_uses(uses)} in the code of this document{rest(examples.found)}."
    return workspace_edit(session, program, edits) if edits else None, summary


def _file(session: Session, program: Program) -> _Made:
    done = session.convert(program)
    analysis = session.check(program).analysis
    assert analysis is not None  # it has just been converted
    found = session.findings(program)
    uses = sum(each.converts and each.make_fix is not None for each in found)
    examples = _checked(session, program, Examples.of_docstrings(program.text, analysis.tree))
    fitting = examples.edits() if examples.fits(done.code) else []
    inside = sum(each.converts for each in examples.found) if fitting else 0
    summary = f"Converted {_uses(uses)} in this file, and {inside or 'none'} in its docstrings"
    fix = Fix("", (*done.edits, *fitting), done.helpers, done.helpers_from)
    edit = workspace_edit(session, program, fix.edits, module_edits(session, program, fix))
    return edit if fix.edits else None, f"{summary}{rest([*found, *examples.found])}."


def _checked(session: Session, program: Program, examples: Examples) -> Examples:
    settings, path = session.project(program), path_of(program.uri)

    def judge(found: list[Finding]) -> list[Finding]:
        return list(settings.judged(found, path))

    examples.check(session.target(program.uri), judge)
    return examples


def _uses(count: int) -> str:
    return "1 use of torch" if count == 1 else f"{count or 'no'} uses of torch"
