"""Conversions offered at a selection; their edits are computed when the user picks an action."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from lsp_server import workers
from lsp_server.features.code_actions.edits import workspace_edit
from lsp_server.features.code_actions.helper_module import module_edits
from lsp_server.features.code_actions.ignoring import ignore_here, ignore_in_file
from lsp_server.features.code_actions.kinds import FIX_ALL, REWRITE
from lsp_server.features.code_actions.several import Selection, fix_some
from lsp_server.features.scopes import enclosing
from workbench.codes import MALFORMED, NO_RULE, REFUSED, SYNTAX, UNUSED
from workbench.convert.findings.messages import REMAINING
from workbench.convert.fixing import exact_fix
from workbench.findings import Certainty, Fix, Safety, Severity
from workbench.positions import Position, Range

if TYPE_CHECKING:
    from lsp_server.session import Session
    from lsp_server.workspace.documents import Document, Program
    from workbench.findings import Finding

# A larger selection is better served by the whole-file action; a menu would be too long.
_MOST = 50
# In a longer text fewer uses have their own fix, since each takes time with its length.
_LONG = 20_000

# Short reasons why uses stay in converted code.
_WHY = {REFUSED: "no equivalent", NO_RULE: "no rule yet"}

# A syntax error or a suppressing comment is fixed, not ignored.
_NOT_IGNORED = frozenset({SYNTAX, UNUSED, MALFORMED})


def offered(
    session: Session, program: Program, document: Document, params: types.CodeActionParams
) -> list[types.CodeAction]:
    """Return the actions for a selection, those that change least first."""
    context = params.context
    asked = session.encoding.decode_range(document.lines, params.range)
    selection = program.range(document, asked)
    found = session.findings(program)  # once: making a fix may read settings that change them
    able = [finding for finding in found if finding.make_fix is not None]
    # A use that reads the same in the target has an empty fix, which is not offered.
    touched = [finding for finding in able if finding.range.overlaps(selection)]
    most = max(_MOST * _LONG // max(program.size, _LONG), 1)
    near = [finding for finding in touched[:most] if finding.fix]
    actions: list[types.CodeAction] = []
    if _wanted(types.CodeActionKind.QuickFix.value, context.only):
        actions += [
            action for finding in near for action in _this_use(session, program, finding, context)
        ]
        actions += _everywhere(program, able, near)
        actions += _rewrites(session, program, selection, context)
    if _wanted(REWRITE, context.only):
        actions += _scopes(session, program, able, selection)
    if _wanted(types.CodeActionKind.QuickFix.value, context.only):
        actions += _ignoring(session, program, selection)
    here = bool(near) or _is_on_import(session, program, selection)
    kind = _kind_of_whole(context, here, _parses(session, program))
    if able and kind:
        title = f"Convert everything in this file to {session.project(program).target}"
        title += rest(found)
        actions.append(_action(title, kind, program, {"what": "all"}))
    return (
        actions if session.resolves_actions else [resolved(session, action) for action in actions]
    )


def _this_use(
    session: Session,
    program: Program,
    finding: Finding,
    context: types.CodeActionContext,
) -> Iterable[types.CodeAction]:
    """Yield the conversion of a use, and the exact one if an open fact decides."""
    for what, fix in (("use", finding.fix), ("exact", exact_fix(finding))):
        if fix is None:
            continue
        start = finding.range.start
        use = {"at": [start.line, start.column], "name": finding.name}
        action = _action(fix.title, "quickfix", program, {"what": what, **use})
        action.diagnostics = _about(session, program, finding, context)
        action.is_preferred = fix.safety is Safety.SAFE or None
        yield action


def _about(
    session: Session, program: Program, finding: Finding, context: types.CodeActionContext
) -> list[types.Diagnostic] | None:
    """Return those of the client's diagnostics that show a finding."""
    place = program.locate(finding.range)
    where = place and session.encoding.encode_range(place.document.lines, place.range)
    return [
        known
        for known in context.diagnostics
        if known.code == finding.code and known.range == where
    ] or None


