"""Findings and converted code of one cell, in the words of the panel.

Places go to the panel as offsets in UTF-16 units from the start of the cell: that is how its editor
counts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import workbench
from workbench.capture.hazards.rewrites import hazard_findings
from workbench.compare.carry.origin import live_imports
from workbench.convert.findings.suppressions import suppressions
from workbench.positions import Lines, Position
from workbench.source.parsing.notebook import cell_text
from workbench.targets import DEFAULT, load

from ..own_rules import project_rules, target_here
from .live import live_types

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from workbench.findings import Edit, Finding

    from .cells import Cells

Json = dict[str, Any]
_IMPORT = re.compile(r"^[ \t]*(?:import|from)[ \t]+(\w+)", re.MULTILINE)
_WORD = re.compile(r"[^\W\d]\w*")


@dataclass
class Look:
    """What was seen in one cell; `problem` instead of the rest where it does not parse."""

    cell: str
    source: str
    findings: list[Finding] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)
    code: str = ""
    line_map: list[int] = field(default_factory=list)
    remaining: int = 0
    problem: Json | None = None
    hazards: list[Finding] = field(default_factory=list)
    rules: Json | None = None

    @property
    def every(self) -> list[Finding]:
        """Findings on uses, and after them the hazards of capture; the panel counts in these."""
        return [*self.findings, *self.hazards]

    def content(self) -> Json:
        """The look as the panel gets it."""
        if self.problem is not None:
            return {**self._subject(), "problem": self.problem}
        places = Places(self.source)
        return {
            **self._subject(),
            "findings": [places.finding(finding) for finding in self.every],
            "code": self.code,
            "lineMap": self.line_map,
            "remaining": self.remaining,
            "changed": self.code != self.source,
        }

    def _subject(self) -> Json:
        """What it speaks of; the panel takes nothing that speaks of another text."""
        return {"cell": self.cell, "source": self.source, "rules": self.rules}


def look(
    cells: Cells,
    cell: str,
    names: Mapping[str, object],
    target: str = DEFAULT,
    style: str | None = None,
) -> Look:
    """Convert one cell in the light of those before it and of the kernel's objects."""
    source = cells.sources[cell]
    # Where the cell of an import is gone, the kernel still has what it imported.
    rules: Json | None = None
    try:
        own = project_rules()
        rules = own.content() if own else None
        aim = load(target_here(target, own, style))
        if _is_ported(cells, aim.module):
            names = {}  # of before the port, or of the target's own
        earlier = [*cells.earlier(cell), live_imports(_WORD.findall(source), names)]
        live = live_types(names)
        conversion = workbench.convert_cell(
            source, earlier=earlier, live=live, target=aim, placed=True
        )
    except workbench.SourceError as error:
        line = error.position.line
        text = f"Line {line + 1}: {error.reason}"
        return Look(cell, source, problem={"message": text, "line": line}, rules=rules)
    except workbench.TorchferryError as error:
        return Look(cell, source, problem={"message": str(error), "line": 0}, rules=rules)
    return Look(
        cell,
        source,
        findings=list(conversion.findings),
        edits=list(conversion.edits),
        code=conversion.code,
        line_map=list(conversion.line_map),
        remaining=len(conversion.unconverted),
        hazards=_hazards(source),
        rules=rules,
    )


def _is_ported(cells: Cells, module: str) -> bool:
    """Whether the notebook imports the target, and torch no more."""
    imported = {found[1] for text in cells.sources.values() for found in _IMPORT.finditer(text)}
    return module in imported and "torch" not in imported


def _hazards(source: str) -> list[Finding]:
    """What keeps a model that the cell defines from being captured, but for what it ignores."""
    text = cell_text(source)
    found = hazard_findings(text) if "def forward" in text else []
    if not found:
        return []
    quiet = suppressions(workbench.analyse(text))
    return [each for each in found if not quiet.covers(each.range.start.line, each.code)]


def edits_of(seen: Look, which: int | None) -> list[Json]:
    """The edits of one finding's fix, or of the whole cell's conversion for None, last first."""
    edits: Iterable[Edit]
    if which is None:
        edits = seen.edits
    else:
        fix = seen.every[which].fix
        if fix is None:
            raise ValueError("this finding has no fix")
        edits = fix.edits
    places = Places(seen.source)
    # From the end, so that an edit does not move the ones still to come.
    return [places.edit(edit) for edit in sorted(edits, key=lambda e: e.range, reverse=True)]


def _fix_title(finding: Finding) -> str | None:
    """What taking the fix does; None where there is none. Fixes of uses are made when asked for."""
    if finding.name is not None:
        able = finding.make_fix is not None and finding.converts
        return "Convert this in the cell" if able else None
    return finding.fix.title if finding.fix else None


class Places:
    """Translates positions of a cell into the panel's offsets."""

    def __init__(self, source: str) -> None:
        self.lines = Lines(source)

    def finding(self, finding: Finding) -> Json:
        """One finding, without its fix: the fix is computed when it is asked for."""
        return {
            "code": finding.code,
            "severity": str(finding.severity),
            "message": finding.message,
            "name": finding.name,
            "target": finding.target,
            "certainty": str(finding.certainty),
            "line": finding.range.start.line,
            "fix": _fix_title(finding),
            "start": self.units(self.lines.offset(finding.range.start)),
            "end": self.units(self.lines.offset(finding.range.end)),
        }

    def edit(self, edit: Edit) -> Json:
        """One edit; what is added before a cell's `%%` line goes below it, where Python begins."""
        start, end = edit.range.start, edit.range.end
        if start == end == Position(0, 0) and self.lines.text.startswith("%%"):
            start = end = Position(1, 0)
        return {
            "start": self.units(self.lines.offset(start)),
            "end": self.units(self.lines.offset(end)),
            "text": edit.text,
        }

    def units(self, offset: int) -> int:
        """An offset in code points as one in UTF-16 units."""
        text = self.lines.text[:offset]
        return offset if text.isascii() else len(text.encode("utf-16-le")) // 2
