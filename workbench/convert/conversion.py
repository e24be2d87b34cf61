"""Conversion of whole texts: decide, write, and join the parts."""

from __future__ import annotations

import ast
from collections.abc import Collection, Container, Sequence
from dataclasses import dataclass, field, replace

from workbench.convert.decide.planner import Plan, with_tests_kept, without_left_out
from workbench.convert.decide.reconversion import (
    REMARK,
    remarks_above,
)
from workbench.convert.findings.messages import (
    REMAINING,
    TOO_DEEP,
    code_of,
)
from workbench.convert.findings.suppressions import Suppressions, suppressions
from workbench.convert.fixing import findings_of
from workbench.convert.imports.additions import additions
from workbench.convert.imports.helper_modules import HelperImport, source_of_helpers
from workbench.convert.imports.needed import still_needed
from workbench.convert.passes import decide
from workbench.convert.rewrite.edits import (
    Change,
    Changes,
    as_edits,
    expression_changes,
    in_order,
    statement_start,
)
from workbench.convert.rewrite.moving import moved
from workbench.convert.rewrite.spelling import Spelling, spelling_of
from workbench.convert.rewrite.spelling_again import spell_again
from workbench.errors import SourceError, TorchferryError
from workbench.findings import Edit, Finding
from workbench.garbage import no_collection
from workbench.positions import Lines, Position, split
from workbench.rules.outcome import Refusal
from workbench.source.analysis import Analysis, analyse
from workbench.source.inference.modules import Neighbours
from workbench.source.parsing.read import FAILURES, check_syntax, readable
from workbench.source.parsing.spans import untouched_lines
from workbench.source.parsing.syntax_message import describe
from workbench.targets import DEFAULT, Target, load


@dataclass(slots=True)
class Conversion:
    """Converted code with its findings and edits.

    Attributes:
        code: the converted text.
        findings: all findings, with positions in the original.
        edits: the changes of the original text.
        unconverted: the findings whose torch use remains in `code`.
        helpers: names of the helper functions that `code` defines or imports.
        helpers_from: the module that it imports them from, as spelled in `code`; None if it defines
            them.
        line_map: for each line of `code` its line in the original, -1 for added lines.
        ignored: the number of uses that a comment suppresses.
    """

    code: str
    findings: list[Finding]
    edits: list[Edit] = field(default_factory=list)
    unconverted: list[Finding] = field(default_factory=list)
    helpers: tuple[str, ...] = ()
    helpers_from: str | None = None
    line_map: list[int] = field(default_factory=list)
    ignored: int = 0


def convert(
    source: str,
    *,
    target: str | Target = DEFAULT,
    style: str | None = None,
    filename: str | None = None,
    neighbours: Neighbours | None = None,
    beside: HelperImport | None = None,
) -> Conversion:
    """Convert a Python text.

    Comments, layout and lines without torch stay byte for byte. Code without an equivalent stays
    unchanged, under a comment with the reason.

    Args:
        source: the text.
        target: the framework to convert to.
        style: `plain`, the default, writes what an expert of the target would and reports every
            difference; `exact` matches torch in every corner case, with helper functions.
        filename: the name of the text in messages.
        neighbours: the other modules of its project.
        beside: the module to import helpers from; None defines them in the code.

    Raises:
        SourceError: the text does not parse, or the converted text would not.
        UnknownTargetError: no such target or style.
    """
    aim = load(target, style)
    analysis = analyse(source, neighbours=neighbours, facts=aim.facts)
    error = analysis.parsed.error
    if error is not None and not suppressions(analysis).whole:
        raise SourceError(error.message, error.position, filename)
    if analysis.cut:
        raise TorchferryError(f"{filename or '<source>'}: {TOO_DEEP}")
    try:
        return convert_analysis(analysis, aim, helper_import=beside)
    except SourceError as error:
        raise error.placed(filename) from error