def _rewrites(
    session: Session, program: Program, selection: Range, context: types.CodeActionContext
) -> Iterable[types.CodeAction]:
    """Yield the fixes of the hazards at a selection."""
    if not any(hazard.range.overlaps(selection) for hazard in session.hazards(program)):
        return
    for number, hazard in enumerate(session.hazards(program, now=True)):
        if hazard.range.overlaps(selection) and hazard.fix:
            data = {"what": "hazard", "number": number}
            action = _action(hazard.fix.title, "quickfix", program, data)
            action.diagnostics = _about(session, program, hazard, context)
            yield action


def _ignoring(session: Session, program: Program, selection: Range) -> Iterable[types.CodeAction]:
    """Yield comments that suppress the findings at a selection, one for each code.

    They name no diagnostics, since editors put actions that do to the top of the menu.
    """
    offered: dict[str, Finding] = {}
    for finding in [*session.findings(program), *session.hazards(program)]:
        if not finding.range.overlaps(selection) or finding.code in _NOT_IGNORED:
            continue
        if finding.severity is not Severity.HINT or finding.make_fix is not None:
            offered.setdefault(finding.code, finding)
    for code, finding in offered.items():
        line = finding.range.start.line
        for title, what in (
            (f"Ignore {code} in this statement", {"what": "ignore", "line": line}),
            (f"Ignore {code} in this file", {"what": "ignore", "line": -1}),
        ):
            yield _action(title, "quickfix", program, {**what, "code": code})


def _everywhere(
    program: Program, able: Sequence[Finding], near: Sequence[Finding]
) -> Iterable[types.CodeAction]:
    for name in dict.fromkeys(finding.name for finding in near):
        named = [finding for finding in able if finding.name == name]
        if len(named) > 1:
            title = f"Convert all {len(named)} uses of {name} in this file{rest(named)}"
            yield _action(title, "quickfix", program, {"what": "name", "name": name})


def _scopes(
    session: Session, program: Program, able: Sequence[Finding], selection: Range
) -> Iterable[types.CodeAction]:
    analysis = session.check(program).analysis
    if analysis is None or not _parses(session, program):
        return
    counted = 1
    for scope in enclosing(analysis.tree, selection):
        count = sum(finding.range in scope.range for finding in able)
        if count <= counted:
            continue  # nothing beyond the smaller actions
        counted = count
        lines = [scope.range.start.line, scope.range.end.line]
        inside = [finding for finding in session.findings(program) if finding.range in scope.range]
        title = f"Convert {scope.title} ({count} uses){rest(inside)}"
        yield _action(title, REWRITE, program, {"what": "lines", "lines": lines})


def rest(found: Iterable[Finding]) -> str:
    """Return a text about a fix of all findings: its assumptions, its changes, and what remains."""
    found = list(found)
    parts = []
    assumed = [one for one in found if one.make_fix and one.certainty is not Certainty.PROVED]
    if assumed:
        rely = "relies" if len(assumed) == 1 else "rely"
        parts.append(f"{len(assumed)} {rely} on an assumption")
    changing = [one for one in found if one.make_fix and one.safety is Safety.CHANGES]
    if changing:
        codes = ", ".join(sorted({one.code for one in changing}))
        parts.append(f"{len(changing)} {Safety.CHANGES} ({codes})")
    left = [one for one in found if one.code in REMAINING]
    if left:
        why = _WHY.get(left[0].code, "built on torch")
        more = f" and {len(left) - 1} more" if len(left) > 1 else ""
        parts.append(f"{len(left)} not converted: {left[0].name} ({why}){more}")
    return "".join(f"; {part}" for part in parts)


def _action(title: str, kind: str, program: Program, what: dict[str, Any]) -> types.CodeAction:
    data = {"uri": program.documents[0].uri, "revision": program.revision, **what}
    return types.CodeAction(title=title, kind=kind, data=data)


def _wanted(kind: str, only: Sequence[types.CodeActionKind | str] | None) -> bool:
    names = [str(getattr(each, "value", each)) for each in only or []]
    return only is None or any(
        not name or kind == name or kind.startswith(name + ".") for name in names
    )


