"""The conversion of the use of torch at the pointer, and its reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from lsp_server.presentation.pages import page_of
from workbench.codes import DIFFERENCES
from workbench.findings import Finding, Severity, apply_edits
from workbench.proof.recording.facts import proof_of, signatures_of

if TYPE_CHECKING:
    from lsp_server.workspace.documents import Program
    from workbench.positions import Position, Range
    from workbench.targets import Target

_VERDICT = {
    Severity.HINT: "converts exactly",
    Severity.INFORMATION: "converts",
    Severity.WARNING: "converts with a caveat",
    Severity.ERROR: "no equivalent",
}


def finding_at(findings: list[Finding], place: Position) -> Finding | None:
    """Return the innermost finding at a place."""
    there = [finding for finding in findings if place in finding.range]
    return min(there, key=lambda finding: _extent(finding.range), default=None)


def _extent(where: Range) -> tuple[int, int]:
    return where.end.line - where.start.line, where.end.column - where.start.column


def text(program: Program, finding: Finding, target: Target, *, linked: bool = True) -> str:
    """Return the hover text of a finding, in Markdown, with a link to the documentation."""
    parts = [_title(finding), _reason(finding)]
    if after := _converted_lines(program, finding):
        parts.append(f"```python\n{after}\n```")
        parts.append(_safety(finding))
    if finding.name:
        if signatures := signatures_of(finding.name, target.facts):
            package = finding.name.partition(".")[0]
            parts.append(f"In {package}:\n```python\n" + "\n".join(signatures) + "\n```")
        if finding.converts and (proof := proof_of(finding.name, target)):
            parts.append(proof)
    if linked and (page := page_of(finding.name, finding.code, target.name)):
        parts.append(f"[{finding.code}: more about it]({page})")
    return "\n\n".join(part for part in parts if part)


def _title(finding: Finding) -> str:
    if not finding.name:
        return f"**{finding.code}**"
    arrow = f" → `{finding.target}`" if finding.target else ""
    if not finding.converts and finding.severity is not Severity.ERROR:
        return f"`{finding.name}`{arrow}: perhaps"  # the receiver's type is unknown
    verdict = _VERDICT[finding.severity] if finding.converts else _VERDICT[Severity.ERROR]
    if _is_later(finding):
        verdict = _VERDICT[Severity.INFORMATION]
    return f"`{finding.name}`{arrow}: {verdict}"


def _reason(finding: Finding) -> str:
    """Return the message without the words of the title: caveats, notes, assumptions."""
    for prefix in (f"{finding.name} becomes {finding.target}", f"{finding.name}:"):
        if finding.message.startswith(prefix):
            return finding.message.removeprefix(prefix).lstrip(": ").strip()
    return finding.message


def _converted_lines(program: Program, finding: Finding) -> str:
    """Return the new lines of a use, without the fix's changes of the file's imports."""
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


def _safety(finding: Finding) -> str:
    """Return the risk of accepting the fix."""
    if finding.fix is None or finding.fix.safety is None:
        return ""
    once = f" ({finding.code}, which is reported at the first such use)"
    return f"Fix: {finding.fix.safety}{once if _is_later(finding) else ''}."


def _is_later(finding: Finding) -> bool:
    """Return whether another use in the file reports the difference of this one."""
    return finding.severity is Severity.HINT and finding.code in DIFFERENCES


def hover(program: Program, finding: Finding, target: Target, where: types.Range) -> types.Hover:
    """Return the answer to a hover request."""
    content = types.MarkupContent(types.MarkupKind.Markdown, text(program, finding, target))
    return types.Hover(contents=content, range=where)