def convert_analysis(
    analysis: Analysis,
    target: Target,
    *,
    first: int = 0,
    known_helpers: Container[str] = (),
    imported: bool = False,
    helper_import: HelperImport | None = None,
    in_port: bool = False,
    kept: Collection[str] = (),
    moves: bool = True,
) -> Conversion:
    """Convert an analysed program from its line `first` on.

    Args:
        analysis: the program.
        target: the target.
        first: lines before this one are context: they are neither converted nor reported.
        known_helpers: helpers that are already defined where the code will run.
        imported: whether the target's module is already imported where the code will run.
        helper_import: the module to import helpers from; None defines them in the code.
        in_port: whether the lines before `first` are converted too, and have the imports, helpers
            and constants that the code needs.
        kept: names bound to torch that other code reads: they stay in use.
        moves: whether statements may move to functions; the cells of a notebook keep theirs.

    Raises:
        SourceError: the program parses, but its conversion would not.
        TorchferryError: an expression is nested too deeply.
    """
    try:
        with no_collection():
            return _convert(
                analysis,
                target,
                first,
                known_helpers,
                imported,
                helper_import,
                in_port,
                kept,
                moves,
            )
    except RecursionError as error:
        raise TorchferryError(TOO_DEEP) from error


def _convert(
    analysis: Analysis,
    target: Target,
    first: int,
    known_helpers: Container[str],
    imported: bool,
    helper_import: HelperImport | None,
    in_port: bool,
    kept: Collection[str],
    moves: bool,
) -> Conversion:
    quiet = suppressions(analysis)
    if quiet.whole:
        lines = list(range(len(analysis.lines)))
        return Conversion(analysis.text, [], line_map=lines, ignored=len(analysis.uses))
    draft = decide(analysis, target, quiet, first)
    analysis = draft.analysis
    plans, written = _written(analysis, draft.plans, target, 0 if in_port else first, kept)
    if in_port:
        known_helpers = target.helpers
        imported = _as_in_port(written, analysis, target, first) and imported
    changes, needed = written.changes, written.needed
    spell_again(analysis, changes, written.spelling, target)
    module = source_of_helpers(analysis, plans, target, helper_import)
    extra = additions(
        analysis,
        changes,
        target,
        needed=needed,
        spelling=written.spelling,
        known_helpers=known_helpers,
        first=first,
        imported=imported,
        helpers_from=module,
    )
    reported = [
        finding
        for finding in quiet.visible(findings_of(analysis, plans, target, lambda: helper_import))
        if finding.range.start.line >= first
    ]
    remarks = _remarks(analysis, plans, quiet)
    for one in remarks:
        one.start = one.end = extra.parted.get(one.start, one.start)
    every = [*changes.changes, *extra.changes, *remarks, *_kept_apart(analysis)]
    start = analysis.lines.start(first)
    every = [change for change in every if change.start >= start]
    if moves and first == 0 and all(one.converts for one in plans):
        every = moved(analysis.text, every, target.moved)
    edits = as_edits(analysis, every)
    code, line_map = _applied(analysis, every)
    if edits and analysis.parsed.error is None:
        touched = {n for e in edits for n in range(e.range.start.line, e.range.end.line + 1)}
        _parse_again(code, line_map, untouched_lines(analysis.tree, touched))
    unconverted = [
        finding for finding in reported if not finding.converts and finding.code in REMAINING
    ]
    return Conversion(
        code,
        reported,
        edits,
        unconverted,
        helpers=tuple(extra.helpers),
        helpers_from=module,
        line_map=line_map,
        ignored=draft.ignored,
    )


def _as_in_port(written: _Written, analysis: Analysis, target: Target, first: int) -> bool:
    """Take constants and earlier imports as given, and the code's own imports as used elsewhere.

    Returns:
        False if the code imports torch itself, so that it is to import the target.
    """
    spelling = written.spelling
    before = {one.bound for one in analysis.imports if one.statement.lineno <= first}
    own = [one for one in analysis.imports if one.statement.lineno > first]
    spelling.constants = [replace(one, there=True) for one in spelling.constants]
    names = {one.bound for one in own}
    spelling.imports = {
        name: one for name, one in spelling.imports.items() if name not in before - names
    }
    written.changes.names.update(names & spelling.imports.keys())
    if any(one.name == "torch" for one in own):
        written.changes.names.add(target.module)
        return False
    return True


