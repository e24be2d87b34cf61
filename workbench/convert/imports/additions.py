"""Additions to converted code besides rewritten expressions: imports and helper functions."""

from __future__ import annotations

import ast
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

from workbench.convert.imports.changes import import_changes, module_changes, without_import
from workbench.convert.imports.import_order import Statement
from workbench.convert.imports.places import line_below, within_reach
from workbench.convert.rewrite.edits import Change, Changes, statement_start
from workbench.convert.rewrite.spelling import Constant, Spelling
from workbench.source.analysis import Analysis
from workbench.source.tree import inside
from workbench.targets import Target
from workbench.targets.helpers import Helper, Import

_Definition = ast.FunctionDef | ast.ClassDef


@dataclass(frozen=True, slots=True)
class Additions:
    """Edits that add imports and helpers, and the names of those helpers.

    `parted` maps the offset of a line's start to the offset where code of that line moves to its
    own line.
    """

    changes: list[Change]
    helpers: list[str]
    parted: dict[int, int]


def additions(
    analysis: Analysis,
    changes: Changes,
    target: Target,
    *,
    needed: set[str],
    spelling: Spelling | None = None,
    known_helpers: Container[str] = (),
    first: int = 0,
    imported: bool = False,
    helpers_from: str | None = None,
    whole: bool = True,
) -> Additions:
    """Return the imports and helpers that rewritten expressions rely on.

    Args:
        analysis: the program.
        changes: the rewritten expressions.
        target: the framework that they are written for.
        needed: names bound to torch that stay in use.
        spelling: the short names that the expressions were written with.
        known_helpers: helpers that exist already where the code will run.
        first: the line that the code starts on; earlier lines are context.
        imported: the target's module is already imported where the code will run.
        helpers_from: import helpers from this module instead of defining them; it may be relative.
        whole: no use of the program is left to convert.
    """
    called = changes.helpers(target)
    wanted, fetched = _helpers(
        analysis, called, target, known_helpers, from_module=bool(helpers_from)
    )
    spelling = spelling or Spelling()
    constants = [one for one in spelling.constants if one.bound in changes.names and not one.there]
    changes.names.update(name for one in constants for name in _first_names(one.line))
    imports = {item for helper in wanted for item in helper.imports}
    imports |= {Import(helpers_from or "", name, name) for name in fetched}
    imports |= {Import(name, "", name) for name in target.modules_named if name in changes.names}
    imports |= {one for name, one in target.aliases.items() if name in changes.names}
    short = {bound: one for bound, one in spelling.imports.items() if bound in changes.names}
    main = Import(target.module, "", target.module)
    # If torch stays next to converted members, this import shows the next run that they are
    # converted.
    mixed = bool(needed and changes.changes)
    # Helpers of a target with aliases name their imports themselves.
    named = target.module in changes.names or mixed or (bool(wanted) and not target.aliases)
    if imported:
        imports.discard(main)
    elif named or _idle(analysis, needed, first):
        imports.add(main)
    if main in imports:
        short.setdefault(main.bound, main)
    result = import_changes(
        analysis,
        needed,
        imports | set(short.values()),
        short,
        at_top=bool(wanted) or not whole or not within_reach(analysis, changes.member_lines),
        first=first,
    )
    if whole:
        result.changes.extend(module_changes(analysis, target, first))
        unread = changes.unnamed and changes.converted and not named and main not in imports
        if unread and not needed:
            result.changes.extend(without_import(analysis, target.module, first))
    inserted = [one for one in result.changes if one.start == one.end == result.end]
    at, shared = _behind_imports(analysis, result.end)
    parted: dict[int, int] = {}
    if shared is not None and (wanted or constants or inserted):
        start = analysis.span(shared)[1]
        result.changes.append(Change(start, at, analysis.lines.newline))
        parted[statement_start(analysis, shared)[0]] = at
    for change in inserted:
        change.start = change.end = at
    ours = _ours(analysis, spelling, target, first)
    place = max(at, line_below(analysis, ours[-1])) if ours else at
    placed = _among(analysis, ours, wanted, called, target) if ours and wanted else {}
    last = [one for one in wanted if one.name not in placed]
    result.changes += _definitions(analysis, at, place, constants, last)
    result.changes += {id(one): one for one in placed.values()}.values()
    return Additions(result.changes, fetched or [helper.name for helper in wanted], parted)


def _helpers(
    analysis: Analysis,
    called: Iterable[str],
    target: Target,
    known: Container[str],
    *,
    from_module: bool,
) -> tuple[list[Helper], list[str]]:
    """Return the helpers to define, with those that they need, and the names of those to import."""
    defined = {
        statement.name
        for statement in analysis.tree.body
        if isinstance(statement, ast.FunctionDef | ast.ClassDef)
    }
    if from_module:
        return [], [name for name in called if name not in defined]
    absent = target.helpers.closure(called)
    return [one for one in absent if one.name not in defined and one.name not in known], []