def _kind_of_whole(context: types.CodeActionContext, here: bool, parses: bool) -> str:
    """Return the kind of action for the whole file, or an empty text for none.

    An editor set to run every `source.fixAll` on save means linters. It must not carry a file over
    to another framework, so an automatic request has to name ours. The menu at the cursor leaves
    out what is of the source's kind: there it is a rewrite, where the cursor is `here` on torch.
    Saving a file that does not parse shows no error about its conversion.
    """
    if here and _wanted(REWRITE, context.only):
        return REWRITE
    automatic = context.trigger_kind == types.CodeActionTriggerKind.Automatic
    if automatic and (not parses or FIX_ALL not in (context.only or [])):
        return ""
    return FIX_ALL if _wanted(FIX_ALL, context.only) else ""


def _parses(session: Session, program: Program) -> bool:
    analysis = session.check(program).analysis
    return analysis is not None and analysis.parsed.error is None


def _is_on_import(session: Session, program: Program, selection: Range) -> bool:
    """Return whether a selection touches an import of torch."""
    analysis = session.check(program).analysis
    return analysis is not None and any(
        analysis.range(item.statement).overlaps(selection) for item in analysis.imports
    )


async def resolve(session: Session, action: types.CodeAction) -> types.CodeAction:
    """Return `resolved` in the light of the project, on a thread if it would delay a request."""
    program, _ = _offered_for(session, action)
    try:
        await session.look_around(program)
        return await session.on_thread(program, lambda: resolved(session, action))
    except JsonRpcException as error:
        if error.code == types.LSPErrorCodes.ContentModified:
            raise _outdated() from error
        raise


def resolved(session: Session, action: types.CodeAction) -> types.CodeAction:
    """Return the action with its edits, or refuse if the text has changed since it was offered."""
    program, data = _offered_for(session, action)
    session.reject_if_too_large(program)
    fix = _fix(session, program, data) or Fix("", ())
    action.edit = workspace_edit(session, program, fix.edits, module_edits(session, program, fix))
    return action


def _offered_for(session: Session, action: types.CodeAction) -> tuple[Program, dict[str, Any]]:
    data = action.data if isinstance(action.data, dict) else {}
    found = session.documents.get(str(data.get("uri")))
    if found is None or found[0].revision != data.get("revision"):
        raise _outdated()
    return found[0], data


def _outdated() -> JsonRpcException:
    """Return the error of an action for an earlier text; editors hide that of modified content."""
    return workers.failed(
        "The text has changed since this action was offered. Ask for the actions again."
    )


def _fix(session: Session, program: Program, data: dict[str, Any]) -> Fix | None:
    """Return the fix of an action from the data that the client sends back, which may be wrong."""
    match data:
        case {"what": "all"}:
            done = session.convert(program)
            return Fix("", tuple(done.edits), done.helpers, done.helpers_from)
        case {"what": "use" | "exact" as what, "at": [int(line), int(column)], "name": str(name)}:
            start = Position(line, column)
            found = (one for one in session.findings(program) if one.range.start == start)
            use = next((one for one in found if one.name == name and one.make_fix), None)
            if use is None:
                return None
            return use.fix if what == "use" else exact_fix(use)
        case {"what": "name", "name": str(name)}:
            return fix_some(session.every_finding(program), Selection(name))
        case {"what": "lines", "lines": [int(first), int(last)]}:
            where = Range(Position(first, 0), Position(last, 0))
            return fix_some(session.every_finding(program), Selection(range=where))
        case {"what": "hazard", "number": int(number)}:
            hazards = session.hazards(program)
            return hazards[number].fix if 0 <= number < len(hazards) else None
        case {"what": "ignore", "line": int(line), "code": str(code)}:
            edit = (
                ignore_in_file(program.lines, code)
                if line < 0
                else ignore_here(program.lines, line, code)
            )
            return Fix("", (edit,)) if edit else None
    raise JsonRpcException("This is not an action of Torchferry.", -32602)
