"""Findings and converted code of one cell, in the words of the panel.

Places go to the panel as offsets in UTF-16 units from the start of the cell: that is how its editor
counts.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import workbench
from workbench.capture.hazards.rewrites import hazard_findings
from workbench.codes import CAVEAT
from workbench.compare.carry.origin import live_imports
from workbench.convert.findings.messages import REMAINING
from workbench.convert.findings.suppressions import suppressions
from workbench.convert.notebook.notebook_files import Cell, Notebook, convert_notebook
from workbench.findings import Finding, Severity
from workbench.positions import Lines, Position, Range
from workbench.source.analysis import analyse
from workbench.source.packages import may_use_torch
from workbench.source.parsing.notebook import cell_text, join_cells
from workbench.source.parsing.parse import parse
from workbench.targets import DEFAULT, load

from ..own_rules import project_rules, target_here
from .helpers import helper_import
from .live import live_types

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from workbench.convert.conversion import Conversion
    from workbench.findings import Edit, Fix
    from workbench.targets import Target

    from .cells import Cells

Json = dict[str, Any]
_IMPORT = re.compile(r"^[ \t]*(?:import|from)[ \t]+(\w+)", re.MULTILINE)
_WORD = re.compile(r"[^\W\d]\w*")


@dataclass
class Look:
    """The look at one cell; `problem` replaces the rest if it does not parse.

    `code` is the cell's code in a port of the notebook. `convert_alone` converts this cell among
    cells of torch.
    """

    cell: str
    source: str
    findings: list[Finding] = field(default_factory=list)
    code: str = ""
    line_map: list[int] = field(default_factory=list)
    convert_alone: Callable[[], Conversion] | None = None
    problem: Json | None = None
    hazards: list[Finding] = field(default_factory=list)
    rules: Json | None = None
    target: Target | None = None

    @cached_property
    def alone(self) -> Conversion:
        """The conversion of the cell that runs among cells of torch.

        Raises:
            ValueError: the cell cannot be converted.
        """
        if self.convert_alone is None:
            raise ValueError("this cell cannot be converted")
        return self.convert_alone()

    @property
    def remaining(self) -> int:
        """The number of uses of torch that stay."""
        return sum(not one.converts and one.code in REMAINING for one in self.findings)

    @property
    def changes(self) -> bool:
        """Whether one of the cell's own lines changes; a port may also add imports to it."""
        return bool(self.findings) or not {*self.source.split("\n")} <= {*self.code.split("\n")}

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
            "findings": [places.finding(one, fix=self._has_fix(one)) for one in self.every],
            "code": self.code,
            "lineMap": self.line_map,
            "remaining": self.remaining,
            "changed": self.code != self.source,
            "note": self._note(),
        }

    def _has_fix(self, finding: Finding) -> bool:
        """Return whether a finding's fix applies to this cell only."""
        return finding.name is None or self.convert_alone is not None

    def _note(self) -> str:
        """Return the reason why a port has no code for this cell, or an empty text."""
        if self.code.strip() or not self.source.strip() or self.target is None:
            return ""
        return f"The converted cell is empty: {self.target.title} needs none of its imports."

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
    """Convert one cell in the light of the others and of the kernel's objects."""
    source = cells.sources[cell]
    rules: Json | None = None
    try:
        own = project_rules()
        rules = own.content() if own else None
        if (broken := parse(cell_text(source)).error) is not None:
            line = broken.position.line
            text = f"Line {line + 1}: {broken.message}"
            return Look(cell, source, problem={"message": text, "line": line}, rules=rules)
        aim = load(target_here(target, own, style))
        if _is_ported(cells, aim.module):
            names = {}  # of before the port, or of the target's own
        around = Around.of(cells, cell, names)
        shown = around.in_port(aim)
    except workbench.TorchferryError as error:
        return Look(cell, source, problem={"message": str(error), "line": 0}, rules=rules)
    return Look(
        cell,
        source,
        findings=[*_own_modules(source, aim.name), *shown.findings],
        code=shown.code,
        line_map=list(shown.line_map),
        # Code that depends on the whole program cannot run among cells of torch.
        convert_alone=None if aim.passes else lambda: around.alone(aim),
        hazards=_hazards(source),
        rules=rules,
        target=aim,
    )


@dataclass(frozen=True, slots=True)
class Around:
    """A cell with the other cells of the notebook, and the types of the kernel's objects.

    Attributes:
        sources: the cells in order; the first imports what the kernel has and no cell imports.
        index: the index of the cell among them.
        live: the types of the kernel's objects.
    """

    sources: list[str]
    index: int
    live: Mapping[str, str]

    @classmethod
    def of(cls, cells: Cells, cell: str, names: Mapping[str, object]) -> Around:
        """Return the surroundings of a cell."""
        earlier, source = cells.earlier(cell), cells.sources[cell]
        later = [cells.sources[other] for other in cells.order[len(earlier) + 1 :]]
        # If the cell of an import is gone, the kernel still has the imported module.
        imports = live_imports(_WORD.findall(source), names, [*earlier, source])
        return cls([imports, *earlier, source, *later], len(earlier) + 1, live_types(names))

    def in_port(self, target: Target) -> Conversion:
        """Return the cell's conversion in a port of the notebook; broken cells are left out.

        Raises:
            TorchferryError: converted code would not parse.
        """
        found = [Cell(number, text, {}) for number, text in enumerate(self.sources)]
        _, starts = join_cells([cell.readable for cell in found[: self.index + 1]])
        whole = convert_notebook(
            Notebook("", {"cells": []}, found, True),
            target,
            "this notebook",
            helper_import=helper_import(),
            analysed=lambda text: analyse(
                text, live=self.live, live_from=starts[-1], facts=target.facts
            ),
            keep_broken=True,
        )
        return whole.cells[self.index][1]

    def alone(self, target: Target) -> Conversion:
        """Return the cell's conversion among cells of torch.

        Raises:
            TorchferryError: the converted code would not parse.
        """
        at = self.index
        return workbench.convert_cell(
            self.sources[at],
            earlier=self.sources[:at],
            later=self.sources[at + 1 :],
            live=self.live,
            target=target,
            placed=True,
            module=helper_import(),
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
    return any(_may_use_torch(file.resolve(), file.stat().st_mtime_ns) for file in files)


@lru_cache(maxsize=256)
def _may_use_torch(file: Path, _saved: int) -> bool:
    """Return whether a file, as it was saved at a time, may use torch."""
    return may_use_torch(file.read_text("utf-8", errors="replace"))


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
    made: Conversion | Fix | None
    made = seen.alone if which is None else _fix_of(seen, seen.every[which])
    if made is None:
        raise ValueError("this finding has no fix")
    return Places(seen.source).edits(made.edits), made.helpers if made.helpers_from else ()


def _fix_of(seen: Look, finding: Finding) -> Fix | None:
    """Return the fix of a finding among cells of torch."""
    if finding.name is None:
        return finding.fix
    what = (finding.range, finding.code, finding.name)
    same = (one for one in seen.alone.findings if (one.range, one.code, one.name) == what)
    return next((one.fix for one in same), None)


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

    def finding(self, finding: Finding, *, fix: bool = True) -> Json:
        """Return one finding; its fix is computed on request, if it has one here."""
        return {
            "code": finding.code,
            "severity": str(finding.severity),
            "message": finding.message,
            "name": finding.name,
            "target": finding.target,
            "certainty": str(finding.certainty),
            "line": finding.range.start.line,
            "fix": _fix_title(finding) if fix else None,
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
