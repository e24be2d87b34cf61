"""One notebook cell, converted in the light of the cells before it and of live objects."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial

from workbench.convert.conversion import Conversion, convert_analysis
from workbench.errors import SourceError
from workbench.findings import Edit, Finding, Fix
from workbench.positions import Position, Range
from workbench.source.analysis import Analysis, analyse
from workbench.targets import load


def convert_cell(
    source: str,
    *,
    earlier: Sequence[str] = (),
    live: Mapping[str, str] | None = None,
    known_helpers: Collection[str] = (),
    target: str = "paddle",
) -> Conversion:
    """Convert a cell; findings, edits and positions are those of the cell.

    Args:
        source: the cell, with or without its `%%convert` line.
        earlier: the cells before it, in order.
        live: type names of the kernel's objects, such as `{"x": "torch.Tensor"}`; they beat what
            the earlier cells tell.
        known_helpers: helper functions that exist already where the cell will run.
        target: the framework to convert to.

    Raises:
        SourceError: the cell does not parse.
        UnknownTargetError: no such target.
    """
    from workbench.source.notebook import join_cells

    aim = load(target)
    program, starts = join_cells([*earlier, source])
    first = starts[-1]
    analysis = analyse(program, live=live)
    error = analysis.parsed.error
    if error is not None and error.position.line >= first:
        at = Position(error.position.line - first, error.position.column)
        raise SourceError(error.message, at, "<cell>")
    imported = _imports_torch_before(analysis, first)
    result = convert_analysis(
        analysis, aim, first=first, known_helpers=known_helpers, imported=imported
    )
    return _of_cell(result, source, first)


def _imports_torch_before(analysis: Analysis, first: int) -> bool:
    """True where an earlier cell's conversion imports the target."""
    return any(item.statement.lineno <= first for item in analysis.imports)


def _of_cell(result: Conversion, source: str, first: int) -> Conversion:
    """The conversion of the program's last cell, in the cell's own positions.

    The cell's own text is taken, since magics are masked in the program.
    """
    from workbench.findings import apply_edits

    def move(place: Range) -> Range:
        start, end = place.start, place.end
        return Range(
            Position(start.line - first, start.column), Position(end.line - first, end.column)
        )

    def moved(finding: Finding) -> Finding:
        finding.range = move(finding.range)
        if finding.make_fix is not None:
            finding.make_fix = partial(moved_fix, finding.make_fix)
        return finding

    def moved_fix(make: Callable[[], Fix | None]) -> Fix | None:
        fix = make()
        return fix and Fix(fix.title, tuple(Edit(move(e.range), e.text) for e in fix.edits))

    edits = [Edit(move(edit.range), edit.text) for edit in result.edits]
    return Conversion(
        code=apply_edits(source, edits),
        findings=[moved(finding) for finding in result.findings],
        edits=edits,
        unconverted=result.unconverted,
        helpers=result.helpers,
        line_map=[line - first if line >= 0 else -1 for line in result.line_map[first:]],
    )
