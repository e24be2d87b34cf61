"""Conversion of a cell together with all cells above it, as one program.

A target whose code depends on the whole program (a training step becomes a function, keys are
passed through calls) cannot convert a cell among unconverted ones.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from workbench.convert.conversion import Conversion, convert_analysis
from workbench.convert.notebook.cell import shifted
from workbench.convert.notebook.placing import Joined
from workbench.convert.rewrite.line_map import mapped_lines
from workbench.errors import SourceError
from workbench.findings import Edit, Finding, apply_edits
from workbench.positions import Position
from workbench.source.analysis import analyse
from workbench.source.parsing.notebook import cell_text, join_cells
from workbench.source.parsing.parse import parse
from workbench.targets import Target


@dataclass(slots=True)
class ConvertedCell:
    """A cell of a program that was converted as a whole.

    Attributes:
        source: the cell's Python.
        conversion: its conversion, with positions in the cell.
    """

    source: str
    conversion: Conversion


@dataclass(slots=True)
class ConvertedProgram:
    """The cells above a cell, and the cell, converted together."""

    earlier: list[ConvertedCell] = field(default_factory=list)
    last: ConvertedCell = field(default_factory=lambda: ConvertedCell("", Conversion("", [])))


def convert_program(
    source: str,
    target: Target,
    *,
    earlier: Sequence[str] = (),
    live: Mapping[str, str] | None = None,
) -> ConvertedProgram:
    """Convert a cell with the cells above it; those that do not parse are left out.

    Args:
        source: the cell.
        target: the target.
        earlier: the cells above it, in order.
        live: types of the kernel's objects, which override those that follow from the cells.

    Raises:
        SourceError: the cell does not parse, or the conversion would not.
        TorchferryError: an expression is nested too deeply.
    """
    above = [text for text in map(cell_text, earlier) if parse(text).error is None]
    cells = [*above, cell_text(source)]
    text, firsts = join_cells(cells)
    analysis = analyse(text, live=live, live_from=firsts[-1], facts=target.facts)
    error = analysis.parsed.error
    if error is not None:
        at = Position(max(error.position.line - firsts[-1], 0), error.position.column)
        raise SourceError(error.message, at, "<cell>")
    whole = convert_analysis(analysis, target, moves=False)
    joined = Joined(cells, firsts)
    edits: list[list[Edit]] = [[] for _ in cells]
    for edit in whole.edits:
        placed = joined.place(edit)
        if placed is None:
            raise SourceError("a statement extends over several cells", Position(0, 0), "<cell>")
        edits[placed[0]].append(placed[1])
    unconverted = {id(one) for one in whole.unconverted}
    done = [
        ConvertedCell(cell, _converted(cell, own, _in_cell(whole.findings, joined, n), unconverted))
        for n, (cell, own) in enumerate(zip(cells, edits, strict=True))
    ]
    for one in done:
        one.conversion.helpers = whole.helpers
    return ConvertedProgram(done[:-1], done[-1])


def _in_cell(
    findings: Sequence[Finding], joined: Joined, index: int
) -> list[tuple[Finding, Finding]]:
    """Return the findings of a cell, each with its copy that has positions in the cell."""
    first = joined.firsts[index]
    return [
        (one, replace(one, range=shifted(one.range, -first)))
        for one in findings
        if joined.at(one.range.start.line) == index
    ]


def _converted(
    cell: str,
    edits: list[Edit],
    findings: list[tuple[Finding, Finding]],
    unconverted: Collection[int],
) -> Conversion:
    return Conversion(
        code=apply_edits(cell, edits),
        findings=[own for _, own in findings],
        edits=edits,
        unconverted=[own for one, own in findings if id(one) in unconverted],
        line_map=mapped_lines(cell, edits),
    )
