"""What a use of torch becomes, and why, at the place the user points to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from workbench.findings import Finding, Severity, apply_edits

if TYPE_CHECKING:
    from lsp_server.documents import Program
    from workbench.positions import Position, Range

_VERDICT = {
    Severity.HINT: "converts exactly",
    Severity.INFORMATION: "converts",
    Severity.WARNING: "converts, with a caveat",
    Severity.ERROR: "no equivalent",
}


def finding_at(findings: list[Finding], place: Position) -> Finding | None:
    """The innermost finding at a place."""
    there = [finding for finding in findings if place in finding.range]
    return min(there, key=lambda finding: _extent(finding.range), default=None)


def _extent(where: Range) -> tuple[int, int]:
    return where.end.line - where.start.line, where.end.column - where.start.column


def text(program: Program, finding: Finding) -> str:
    """The hover text of a finding, in Markdown."""
    title = f"`{finding.name}`" if finding.name else finding.code
    if finding.target:
        title += f" → `{finding.target}`"
    parts = [f"{title}: {_VERDICT[finding.severity]}", _reason(finding)]
    if after := _converted_lines(program, finding):
        parts.append(f"```python\n{after}\n```")
    return "\n\n".join(part for part in parts if part)


def _reason(finding: Finding) -> str:
    """The message without what the title says already: caveats, notes, what was assumed."""
    said = f"{finding.name} becomes {finding.target}"
    return finding.message.removeprefix(said).lstrip(": ").strip()


def _converted_lines(program: Program, finding: Finding) -> str:
    """The lines of a use as they will read, without what the fix does to the file's imports."""
    fix = finding.fix
    first, last = finding.range.start.line, finding.range.end.line
    if fix is None:
        return ""
    near = [e for e in fix.edits if first <= e.range.start.line and e.range.end.line <= last]
    if not near:
        return ""
    lines = program.lines
    begin, end = lines.start(first), lines.start(last + 1)
    converted = apply_edits(lines.text, near)
    after = converted[begin : len(converted) - (len(lines.text) - end)].rstrip("\r\n")
    indent = min((len(x) - len(x.lstrip()) for x in after.splitlines() if x.strip()), default=0)
    return "\n".join(x[indent:] for x in after.splitlines())


def hover(program: Program, finding: Finding, where: types.Range) -> types.Hover:
    """The answer to a hover request."""
    content = types.MarkupContent(types.MarkupKind.Markdown, text(program, finding))
    return types.Hover(contents=content, range=where)
