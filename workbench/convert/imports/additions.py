"""What converted code needs beside the rewritten expressions: imports and helper functions."""

from __future__ import annotations

import ast
from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise, takewhile

from workbench.convert.imports.changes import import_changes, module_changes
from workbench.convert.imports.import_order import Statement
from workbench.convert.imports.places import line_below, within_reach
from workbench.convert.rewrite.edits import Change, Changes, statement_start
from workbench.convert.rewrite.spelling import Spelling
from workbench.source.analysis import Analysis
from workbench.targets import Target
from workbench.targets.helpers import Import


@dataclass(frozen=True, slots=True)
class Additions:
    """Edits that bring imports and helpers, and the names of the helpers that they bring.

    `parted` tells, by the offset of a line's start, where code of it goes that gets its own line.
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
    known_helpers: Collection[str] = (),
    first: int = 0,
    imported: bool = False,
    helpers_from: str | None = None,
    whole: bool = True,
) -> Additions:
    """The imports and helpers that rewritten expressions rely on.

    Args:
        analysis: the program.
        changes: the rewritten expressions.
        target: the framework that they are written for.
        needed: names bound to torch that stay in use.
        spelling: the short names that the expressions were written with.
        known_helpers: helpers that exist already where the code will run.
        first: the line that the code starts on; what stands before is context.
        imported: the target's module is imported already where the code will run.
        helpers_from: import helpers from this module instead of defining them; it may be relative.
        whole: nothing of the program is left to convert.
    """
    defined = {
        statement.name
        for statement in analysis.tree.body
        if isinstance(statement, ast.FunctionDef | ast.ClassDef)
    }
    called = changes.helpers(target)
    wanted = [
        helper
        for helper in target.helpers.closure([] if helpers_from else called)
        if helper.name not in defined and helper.name not in known_helpers
    ]
    imports = {item for helper in wanted for item in helper.imports}
    fetched = [name for name in called if helpers_from and name not in defined]
    imports |= {Import(helpers_from or "", name, name) for name in fetched}
    imports |= {Import(name, "", name) for name in target.modules_named if name in changes.names}
    main = Import(target.module, "", target.module)
    # A file that imports torch and does nothing with it imports the target in its place.
    idle = not analysis.uses and any(
        item.bound not in needed and not item.own and item.statement.lineno > first
        for item in analysis.imports
    )
    spelling = spelling or Spelling()
    constants = [one for one in spelling.constants if one.bound in changes.names and not one.there]
    changes.names.update(name for one in constants for name in _first_names(one.line))
    short = {bound: one for bound, one in spelling.imports.items() if bound in changes.names}
    # Where torch stays beside members that are the target's by now, this import tells the next run.
    mixed = bool(needed and changes.changes)
    if imported:
        imports.discard(main)
    elif target.module in changes.names or wanted or idle or mixed:
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
    inserted = [one for one in result.changes if one.start == one.end == result.end]
    at, shared = _behind_imports(analysis, result.end)
    parted: dict[int, int] = {}
    if shared is not None and (wanted or constants or inserted):
        start = analysis.span(shared)[1]
        result.changes.append(Change(start, at, analysis.lines.newline))
        parted[statement_start(analysis, shared)[0]] = at
    for change in inserted:
        change.start = change.end = at
    if constants:
        text = "".join(f"\n{one.line}" for one in constants) + "\n"
        text = text.replace("\n", analysis.lines.newline)
        result.changes.append(Change(at, at, text))
    if wanted:
        place = max(at, _after_ours(analysis, spelling, target, first))
        text = "\n\n\n".join(helper.source for helper in wanted)
        below = "\n" * max(0, 2 - _blank_lines(analysis.text[place:]))
        block = f"\n\n{text}\n{below}".replace("\n", analysis.lines.newline)
        result.changes.append(Change(place, place, block))
    return Additions(result.changes, fetched or [helper.name for helper in wanted], parted)


def _after_ours(analysis: Analysis, spelling: Spelling, target: Target, first: int) -> int:
    """Where helpers and constants end that an earlier fix put below the imports; 0 for none.

    What they are needed for comes after them, and new ones may need them.
    """
    constants = {one.bound for one in spelling.constants if one.there}
    end = 0
    for statement in analysis.tree.body:
        if statement.lineno <= first:
            continue
        name = None
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            name = statement.name
        elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            name = statement.targets[0].id
        if name in constants or name in target.helpers:
            end = line_below(analysis, statement)
        elif not isinstance(statement, ast.Import | ast.ImportFrom | ast.Expr):
            break
    return end


def _blank_lines(text: str) -> int:
    """How many lines at a text's beginning are blank."""
    return len(list(takewhile(lambda line: not line.strip(), text.splitlines())))


def _first_names(code: str) -> set[str]:
    """The names that a statement reads."""
    names = (one for one in ast.walk(ast.parse(code)) if isinstance(one, ast.Name))
    return {one.id for one in names if isinstance(one.ctx, ast.Load)}


def _behind_imports(analysis: Analysis, end: int) -> tuple[int, Statement | None]:
    """Where to insert what stands behind imports that end on the line before an offset.

    With it the import that code follows on its line: that may use what is inserted, and is to be
    parted from it.
    """
    place = analysis.lines.position(end)
    line = place.line + bool(place.column)
    for one, other in pairwise(analysis.tree.body):
        if isinstance(one, Statement) and not isinstance(other, Statement):
            start, stop = analysis.span(one)[1], analysis.span(other)[0]
            if one.end_lineno == line and analysis.text[start:stop].strip(" \t\f") == ";":
                return stop, one
    return end, None
