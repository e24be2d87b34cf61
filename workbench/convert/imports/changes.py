"""Changes of import statements: the target's are added, those of torch removed."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Mapping, Set
from dataclasses import dataclass

from workbench.convert.imports.import_lines import has_import, import_lines
from workbench.convert.imports.import_order import Block, Statement, is_renaming
from workbench.convert.imports.places import (
    import_line,
    leading_imports,
    leading_statements,
    line_below,
    path_extension,
    tried_imports,
)
from workbench.convert.imports.statements import HERE, replaced
from workbench.convert.rewrite.edits import Change, statement_start
from workbench.source.analysis import Analysis
from workbench.source.uses import TorchImport
from workbench.targets import Target
from workbench.targets.helpers import MODULE as HELPERS
from workbench.targets.helpers import Import
from workbench.upstream.facts import load

_NONE: Mapping[str, Import] = {}


@dataclass(slots=True)
class ImportChanges:
    """Edits of import statements, and the offset after which all imported names are bound."""

    changes: list[Change]
    end: int


def import_changes(
    analysis: Analysis,
    needed: Set[str],
    imports: Iterable[Import],
    short: Mapping[str, Import] = _NONE,
    *,
    at_top: bool,
    first: int = 0,
) -> ImportChanges:
    """Return edits of the import statements.

    Args:
        analysis: the program.
        needed: names bound to torch that stay in use.
        imports: what the new code relies on.
        short: of these, by the name that it binds, what takes the place of an import of torch.
        at_top: the new imports must be in the module's own scope, since helpers there use them.
        first: lines before this one are not touched.
    """
    borrowed = analysis.borrowed
    imports = {*imports, *(_direct(name, borrowed[name]) for name in needed & borrowed.keys())}
    block = Block(analysis, leading_imports(analysis, first))
    shared = _of_shared_helpers(analysis, imports, block, first)
    imports -= shared
    removed = _removable(analysis, needed, first)
    top = {id(statement) for statement in analysis.tree.body}
    heads = [statement for statement, _ in removed if id(statement) in top]
    # Imports that helpers need at their definition must precede them.
    before = [*leading_statements(analysis, first)[-1:], *heads[:1]]
    last = max((one.end_lineno or one.lineno for one in before), default=first)
    last_line = last if at_top else None
    absent = {one for one in imports if not has_import(analysis.tree, one, first, last_line)}
    # Imports that helpers need precede them; the rest may join an import further down.
    changes = _joined(analysis, absent, removed, first, last_line, block)
    # An import inside a function or a branch may add the new ones if no other code needs them.
    kept = len(removed) < len({id(item.statement) for item in analysis.imports})
    at_top = at_top or kept or bool(heads)
    missing = import_lines(absent)
    ordered = at_top and block.sorted
    if ordered:
        block.put(import_lines(absent, apart=block.apart), heads)
        changes += _around_kept(analysis, block, heads)
        in_heads = _in_order(block, heads)
    else:
        in_heads = _in_place(removed, heads, block, short, absent)
    tried, later = tried_imports(analysis.tree, removed)
    for statement, gone in removed:
        head = id(statement) in top
        # An import in a `try` at the module's top is in scope in all functions.
        needless = at_top or (tried and id(statement) not in tried)
        below = [] if needless else missing
        has_own = id(statement) in later and missing and not at_top
        lines = in_heads.get(id(statement), []) if head else below
        changes += replaced(analysis, statement, gone, lines, not head and not has_own)
    end = import_line(analysis, first)
    # The first of them adds the new ones; those after other code may follow code that needs
    # helpers.
    for statement in heads[:1]:
        end = max(end, line_below(analysis, _last_of_run(analysis, statement)))
    if missing and not ordered and not heads and (at_top or not removed):
        text = "".join(line + analysis.lines.newline for line in missing)
        changes.append(Change(end, end, _on_own_line(analysis, end, text)))
    changes += _of_helper_module(analysis, shared, block, first)
    for change in changes:
        change.text = re.sub(r"\r?\n", analysis.lines.newline, change.text)
    return ImportChanges(changes, end)


def _of_shared_helpers(
    analysis: Analysis, imports: Set[Import], block: Block, first: int
) -> set[Import]:
    """Return the imports from a module of helpers that go below the imports of a file.

    The code above may be what puts the module's folder on Python's path: a change of `sys.path`,
    or the import of a module that changes it.
    """
    if path_extension(analysis, first) is None and (block.sorted or not block.statements):
        return set()
    return {one for one in imports if _root(one.module) and one.module.endswith(HELPERS)}


def _of_helper_module(
    analysis: Analysis, shared: set[Import], block: Block, first: int
) -> list[Change]:
    """Return edits that import shared helpers below the imports or the change of `sys.path`."""
    absent = {one for one in shared if not has_import(analysis.tree, one, first)}
    changes = _joined(analysis, absent, [], first, None, block)
    if not absent:
        return changes
    above = path_extension(analysis, first) or block.statements[-1]
    body = analysis.tree.body
    roots = {_root(one.module) for one in absent}
    siblings = (
        one
        for one in body[body.index(above) + 1 :]
        if isinstance(one, ast.ImportFrom) and _root(one.module or "") in roots
    )
    sibling = next(siblings, None)
    at = statement_start(analysis, sibling)[0] if sibling else line_below(analysis, above)
    text = "".join(line + analysis.lines.newline for line in import_lines(absent))
    return [*changes, Change(at, at, _on_own_line(analysis, at, text))]


def _root(module: str) -> str:
    """Return the package of an absolute module name; it is empty for a relative one."""
    return module.partition(".")[0]


def _last_of_run(analysis: Analysis, first: Statement) -> Statement:
    """Return the last of the imports that follow one without other code between them."""
    body, last = analysis.tree.body, first
    for one in body[body.index(first) + 1 :]:
        if not isinstance(one, Statement):
            break
        last = one
    return last


def _around_kept(analysis: Analysis, block: Block, heads: list[Statement]) -> list[Change]:
    """Return insertions around the imports of a sorted block that stay."""
    stay = [one for one in block.statements if not any(one is head for head in heads)]
    return [change for one in stay for change in _next_to(analysis, one, block)]


def _in_order(block: Block, heads: list[Statement]) -> dict[int, list[str]]:
    """Map a removed import of a sorted block, by identity, to the lines around its location."""
    return {
        id(one): [*block.before(one), HERE, *block.after(one)]
        for one in heads
        if any(one is other for other in block.statements)
    }


def _in_place(
    removed: Iterable[tuple[Statement, list[TorchImport]]],
    heads: list[Statement],
    block: Block,
    short: Mapping[str, Import],
    absent: Set[Import],
) -> dict[int, list[str]]:
    """Map a removed import of an unordered block, by identity, to the lines that replace it.

    The target stands where torch stood first, and what else is new where torch stood last.
    """
    found = _renamed(removed, heads, short, absent)
    missing = import_lines(absent - {one for group in found.values() for one in group})
    leading = [one for one in heads if any(one is other for other in block.statements)]
    last = leading[-1] if leading and leading[0] is heads[0] else None
    return {
        id(one): _unordered(one, heads[0], last, import_lines(found[id(one)]), missing)
        for one in heads
    }


def _unordered(
    statement: Statement,
    first: Statement,
    last: Statement | None,
    own: list[str],
    missing: list[str],
) -> list[str]:
    """Return the lines that replace a statement in an unordered block: its own, and missing ones.

    Imports of whole packages come with the first removed import, names and helpers with the last
    one.
    """
    if last is None:
        return [*missing, *own] if statement is first else own
    whole = [line for line in missing if line.startswith("import ")]
    names = [line for line in missing if not line.startswith("import ")]
    before = whole if statement is first else []
    return [*before, *own, *names] if statement is last else [*before, *own]


def _joined(
    analysis: Analysis,
    absent: set[Import],
    removed: Iterable[tuple[Statement, list[TorchImport]]],
    first: int,
    last: int | None,
    block: Block,
) -> list[Change]:
    """Return edits that add `absent` names to imports from the same module; `absent` loses them."""
    apart = block.sorted and block.apart
    gone = {id(statement) for statement, _ in removed}
    changes: list[Change] = []
    for statement in analysis.tree.body:
        if not isinstance(statement, ast.ImportFrom) or statement.lineno <= first:
            continue
        if last is not None and statement.lineno > last:
            break
        own = {
            one
            for one in absent
            if one.name and one.module == statement.module
            if not apart or one.bound == one.name
        }
        start, end = analysis.span(statement)
        code = analysis.text[start:end]
        ours = statement.module == HELPERS and "#" not in code
        laid_out = set(code) & ({"*"} if ours else {"(", "*", "\n"})
        laid_out |= {"as"} if apart and is_renaming(statement) else set()
        if not own or id(statement) in gone or statement.level or laid_out:
            continue
        names = {
            Import(one.module, alias.name, alias.asname or alias.name)
            for one in own
            for alias in statement.names
        }
        [line] = import_lines(names | own)
        changes.append(Change(start, end, line))
        absent -= own
    return changes


def _renamed(
    removed: Iterable[tuple[Statement, list[TorchImport]]],
    heads: list[Statement],
    short: Mapping[str, Import],
    absent: Set[Import],
) -> dict[int, list[Import]]:
    """Map each removed import, by identity, to the target's names that replace its own."""
    gone = {id(statement): items for statement, items in removed}
    found: dict[int, list[Import]] = {}
    done: set[Import] = set()
    for statement in heads:
        own = [short[item.bound] for item in gone[id(statement)] if item.bound in short]
        found[id(statement)] = [one for one in own if one in absent and one not in done]
        done.update(found[id(statement)])
    return found


