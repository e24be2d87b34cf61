"""Text in the margins of an editor: lenses above definitions, hints after uses."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections import defaultdict
from typing import TYPE_CHECKING

from lsprotocol import types

from lsp_server.features.models import ported
from lsp_server.features.scopes import Scope, definitions
from lsp_server.workspace.notebooks import NotebookProgram
from workbench.positions import Range

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lsp_server.session import Session
    from lsp_server.workspace.documents import Document, Program
    from workbench.source.analysis import Analysis

CONVERT_LINES = "torchferry.server.convertLines"

# Commands of clients on a definition: they run code, which the server never does.
SHOW_GRAPH = "torchferry.showGraph"
SIDE_BY_SIDE = "torchferry.runSideBySide"
VERIFY = "torchferry.verifyPort"
_MODULE = "torch.nn.Module"


def lenses(session: Session, program: Program, document: Document) -> list[types.CodeLens]:
    """Return a lens over each function and class of a document in which something converts."""
    analysis = session.check(program).analysis
    if analysis is None or not session.settings.codeLens:
        return []
    able = [finding for finding in session.findings(program) if finding.make_fix is not None]
    lines = sorted(finding.range.start.line for finding in able)
    models = _models(session, program, analysis)
    held = ported(session, program) if VERIFY in session.settings.clientCommands else set()
    found: list[types.CodeLens] = []
    for scope, statement in definitions(analysis.tree):
        place = program.locate(Range(scope.range.start, scope.range.start))
        if place is None or place.document is not document:
            continue
        where = session.encoding.encode_range(document.lines, place.range)
        first, end = scope.range.start.line, scope.range.end.line
        count = bisect_left(lines, end) - bisect_left(lines, first)
        commands = [_convert(session, program, document, scope, count)] if count else []
        if not isinstance(program, NotebookProgram) and (count or scope.name in models):
            commands += _clients(
                session, document, scope, isinstance(statement, ast.ClassDef), models
            )
        if scope.name in held:
            arguments = [document.uri, scope.name]
            commands.append(types.Command("Verify port", VERIFY, arguments=arguments))
        found += [types.CodeLens(range=where, command=command) for command in commands]
    return found


def _convert(
    session: Session, program: Program, document: Document, scope: Scope, count: int
) -> types.Command:
    uses = "1 use" if count == 1 else f"{count} uses"
    return types.Command(
        title=f"Convert to {session.project(program).target} ({uses})",
        command=CONVERT_LINES,
        arguments=[
            document.uri,
            program.revision,
            scope.range.start.line,
            scope.range.end.line,
        ],
    )


def _clients(
    session: Session, document: Document, scope: Scope, is_class: bool, models: set[str]
) -> Iterator[types.Command]:
    """Yield the commands that the client has for a definition, where it says that it has them."""
    if is_class and scope.name not in models:
        return
    for title, command in (("Run side by side", SIDE_BY_SIDE), ("Show graph", SHOW_GRAPH)):
        if command in session.settings.clientCommands and (is_class or command == SIDE_BY_SIDE):
            yield types.Command(title, command, arguments=[document.uri, scope.name, is_class])


def _models(session: Session, program: Program, analysis: Analysis) -> set[str]:
    """Return the names of classes that are torch modules, including indirect subclasses."""
    headers: defaultdict[int, list[Range]] = defaultdict(list)
    for finding in session.findings(program):
        if finding.name == _MODULE:
            headers[finding.range.start.line].append(finding.range)
    found: set[str] = set()
    for statement in analysis.tree.body:
        if not isinstance(statement, ast.ClassDef):
            continue
        bases = [analysis.range(base) for base in statement.bases]
        named = {base.id for base in statement.bases if isinstance(base, ast.Name)}
        if named & found or any(
            header.overlaps(base) for base in bases for header in headers[base.start.line]
        ):
            found.add(statement.name)
    return found


def hints(
    session: Session, program: Program, document: Document, shown: types.Range
) -> list[types.InlayHint]:
    """Return the target's name after each visible use, if it differs from torch's."""
    if not session.settings.inlayHints:
        return []
    view = program.range(document, session.encoding.decode_range(document.lines, shown))
    found: list[types.InlayHint] = []
    for finding in session.findings(program):
        place = program.locate(finding.range) if finding.range.overlaps(view) else None
        if finding.target is None or place is None or place.document is not document:
            continue
        if _unframed(finding.name or "") == _unframed(finding.target):
            continue
        end = session.encoding.encode_range(document.lines, place.range).end
        found.append(types.InlayHint(position=end, label=f"→ {finding.target}", padding_left=True))
    return found


def _unframed(name: str) -> str:
    """Return a name without its framework: `nn.Linear` of `torch.nn.Linear`, `view` of `x.view`."""
    for owner in ("torch.Tensor.", "x."):
        if name.startswith(owner):
            return name.removeprefix(owner)
    return name.partition(".")[2] or name