def _parse_again(code: str, line_map: Sequence[int], known: Container[int]) -> None:
    """Refuse a conversion that nests deeper than Python parses, if the original just did not.

    What stands on the original lines that are `known` to parse is left out first.

    Raises:
        SourceError: the converted code does not parse.
    """
    lines = Lines(code)
    new = [line for line, origin in enumerate(line_map) if origin not in known]
    try:
        check_syntax(
            readable("".join(code[lines.start(one) : lines.start(one + 1)] for one in new))
        )
        return
    except FAILURES:
        pass  # checking the whole text shows the location
    try:
        check_syntax(readable(code))
    except FAILURES as failure:
        problem = describe(failure, lines)
        raise SourceError(
            f"once converted, this would not parse ({problem.message})",
            Position(max(line_map[problem.position.line], 0), 0),
            step="assign parts of the expression to names",
        ) from failure


@dataclass(frozen=True, slots=True)
class _Written:
    """Rewritten expressions, the names of torch that the file still needs, and short names."""

    changes: Changes
    needed: set[str]
    spelling: Spelling


def _written(
    analysis: Analysis, plans: list[Plan], target: Target, first: int, others: Collection[str]
) -> tuple[list[Plan], _Written]:
    """Rewrite all uses under the short names that the file has once torch's imports are gone.

    What turns out impossible to write keeps its import, which takes a short name away: then all is
    written once more. The names that `others` read stay in use.
    """
    while True:
        plans = without_left_out(plans)
        converted = {id(one.use.node) for one in plans if one.converts}
        needed = still_needed(analysis, plans, converted, target, others)
        kept = with_tests_kept(plans, needed)
        if kept is not plans:
            plans, needed = kept, still_needed(analysis, kept, converted, target, others)
        spelling = spelling_of(analysis, plans, needed, target, first)
        changes = expression_changes(analysis, plans, module=target.module, spelling=spelling)
        if changes.converted == converted:
            return plans, _Written(changes, needed, spelling)
        plans = changes.settled(plans)


def _kept_apart(analysis: Analysis) -> list[Change]:
    """Return tensors of modules, kept where torch keeps them.

    A target's layer may keep every tensor as a buffer, which a constant of its class then hides,
    and under whose name it takes nothing else any more.
    """
    result: list[Change] = []
    for node in analysis.apart:
        start, end = analysis.span(node)
        owner = analysis.text[start : analysis.span(node.value)[1]]
        result.append(Change(start, end, f'{owner}.__dict__["{node.attr}"]'))
    return result


def _remarks(analysis: Analysis, plans: Sequence[Plan], quiet: Suppressions) -> list[Change]:
    """Return comments above unconverted code."""
    found: dict[int, tuple[ast.stmt, list[str]]] = {}
    for one in plans:
        if isinstance(one.outcome, Refusal):
            code = code_of(one)
            if quiet.covers(one.use.node.lineno - 1, code):
                continue
            text = f"{REMARK}{code}: {one.use.name}: {one.outcome.reason}"
            found.setdefault(id(one.use.statement), (one.use.statement, []))[1].append(text)
    result: list[Change] = []
    for statement, texts in found.values():
        offset, indent = statement_start(analysis, statement)
        line = analysis.lines.position(offset).line
        known = remarks_above(analysis.lines, line)
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            lines = "".join(f"{indent}{text}{analysis.lines.newline}" for text in new)
            result.append(Change(offset, offset, lines))
    return result


def _applied(analysis: Analysis, changes: list[Change]) -> tuple[str, list[int]]:
    """Return the new text, and the original line of each of its lines."""
    text, lines = analysis.text, analysis.lines
    pieces: list[str] = []
    origin: list[int] = []
    done = 0

    def put(piece: str, first: int, last: int) -> None:
        """Append text that replaces the original lines from `first` to `last`."""
        if not piece:
            return
        if pieces and pieces[-1][-1] in "\r\n":
            origin[-1] = first
        elif not origin:
            origin.append(first)
        count = len(split(piece)) - 1
        origin.extend(min(first + step, last) if first >= 0 else -1 for step in range(1, count + 1))
        pieces.append(piece)

    for change in in_order(changes):
        start, end = lines.position(change.start), lines.position(change.end)
        put(text[done : change.start], lines.position(done).line, start.line)
        # `nn.f()` that becomes `paddle.nn.f()` gets no line of its own.
        breaks = "\n" in change.text or "\r" in change.text
        inserted = change.start == change.end and start.column == 0 and breaks
        put(change.text, -1 if inserted else start.line, end.line)
        done = change.end
    put(text[done:], lines.position(done).line, len(lines) - 1)
    code = "".join(pieces)
    return code, origin[: len(Lines(code))]