def _direct(bound: str, name: str) -> Import:
    """Return the import of a torch name from torch itself."""
    if load().is_module(name):
        return Import(name, "", bound)
    module, _, member = name.rpartition(".")
    return Import(module, member, bound)


def _next_to(analysis: Analysis, statement: Statement, block: Block) -> list[Change]:
    """Return the insertion of new imports right before and after a statement that stays."""
    newline = analysis.lines.newline
    changes: list[Change] = []
    if before := block.before(statement):
        start, _ = statement_start(analysis, statement)
        changes.append(Change(start, start, "".join(line + newline for line in before)))
    if after := block.after(statement):
        at = line_below(analysis, statement)
        text = "".join(line + newline for line in after)
        changes.append(Change(at, at, _on_own_line(analysis, at, text)))
    return changes


def module_changes(analysis: Analysis, target: Target, first: int = 0) -> list[Change]:
    """Return edits of imports of packages that have a part for each framework, as einops does."""
    changes: list[Change] = []
    for foreign in analysis.foreign:
        other = target.modules.get(foreign.package)
        if other is None or foreign.statement.lineno <= first:
            continue
        start, end = analysis.span(foreign.statement)
        spelled = r"\s*\.\s*".join(map(re.escape, foreign.package.split(".")))
        for match in re.finditer(rf"\b{spelled}\b", analysis.text[start:end]):
            changes.append(Change(start + match.start(), start + match.end(), other))
    return changes


