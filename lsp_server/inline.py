"""What is written into the text's margins: lenses above definitions, hints behind uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from lsp_server.scopes import definitions
from workbench.positions import Range

if TYPE_CHECKING:
    from lsp_server.desk import Desk
    from lsp_server.documents import Document, Program

CONVERT_LINES = "torchferry.server.convertLines"


def lenses(desk: Desk, program: Program, document: Document) -> list[types.CodeLens]:
    """A lens over each function and class of a document in which something converts."""
    analysis = desk.check(program).analysis
    if analysis is None or not desk.settings.codeLens:
        return []
    able = [finding for finding in desk.findings(program) if finding.make_fix is not None]
    found: list[types.CodeLens] = []
    for scope, _ in definitions(analysis.tree):
        count = sum(finding.range in scope.range for finding in able)
        place = program.locate(Range(scope.range.start, scope.range.start))
        if not count or place is None or place.document is not document:
            continue
        uses = "1 use" if count == 1 else f"{count} uses"
        lines = [scope.range.start.line, scope.range.end.line]
        command = types.Command(
            title=f"Convert to {desk.settings.target} ({uses})",
            command=CONVERT_LINES,
            arguments=[document.uri, program.revision, *lines],
        )
        where = desk.encoding.encode_range(document.lines, place.range)
        found.append(types.CodeLens(range=where, command=command))
    return found


def hints(
    desk: Desk, program: Program, document: Document, shown: types.Range
) -> list[types.InlayHint]:
    """The name in the target behind each use in the part of a document that is in view."""
    if not desk.settings.inlayHints:
        return []
    view = program.range(document, desk.encoding.decode_range(document.lines, shown))
    found: list[types.InlayHint] = []
    for finding in desk.findings(program):
        place = program.locate(finding.range) if finding.range.overlaps(view) else None
        if finding.target is None or place is None or place.document is not document:
            continue
        end = desk.encoding.encode_range(document.lines, place.range).end
        found.append(types.InlayHint(position=end, label=f"→ {finding.target}", padding_left=True))
    return found
