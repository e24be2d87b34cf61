"""Quick fixes and whole-file conversion; the edits are worked out when the user picks one."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from lsp_server.service import FIX_ALL

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lsp_server.desk import Desk
    from lsp_server.documents import Document, Program
    from workbench.findings import Edit, Finding

# Beyond this a selection is better served by the whole-file action, and a menu is no help.
_MOST = 50


def offered(
    desk: Desk,
    program: Program,
    document: Document,
    params: types.CodeActionParams,
) -> list[types.CodeAction]:
    """The actions for a selection: a fix per finding in it, and the whole file."""
    findings = desk.findings(program)
    context = params.context
    actions: list[types.CodeAction] = []
    if _wanted(types.CodeActionKind.QuickFix.value, context.only):
        asked = desk.encoding.decode_range(document.lines, params.range)
        selection = program.range(document, asked)
        near = [
            (number, finding)
            for number, finding in enumerate(findings)
            if finding.converts and finding.range.overlaps(selection)
        ]
        actions += [_quick_fix(desk, program, *each, context) for each in near[:_MOST]]
    if _wanted_whole(context) and any(finding.converts for finding in findings):
        actions.append(
            types.CodeAction(
                title=f"Convert everything in this file to {desk.settings.target}",
                kind=FIX_ALL,
                data={"uri": document.uri, "revision": program.revision, "what": "all"},
            )
        )
    return actions if desk.resolves_actions else [resolved(desk, a) for a in actions]


def _quick_fix(
    desk: Desk,
    program: Program,
    number: int,
    finding: Finding,
    context: types.CodeActionContext,
) -> types.CodeAction:
    place = program.locate(finding.range)
    where = place and desk.encoding.encode_range(place.document.lines, place.range)
    mended = [
        known
        for known in context.diagnostics
        if known.code == finding.code and known.range == where
    ]
    what = finding.name or "this"
    return types.CodeAction(
        title=f"Convert {what} to {finding.target or desk.settings.target}",
        kind=types.CodeActionKind.QuickFix,
        diagnostics=mended or None,
        data={"uri": program.uri, "revision": program.revision, "what": number},
    )


def _wanted(kind: str, only: Sequence[types.CodeActionKind | str] | None) -> bool:
    names = [str(getattr(each, "value", each)) for each in only or []]
    return only is None or any(
        not name or kind == name or kind.startswith(name + ".") for name in names
    )


def _wanted_whole(context: types.CodeActionContext) -> bool:
    """Whether to offer the whole file.

    An editor set to run every `source.fixAll` on save means linters. It must not carry a file over
    to another framework, so an automatic request has to name ours.
    """
    automatic = context.trigger_kind == types.CodeActionTriggerKind.Automatic
    if automatic and FIX_ALL not in (context.only or []):
        return False
    return _wanted(FIX_ALL, context.only)


def resolved(desk: Desk, action: types.CodeAction) -> types.CodeAction:
    """The action with its edits. Refuses where the text has changed since it was offered."""
    data = action.data if isinstance(action.data, dict) else {}
    found = desk.documents.get(str(data.get("uri")))
    if found is None or found[0].revision != data.get("revision"):
        raise JsonRpcException(
            "The text has changed since this action was offered. Ask for the actions again.",
            types.LSPErrorCodes.ContentModified.value,
        )
    program, _ = found
    action.edit = _workspace_edit(desk, program, _edits(desk, program, data.get("what")))
    return action


def _edits(desk: Desk, program: Program, what: Any) -> Iterable[Edit]:
    if what == "all":
        return desk.convert(program).edits
    findings = desk.findings(program)
    if not isinstance(what, int) or not 0 <= what < len(findings):
        return ()
    fix = findings[what].fix
    return fix.edits if fix else ()


def _workspace_edit(desk: Desk, program: Program, edits: Iterable[Edit]) -> types.WorkspaceEdit:
    by_document: dict[str, list[types.TextEdit]] = defaultdict(list)
    versions: dict[str, int] = {}
    for edit in edits:
        place = program.locate(edit.range)
        if place is None:
            raise JsonRpcException("This conversion reaches across cells; convert each by itself.")
        where = desk.encoding.encode_range(place.document.lines, place.range)
        by_document[place.document.uri].append(types.TextEdit(where, edit.text))
        versions[place.document.uri] = place.document.version
    if not desk.versions_edits:
        return types.WorkspaceEdit(changes=dict(by_document))
    return types.WorkspaceEdit(
        document_changes=[
            types.TextDocumentEdit(
                types.OptionalVersionedTextDocumentIdentifier(uri=uri, version=versions[uri]),
                list(changes),
            )
            for uri, changes in by_document.items()
        ]
    )