def _idle(analysis: Analysis, needed: set[str], first: int) -> bool:
    """Return whether a file imports torch and does nothing with it; the target takes its place."""
    return not analysis.uses and any(
        item.bound not in needed and not item.own and item.statement.lineno > first
        for item in analysis.imports
    )


def _definitions(
    analysis: Analysis,
    at: int,
    place: int,
    constants: Iterable[Constant],
    helpers: Iterable[Helper],
) -> list[Change]:
    """Return insertions of constants at one offset and of helpers at another."""
    newline = analysis.lines.newline
    changes = []
    if text := "".join(f"\n{one.line}" for one in constants):
        changes.append(Change(at, at, f"{text}\n".replace("\n", newline)))
    if text := "\n\n\n".join(helper.source for helper in helpers):
        below = "\n" * max(0, 2 - _blank_lines(analysis.text[place:]))
        changes.append(Change(place, place, f"\n\n{text}\n{below}".replace("\n", newline)))
    return changes


def _ours(
    analysis: Analysis, spelling: Spelling, target: Target, first: int
) -> list[_Definition | ast.Assign]:
    """Return the helpers and constants that an earlier fix put below the imports.

    The code that needs them comes after them, and new ones may need them.
    """
    constants = {one.bound for one in spelling.constants if one.there}
    found: list[_Definition | ast.Assign] = []
    for statement in analysis.tree.body:
        if statement.lineno <= first:
            continue
        match statement:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                is_ours = name in target.helpers
            case ast.Assign(targets=[ast.Name(id=name), *_]):
                is_ours = name in constants
            case ast.Import() | ast.ImportFrom() | ast.Expr():
                continue
            case _:
                break
        if not is_ours:
            break
        found.append(statement)
    return found


def _among(
    analysis: Analysis,
    ours: Collection[ast.stmt],
    wanted: Sequence[Helper],
    called: Iterable[str],
    target: Target,
) -> dict[str, Change]:
    """Return the changes that put new helpers among earlier ones, by the helpers' names.

    This gives the same order as in a file that is converted at once. If the earlier helpers have
    another order, all are written again, unless someone has changed them.
    """
    there = {one.name: one for one in ours if isinstance(one, _Definition)}
    others = (node for one in analysis.tree.body if one not in ours for node in inside(one))
    names = {node.id for node in others if isinstance(node, ast.Name)} if there else set()
    new = {one.name for one in wanted}
    order = [
        one
        for one in target.helpers.closure({*called, *(names & there.keys())})
        if one.name in there or one.name in new
    ]
    earlier = [one.name for one in order if one.name in there]
    if earlier == list(there):
        return _between(analysis, there, order)
    if sorted(earlier) != sorted(there):
        return {}
    start = statement_start(analysis, next(iter(there.values())))[0]
    end = line_below(analysis, list(there.values())[-1])
    if analysis.text[start:end] != _text(analysis, (target.helpers[name] for name in there)):
        return {}
    return dict.fromkeys(sorted(new), Change(start, end, _text(analysis, order)))


def _between(
    analysis: Analysis, there: Mapping[str, ast.stmt], order: Sequence[Helper]
) -> dict[str, Change]:
    """Return insertions between earlier helpers, which are in order."""
    found: dict[str, Change] = {}
    following: int | None = None
    for helper in reversed(order):
        if helper.name in there:
            following = statement_start(analysis, there[helper.name])[0]
        elif following is not None:
            text = f"{helper.source}\n\n\n".replace("\n", analysis.lines.newline)
            found[helper.name] = Change(following, following, text)
    return {one.name: found[one.name] for one in order if one.name in found}


def _text(analysis: Analysis, helpers: Iterable[Helper]) -> str:
    text = "\n\n\n".join(helper.source for helper in helpers)
    return f"{text}\n".replace("\n", analysis.lines.newline)


def _blank_lines(text: str) -> int:
    """Return the number of blank lines at a text's beginning."""
    return len(list(takewhile(lambda line: not line.strip(), text.splitlines())))


def _first_names(code: str) -> set[str]:
    """Return the names that a statement reads."""
    names = (one for one in ast.walk(ast.parse(code)) if isinstance(one, ast.Name))
    return {one.id for one in names if isinstance(one.ctx, ast.Load)}


def _behind_imports(analysis: Analysis, end: int) -> tuple[int, Statement | None]:
    """Return the offset for code after the imports that end on the line before an offset.

    The second value is the import that code follows on its line, or None. That code may use the
    insertion and must be moved to its own line.
    """
    place = analysis.lines.position(end)
    line = place.line + bool(place.column)
    for one, other in pairwise(analysis.tree.body):
        if isinstance(one, Statement) and not isinstance(other, Statement):
            start, stop = analysis.span(one)[1], analysis.span(other)[0]
            if one.end_lineno == line and analysis.text[start:stop].strip(" \t\f") == ";":
                return stop, one
    return end, None