def without_import(analysis: Analysis, module: str, first: int) -> list[Change]:
    """Return edits that remove an import of a module that an earlier fix added and no code uses.

    Nothing is dropped where the import shares its line.
    """
    for one in analysis.tree.body:
        if not isinstance(one, ast.Import) or one.lineno <= first:
            continue
        start, end = analysis.lines.start(one.lineno - 1), analysis.lines.start(one.lineno)
        if analysis.text[start:end].strip() == f"import {module}":
            return [Change(start, end, "")]
    return []


def _on_own_line(analysis: Analysis, offset: int, text: str) -> str:
    """Return a line to insert at an offset that may follow a last line without an ending."""
    before = analysis.text[offset - 1 : offset]
    return text if not before or before in "\r\n\ufeff" else analysis.lines.newline + text


def _removable(
    analysis: Analysis, needed: Collection[str], first: int
) -> list[tuple[Statement, list[TorchImport]]]:
    """Return torch's import statements with those of their names that are no longer used."""
    found: dict[int, tuple[Statement, list[TorchImport]]] = {}
    for item in analysis.imports:
        if item.statement.lineno <= first:
            continue
        # A name that comes from another file of the project may disappear from torch's imports
        # there.
        if not item.own and (item.bound in needed or (item.bound == "*" and needed)):
            continue
        found.setdefault(id(item.statement), (item.statement, []))[1].append(item)
    return list(found.values())
