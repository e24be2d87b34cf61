"""Findings and converted code of one cell, in the words of the panel.

Places go to the panel as offsets in UTF-16 units from the start of the cell: that is how its editor
counts.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import workbench
from workbench.capture.hazards.rewrites import hazard_findings
from workbench.codes import CAVEAT
from workbench.compare.carry.origin import live_imports
from workbench.convert.findings.suppressions import suppressions
from workbench.findings import Finding, Severity
from workbench.positions import Lines, Position, Range
from workbench.source.packages import may_use_torch
from workbench.source.parsing.notebook import cell_text
from workbench.targets import DEFAULT, load

from ..outcomes import body
from ..own_rules import project_rules, target_here
from .helpers import beside_notebook
from .live import live_types

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from workbench.findings import Edit
    from workbench.targets import Target

    from .cells import Cells

Json = dict[str, Any]
_IMPORT = re.compile(r"^[ \t]*(?:import|from)[ \t]+(\w+)", re.MULTILINE)
_WORD = re.compile(r"[^\W\d]\w*")


@dataclass
class Look:
    """The look at one cell; `problem` replaces the rest if it does not parse.

    `code` is the cell's code in a port of the notebook. `edits` convert this cell among cells of
    torch.
    """

    cell: str
    source: str
    findings: list[Finding] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)
    code: str = ""
    alone: str = ""  # the Python of a cell that runs among cells of torch
    line_map: list[int] = field(default_factory=list)
    remaining: int = 0
    helpers: tuple[str, ...] = ()
    problem: Json | None = None
    hazards: list[Finding] = field(default_factory=list)
    rules: Json | None = None
    target: Target | None = None

    @property
    def every(self) -> list[Finding]:
        """Findings on uses and imports, then hazards of capture; the panel counts in these."""
        return [*self.findings, *self.hazards]

    def content(self) -> Json:
        """Return the look for the panel."""
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
        """Return the subject of the look; the panel ignores answers about another text."""
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
    # If the cell of an import is gone, the kernel still has the imported module.
    rules: Json | None = None
    try:
        own = project_rules()
        rules = own.content() if own else None
        aim = load(target_here(target, own, style))
        if _is_ported(cells, aim.module):
            names = {}  # of before the port, or of the target's own
        earlier = [*cells.earlier(cell), live_imports(_WORD.findall(source), names)]
        live = live_types(names)
        convert = partial(workbench.convert_cell, source, earlier=earlier, live=live, target=aim)
        conversion, shown = convert(placed=True, module=beside_notebook()), convert(in_port=True)
    except workbench.SourceError as error:
        line = error.position.line
        text = f"Line {line + 1}: {error.reason}"
        return Look(cell, source, problem={"message": text, "line": line}, rules=rules)
    except workbench.TorchferryError as error:
        return Look(cell, source, problem={"message": str(error), "line": 0}, rules=rules)
    return Look(
        cell,
        source,
        findings=[*_own_modules(source, aim.name), *conversion.findings],
        edits=list(conversion.edits),
        code=shown.code,
        alone=cell_text(body(conversion.code)),
        line_map=list(shown.line_map),
        helpers=conversion.helpers if conversion.helpers_from else (),
        remaining=len(conversion.unconverted),
        hazards=_hazards(source),
        rules=rules,
        target=aim,
    )


def _is_ported(cells: Cells, module: str) -> bool:
    """Return whether the notebook imports the target, and torch no more."""
    imported = {found[1] for text in cells.sources.values() for found in _IMPORT.finditer(text)}
    return module in imported and "torch" not in imported


def _own_modules(source: str, target: str) -> list[Finding]:
    """Findings on imports of modules in the kernel's folder that use torch."""
    found = []
    lines = Lines(source)
    every = ast.walk(ast.parse(cell_text(source)))
    for node in (each for each in every if isinstance(each, ast.Import | ast.ImportFrom)):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
        names += [one.name for one in node.names] if isinstance(node, ast.Import) else []
        for name in dict.fromkeys(name.partition(".")[0] for name in names):
            file = next((each for each in (Path(f"{name}.py"), Path(name)) if each.exists()), None)
            if file is None or not _uses_torch(file):
                continue
            new = file.with_stem(f"{file.stem}_{target}")
            message = f"{file} uses torch as well: *Port* in the panel also writes {new}"
            end = lines.position_of_bytes((node.end_lineno or 1) - 1, node.end_col_offset or 0)
            where = Range(lines.position_of_bytes(node.lineno - 1, node.col_offset), end)
            found.append(
                Finding(code=CAVEAT, severity=Severity.WARNING, message=message, range=where)
            )
    return found


def _uses_torch(place: Path) -> bool:
    """Return whether a module, or a file of a package, may use torch."""
    files = [place] if place.is_file() else place.glob("*.py")
    return any(may_use_torch(file.read_text("utf-8", errors="replace")) for file in files)


def _hazards(source: str) -> list[Finding]:
    """Return the hazards that keep a cell's model from being captured, without ignored ones."""
    text = cell_text(source)
    found = hazard_findings(text) if "def forward" in text else []
    if not found:
        return []
    quiet = suppressions(workbench.analyse(text))
    return [each for each in found if not quiet.covers(each.range.start.line, each.code)]


def edits_of(seen: Look, which: int | None) -> tuple[list[Json], tuple[str, ...]]:
    """Return the edits of one finding's fix, or of the whole cell for None, and their helpers.

    The last edit comes first.
    """
    edits: Iterable[Edit]
    if which is None:
        edits, helpers = seen.edits, seen.helpers
    else:
        fix = seen.every[which].fix
        if fix is None:
            raise ValueError("this finding has no fix")
        edits, helpers = fix.edits, fix.helpers if fix.helpers_from else ()
    return Places(seen.source).edits(edits), helpers


def _fix_title(finding: Finding) -> str | None:
    """Return the title of a fix, or None if there is none; fixes of uses are made on request."""
    if finding.name is not None:
        able = finding.make_fix is not None and finding.converts
        return "Convert this in the cell" if able else None
    return finding.fix.title if finding.fix else None


class Places:
    """Translates positions of a cell into the panel's offsets."""

    def __init__(self, source: str) -> None:
        self.lines = Lines(source)

    def finding(self, finding: Finding) -> Json:
        """Return one finding, without its fix, which is computed on request."""
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

    def edits(self, edits: Iterable[Edit]) -> list[Json]:
        """Return edits from the last to the first, so that none moves the remaining ones.

        Of two edits at one position the later is applied first, too, so it follows the other.
        """
        return [self.edit(edit) for edit in sorted(edits, key=lambda one: one.range)[::-1]]

    def edit(self, edit: Edit) -> Json:
        """Return one edit; an addition before a cell's `%%` line goes below it, to the Python."""
        start, end = edit.range.start, edit.range.end
        if start == end == Position(0, 0) and self.lines.text.startswith("%%"):
            start = end = Position(1, 0)
        return {
            "start": self.units(self.lines.offset(start)),
            "end": self.units(self.lines.offset(end)),
            "text": edit.text,
        }

    def units(self, offset: int) -> int:
        """Return an offset in code points as one in UTF-16 units."""
        text = self.lines.text[:offset]
        return offset if text.isascii() else len(text.encode("utf-16-le")) // 2
