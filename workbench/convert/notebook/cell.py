"""Conversion of a notebook cell, with the cells before it and live objects as context."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from workbench.convert.conversion import Conversion, convert_analysis
from workbench.convert.fixing import Fixer
from workbench.convert.imports.helper_modules import HelperImport
from workbench.convert.imports.import_lines import has_import
from workbench.convert.notebook.placing import header
from workbench.errors import SourceError
from workbench.findings import Certainty, Edit, Finding, apply_edits
from workbench.positions import Position, Range
from workbench.source.analysis import Analysis, analyse
from workbench.source.parsing.notebook import cell_text, join_cells
from workbench.source.parsing.parse import parse
from workbench.source.traits.gathering import traits_of
from workbench.source.traits.program import Program
from workbench.source.tree import inside
from workbench.source.uses import UseKind
from workbench.targets import DEFAULT, Target, load
from workbench.targets.helpers import Import

_TO_NUMBERS = frozenset(f"torch.Tensor.__{name}__" for name in ("int", "float", "complex"))


def convert_cell(
    source: str,
    *,
    earlier: Sequence[str] = (),
    later: Sequence[str] = (),
    live: Mapping[str, str] | None = None,
    known_helpers: Collection[str] = (),
    target: str | Target = DEFAULT,
    style: str | None = None,
    beside: Sequence[str] = (),
    placed: bool = False,
    in_port: bool = False,
    module: HelperImport | None = None,
) -> Conversion:
    """Convert a cell; findings, edits and positions are those of the cell.

    Args:
        source: the cell, with or without its `%%convert` line.
        earlier: the cells before it, in order.
        later: the cells after it; the torch names that they read stay imported.
        live: types of the kernel's objects, as `live_type` returns them; they override the types
            that follow from the earlier cells.
        known_helpers: helper functions that exist already where the cell will run.
        target: the framework to convert to; it may include a project's own rules.
        style: `plain` or `exact`, as in `convert`.
        beside: other texts of the program; they count for the classes of layers and optimizers,
            but their names do not.
        placed: whether the code replaces the cell in the notebook: it then imports and defines what
            the earlier cells, unchanged, do not. Otherwise their conversions run before it.
        in_port: whether the code is part of a port of the whole notebook: it then uses the names
            that earlier cells import, without the helpers and constants that are elsewhere there.
        module: the module to import helpers from; None to define them.

    Raises:
        SourceError: the cell does not parse, or its conversion would not.
        UnknownTargetError: no such target or style.
    """
    read = read_cell(source, earlier=earlier, live=live, target=target, style=style, beside=beside)
    return read.convert(
        later=later, known_helpers=known_helpers, placed=placed, in_port=in_port, module=module
    )


def read_cell(
    source: str,
    *,
    earlier: Sequence[str] = (),
    live: Mapping[str, str] | None = None,
    target: str | Target = DEFAULT,
    style: str | None = None,
    beside: Sequence[str] = (),
) -> ReadCell:
    """Analyse a cell, to convert it once or several times; the arguments are `convert_cell`'s.

    Raises:
        SourceError: the cell does not parse.
        UnknownTargetError: no such target or style.
    """
    aim = load(target, style)
    program, starts = join_cells([*earlier, source])
    first = starts[-1]
    analysis = analyse(program, live=live, live_from=first, facts=aim.facts)
    if live is not None:
        _expect_other_calls(analysis)
    if beside:
        others = parse(join_cells(beside)[0]).tree
        analysis.whole = Program(
            partial(traits_of, analysis.parsed.tree), partial(traits_of, others)
        )
    # Errors in earlier cells are not reported for this cell.
    error = parse(cell_text(source)).error
    if error is not None:
        raise SourceError(error.message, error.position, "<cell>")
    return ReadCell(source, analysis, first, aim)


def _expect_other_calls(analysis: Analysis) -> None:
    """Take no parameter for sure to be a tensor where a function makes it a number.

    A later cell may call the function with a number, which `int(i)` takes and `i.item()` does not.
    """
    functions = [one for one in inside(analysis.tree) if isinstance(one, ast.FunctionDef)]
    within = {id(node) for function in functions for node in inside(function)}
    for use in analysis.uses:
        given = use.receiver if use.kind is UseKind.NUMBER else None
        if use.name in _TO_NUMBERS and isinstance(use.node, ast.Call):
            given = use.node.args[0]
        if isinstance(given, ast.Name) and id(use.node) in within:
            use.certainty = Certainty.ASSUMED


@dataclass(frozen=True, slots=True)
class ReadCell:
    """A cell and its analysis.

    Attributes:
        source: the cell.
        analysis: the program that ends with the cell.
        first: the line of the program that the cell begins on.
        target: the framework to convert to.
    """

    source: str
    analysis: Analysis
    first: int
    target: Target

    def convert(
        self,
        *,
        later: Sequence[str] = (),
        known_helpers: Collection[str] = (),
        placed: bool = False,
        in_port: bool = False,
        module: HelperImport | None = None,
    ) -> Conversion:
        """Convert the cell; the arguments are `convert_cell`'s.

        Raises:
            SourceError: the converted cell would not parse.
        """
        analysis, first = self.analysis, self.first
        body = first + header(self.source)
        main = Import(self.target.module, "", self.target.module)
        imported = (
            has_import(analysis.tree, main, last=first)
            if placed
            else _imports_torch_before(analysis, first)
        )
        try:
            result = convert_analysis(
                analysis,
                self.target,
                first=body,
                known_helpers=known_helpers,
                imported=imported,
                in_port=in_port,
                helper_import=module,
                kept=_read_by(later),
                moves=False,
            )
        except SourceError as failure:
            at = Position(max(failure.position.line - first, 0), 0)
            raise failure.placed("<cell>", at) from failure
        return _of_cell(result, self.source, first, body)


def _read_by(cells: Sequence[str]) -> set[str]:
    """Return the names that cells read before they import them."""
    read: set[str] = set()
    imported: set[str] = set()
    for cell in cells:
        for statement in parse(cell_text(cell)).tree.body:
            if isinstance(statement, ast.Import | ast.ImportFrom):
                names = (one.asname or one.name for one in statement.names)
                imported |= {name.partition(".")[0] for name in names} - read
            names = (node.id for node in inside(statement) if isinstance(node, ast.Name))
            read |= set(names) - imported
    return read


def _imports_torch_before(analysis: Analysis, first: int) -> bool:
    """Return whether an earlier cell's conversion imports the target."""
    return any(item.statement.lineno <= first for item in analysis.imports)


def _of_cell(result: Conversion, source: str, first: int, body: int) -> Conversion:
    """Return the conversion of the program's last cell, in the cell's own positions.

    The cell's own text is taken, since magics are masked in the program.
    """

    def moved(finding: Finding) -> Finding:
        finding.range = shifted(finding.range, -first)
        if isinstance(finding.make_fix, Fixer):
            finding.make_fix = finding.make_fix.within(body, move)
        return finding

    def move(edit: Edit) -> Edit:
        return Edit(shifted(edit.range, -first), edit.text)

    edits = [move(edit) for edit in result.edits]
    return Conversion(
        code=apply_edits(source, edits),
        findings=[moved(finding) for finding in result.findings],
        edits=edits,
        unconverted=result.unconverted,
        helpers=result.helpers,
        helpers_from=result.helpers_from,
        line_map=[line - first if line >= 0 else -1 for line in result.line_map[first:]],
    )


def shifted(place: Range, by: int) -> Range:
    """Return a range so many lines further down."""
    start, end = place.start, place.end
    return Range(Position(start.line + by, start.column), Position(end.line + by, end.column))
