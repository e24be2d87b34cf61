"""The import statements of converted code: the target's come in, those of torch go."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Collection, Iterable, Mapping, Set
from dataclasses import dataclass

import libcst as cst

from workbench.convert.decide.planner import Plan, left_out
from workbench.convert.decide.reconversion import is_helper
from workbench.convert.imports.import_order import Block, Statement
from workbench.convert.rewrite.dtype_literals import printed_dtypes
from workbench.convert.rewrite.edits import Change, statement_start
from workbench.convert.rewrite.spelling import brought
from workbench.rules.outcome import Rewrite
from workbench.source.analysis import Analysis
from workbench.source.tree import inside, unparsed
from workbench.source.uses import TorchImport, Use, UseKind
from workbench.targets import Target
from workbench.targets.helpers import MODULE as HELPERS
from workbench.targets.helpers import Import
from workbench.upstream.facts import load

# Stands, among new lines, for what is left of the statement whose place they take.
_HERE = "\0"
_NONE: Mapping[str, Import] = {}
# A line of imports that is longer than this is broken.
_WIDTH = 100
# Uses that name torch in the first argument of a call: `partial(torch.sum)`, `getattr(torch, x)`.
_OF_FIRST_ARGUMENT = frozenset({UseKind.PARTIAL, UseKind.READ, UseKind.COMPUTED})


def still_needed(
    analysis: Analysis, plans: Iterable[Plan], converted: Collection[int], target: Target
) -> set[str]:
    """Names bound to torch that the code still reads once these uses are converted.

    A name that the file imports and never reads may be there for others to import: it stays where
    the target has nothing for it.
    """
    plans = list(plans)
    consumed = {id(one) for one, _ in printed_dtypes(analysis, target.module)}
    for one in plans:
        use = one.use
        if id(use.node) not in converted or not isinstance(one.outcome, Rewrite):
            continue
        consumed.update(id(part) for node in left_out(one) for part in inside(node))
        if use.kind is UseKind.ASKED:
            consumed.update(id(part) for part in inside(use.node))
        own = use.receiver is None or use.kind is UseKind.UNBOUND
        first = _first_name(use) if own else None
        if first is not None:
            consumed.add(id(first))
    bound = {item.bound for item in analysis.imports} | analysis.borrowed.keys()
    quoted = {id(one.node): one.tree for one in analysis.quoted}
    needed: set[str] = bound & _offered(analysis.tree)
    read: set[str] = set()
    written = (one for one in analysis.tree.body if not is_helper(one, target))
    for node in (node for one in written for node in inside(one)):
        if isinstance(node, ast.Name):
            read.add(node.id)
            if node.id in bound and id(node) not in consumed:
                needed.add(node.id)
        elif isinstance(node, ast.Constant) and id(node) in quoted:
            names = [part for part in inside(quoted[id(node)]) if isinstance(part, ast.Name)]
            read.update(name.id for name in names)
            needed.update(
                name.id for name in names if name.id in bound and id(name) not in consumed
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) in consumed:
                continue
            # A name in a string; longer texts are prose.
            needed.update(name for name in bound if node.value.startswith(f"{name}."))
    if "*" in bound:
        left = (one.use for one in plans if id(one.use.node) not in converted)
        firsts = [_first_name(use) for use in left if use.receiver is None]
        stay = [name for name in firsts if name is not None and id(name) not in consumed]
        stars = brought(analysis, target) - bound
        needed |= {"*" for name in stay if name.id in stars}
    facts = target.facts
    for item in analysis.imports:
        if item.bound == "*" and facts.is_own(item.name):
            needed.add("*")  # it may bring more than the names that have rules
        elif item.bound not in read and item.bound != "*" and not facts.is_module(item.name):
            rule = target.rules.find(item.name)
            if rule is None or rule.refusal is not None:
                needed.add(item.bound)
    effects = {
        item.bound
        for item in analysis.imports
        if item.bound not in read
        and facts.is_own(item.name)
        and facts.is_module(item.name)
        and (needed or not _is_in(item, target.dropped))
    }
    return needed | effects


def _is_in(item: TorchImport, modules: Collection[str]) -> bool:
    """Whether an import is of one of these modules, or of something in it."""
    names = (item.name, item.alias.name)
    return any(f"{name}.".startswith(f"{module}.") for name in names for module in modules)


def _offered(tree: ast.Module) -> set[str]:
    """The names in the module's `__all__`, which others import."""
    names: set[str] = set()
    for statement in tree.body:
        if isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            if any(isinstance(one, ast.Name) and one.id == "__all__" for one in targets):
                strings = (one for one in inside(statement) if isinstance(one, ast.Constant))
                names.update(one.value for one in strings if isinstance(one.value, str))
    return names


def _first_name(use: Use) -> ast.Name | None:
    if isinstance(use.node, ast.AugAssign):
        return None
    node: ast.expr = use.call.func if use.call is not None else use.node
    if use.kind is UseKind.INDIRECT or use.indirect:
        return None
    if isinstance(use.node, ast.Call) and use.kind in _OF_FIRST_ARGUMENT:
        node = use.node.args[0]
    if use.among and isinstance(node, ast.Call):
        node = node.args[0]
    while isinstance(node, ast.Attribute):
        node = node.value
    return node if isinstance(node, ast.Name) else None


def has_import(tree: ast.Module, wanted: Import, first: int = 0, last: int | None = None) -> bool:
    """True where the module's own scope imports this under the same name, after line `first`.

    `last` is the last line on which the import may stand, where what needs it comes next.
    """
    for statement in tree.body:
        if not isinstance(statement, Statement) or statement.lineno <= first:
            continue
        if last is not None and statement.lineno > last:
            break
        module = ""
        if isinstance(statement, ast.ImportFrom):
            module = "." * statement.level + (statement.module or "")
        for alias in statement.names:
            name = alias.name if isinstance(statement, ast.ImportFrom) else ""
            found = Import(module or alias.name, name, alias.asname or alias.name)
            if found == wanted:
                return True
    return False


def import_lines(imports: Iterable[Import]) -> list[str]:
    """Import statements, plain ones first, one for each module that names come from.

    One that is too long for a line has its names on lines of their own, which end with a line feed.
    """
    plain: list[str] = []
    names: dict[str, list[str]] = {}
    for item in sorted(set(imports), key=lambda item: (item.module.startswith("."), item)):
        bound = item.name or item.module
        text = bound if item.bound == bound else f"{bound} as {item.bound}"
        if item.name:
            names.setdefault(item.module, []).append(text)
        else:
            plain.append(f"import {text}")
    return plain + [_from(module, parts) for module, parts in names.items()]


def _from(module: str, parts: list[str]) -> str:
    line = f"from {module} import {', '.join(parts)}"
    if len(line) <= _WIDTH:
        return line
    return f"from {module} import (\n" + "".join(f"    {part},\n" for part in parts) + ")"


@dataclass(slots=True)
class ImportChanges:
    """Edits of import statements, and the offset after which all that is imported is there."""

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
    """Edits of the import statements.

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
    removed = _removable(analysis, needed, first)
    top = {id(statement) for statement in analysis.tree.body}
    kept = len(removed) < len({id(item.statement) for item in analysis.imports})
    changes: list[Change] = []
    end = import_line(analysis, first)
    heads = [statement for statement, _ in removed if id(statement) in top]
    # What helpers need as they are defined is there before them.
    before = [*_leading(analysis, first)[-1:], *heads[:1]]
    last = max((one.end_lineno or one.lineno for one in before), default=first)
    absent = {
        one
        for one in imports
        if not has_import(analysis.tree, one, first, last if at_top else None)
    }
    # What helpers need comes before them; the rest may join an import further down.
    changes += _joined(analysis, absent, removed, first, last if at_top else None)
    missing = import_lines(absent)
    # An import inside a function or a branch may carry the new ones where nothing else needs them.
    at_top = at_top or kept or bool(heads)
    block = Block(analysis, leading_imports(analysis, first))
    ordered = at_top and block.sorted
    if ordered:
        block.put(missing, heads)
        for statement in block.statements:
            if not any(statement is one for one in heads):
                changes += _beside(analysis, statement, block)
    tried, later = _tried(analysis.tree, removed)
    in_place = {} if ordered else _in_place(removed, top, short, absent)
    if in_place:
        missing = import_lines(absent - {one for found in in_place.values() for one in found})
    # The target stands where torch stood first, and what else is new where torch stood last.
    leading = [one for one in heads if any(one is other for other in block.statements)]
    last_head = leading[-1] if leading and leading[0] is heads[0] else None
    for statement, gone in removed:
        if id(statement) not in top:
            # One that is tried at the module's top reaches all functions, which need none then.
            needless = at_top or (tried and id(statement) not in tried)
            lines = [] if needless else missing
        elif ordered and any(statement is one for one in block.statements):
            lines = [*block.before(statement), _HERE, *block.after(statement)]
        else:
            own = import_lines(in_place.get(id(statement), ()))
            lines = _unordered(statement, heads[0], last_head, own, missing if not ordered else [])
        alone = id(statement) not in top
        if id(statement) in later and missing and not at_top:
            alone = False  # what comes in place of the first stands beside it
        changes += _replaced(analysis, statement, gone, lines, alone)
    # The first of them brings the new ones; what comes later may follow code that needs helpers.
    for statement in heads[:1]:
        end = max(end, analysis.lines.start(statement.end_lineno or statement.lineno))
    if missing and not ordered and not heads and (at_top or not removed):
        text = "".join(line + analysis.lines.newline for line in missing)
        changes.append(Change(end, end, _on_own_line(analysis, end, text)))
    for change in changes:
        change.text = re.sub(r"\r?\n", analysis.lines.newline, change.text)
    return ImportChanges(changes, end)


def _unordered(
    statement: Statement,
    first: Statement,
    last: Statement | None,
    own: list[str],
    missing: list[str],
) -> list[str]:
    """What takes a statement's place in a block that has no order: its own, and what is missing.

    Packages as a whole come with the first import that goes, names and helpers with the last one.
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
) -> list[Change]:
    """Edits that put names into imports from the same module, and take them off what is absent."""
    gone = {id(statement) for statement, _ in removed}
    changes: list[Change] = []
    for statement in analysis.tree.body:
        if not isinstance(statement, ast.ImportFrom) or statement.lineno <= first:
            continue
        if last is not None and statement.lineno > last:
            break
        own = {one for one in absent if one.name and one.module == statement.module}
        start, end = analysis.span(statement)
        code = analysis.text[start:end]
        ours = statement.module == HELPERS and "#" not in code
        laid_out = set(code) & ({"*"} if ours else {"(", "*", "\n"})
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


def _in_place(
    removed: Iterable[tuple[Statement, list[TorchImport]]],
    top: Set[int],
    short: Mapping[str, Import],
    absent: Set[Import],
) -> dict[int, list[Import]]:
    """By the identity of a statement at the top that goes, the imports that take its place."""
    found: dict[int, list[Import]] = {}
    done: set[Import] = set()
    for statement, gone in removed:
        if id(statement) not in top:
            continue
        # A name that became another one of the target's stands where the old one did.
        bound = [item.bound for item in gone]
        own = [short[name] for name in bound if name in short]
        mine = [one for one in own if one in absent and one not in done]
        done.update(mine)
        found[id(statement)] = mine
    return found


def _direct(bound: str, name: str) -> Import:
    """The import of a torch name from torch itself."""
    if load().is_module(name):
        return Import(name, "", bound)
    module, _, member = name.rpartition(".")
    return Import(module, member, bound)


def _tried(
    tree: ast.Module, removed: Iterable[tuple[Statement, list[TorchImport]]]
) -> tuple[set[int], set[int]]:
    """Of the removed imports, by identity, the first in each `try` at the top, and the others."""
    gone = {id(statement) for statement, _ in removed}
    first: set[int] = set()
    later: set[int] = set()
    for block in tree.body:
        if isinstance(block, ast.Try):
            inside_it = [id(one) for one in block.body if id(one) in gone]
            first.update(inside_it[:1])
            later.update(inside_it[1:])
    return first, later


def within_reach(analysis: Analysis, lines: Iterable[int]) -> bool:
    """True where an import of torch that is not at the top reaches each of these lines.

    What it is replaced by reaches them likewise. One for type checkers alone reaches nothing.
    """
    statements = {id(item.statement) for item in analysis.imports}
    reached: list[range] = []

    def visit(node: ast.AST, reach: range) -> None:
        if id(node) in statements:
            reached.append(reach)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            reach = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in unparsed(node.test):
            reach = range(0)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
                visit(child, reach)

    visit(analysis.tree, range(len(analysis.lines) + 1))
    return all(any(line in reach for reach in reached) for line in lines)


def _beside(analysis: Analysis, statement: Statement, block: Block) -> list[Change]:
    """The insertion of new imports right before and after a statement that stays."""
    newline = analysis.lines.newline
    changes: list[Change] = []
    if before := block.before(statement):
        start, _ = statement_start(analysis, statement)
        changes.append(Change(start, start, "".join(line + newline for line in before)))
    if after := block.after(statement):
        at = analysis.lines.start(statement.end_lineno or statement.lineno)
        text = "".join(line + newline for line in after)
        changes.append(Change(at, at, _on_own_line(analysis, at, text)))
    return changes


def module_changes(analysis: Analysis, target: Target, first: int = 0) -> list[Change]:
    """Edits of imports of packages that have a part for each framework, as einops does."""
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


def _on_own_line(analysis: Analysis, offset: int, text: str) -> str:
    """A line to insert at an offset that may follow a last line without an ending."""
    before = analysis.text[offset - 1 : offset]
    return text if not before or before in "\r\n\ufeff" else analysis.lines.newline + text


def leading_imports(analysis: Analysis, first: int = 0) -> list[Statement]:
    """The imports that the code begins with, after its docstring."""
    return [one for one in _leading(analysis, first) if isinstance(one, Statement)]


def _leading(analysis: Analysis, first: int) -> list[ast.stmt]:
    found: list[ast.stmt] = []
    for statement in analysis.tree.body:
        if statement.lineno <= first:
            continue
        docstring = (
            not found
            and isinstance(statement, ast.Expr)
            and isinstance(statement.value, ast.Constant)
            and isinstance(statement.value.value, str)
        )
        if not docstring and not isinstance(statement, Statement):
            break
        found.append(statement)
    return found


def import_line(analysis: Analysis, first: int = 0) -> int:
    """Offset where a new import goes: after the last leading import, docstring or future."""
    leading = _leading(analysis, first)
    if leading:
        return analysis.lines.start(leading[-1].end_lineno or leading[-1].lineno)
    return analysis.lines.start(first) if first else _first_code_line(analysis)


def _first_code_line(analysis: Analysis) -> int:
    """After a byte order mark, a #! line and an encoding line."""
    line = 0
    while (
        analysis.lines.line(line).lstrip("\ufeff").startswith(("#!", "# -*-", "# vim", "# coding"))
    ):
        line += 1
    if line == 0 and analysis.text.startswith("\ufeff"):
        return 1
    return analysis.lines.start(line)


def _removable(
    analysis: Analysis, needed: Collection[str], first: int
) -> list[tuple[Statement, list[TorchImport]]]:
    """Torch import statements with those of their names that nothing uses any more."""
    found: dict[int, tuple[Statement, list[TorchImport]]] = {}
    for item in analysis.imports:
        if item.statement.lineno <= first:
            continue
        # What another file of the project has from torch it may not have for long.
        if not item.own and (item.bound in needed or (item.bound == "*" and needed)):
            continue
        found.setdefault(id(item.statement), (item.statement, []))[1].append(item)
    return list(found.values())


def _replaced(
    analysis: Analysis,
    statement: Statement,
    gone: list[TorchImport],
    lines: list[str],
    nested: bool,
) -> list[Change]:
    """Take names out of an import statement, all of it where none is left.

    New lines come in its place; one of them may stand for what is left of it.
    """
    start, end = analysis.span(statement)
    line_start, indent = statement_start(analysis, statement)
    dropped = {id(item.alias) for item in gone}
    left = [alias for alias in statement.names if id(alias) not in dropped]
    code = analysis.text[start:end]
    kept = [_without(code, statement, left)] if left else []
    place = lines.index(_HERE) if _HERE in lines else len(lines)
    parts = [*lines[:place], *kept, *lines[place + 1 :]]
    comments = [text for text in _comments(code) if text not in "".join(kept)]
    if parts:
        glue = analysis.lines.newline
        parts = [*comments, *parts]
        text = parts[0] + "".join(f"{glue}{part and indent}{part}" for part in parts[1:])
        return [Change(start, end, text)]
    rest = analysis.text[end : analysis.lines.start(statement.end_lineno or statement.lineno)]
    alone = not analysis.text[line_start:start].strip() and rest.lstrip()[:1] in {"", "#"}
    if not alone or (nested and not _has_company(analysis, statement)):
        above = [f"{indent}{comment}{analysis.lines.newline}" for comment in comments]
        changes = [Change(line_start, line_start, "".join(above))] if above else []
        return [*changes, Change(start, end, "pass")]
    comments += [rest.strip()] if rest.strip() else []
    text = "".join(f"{indent}{comment}{analysis.lines.newline}" for comment in comments)
    return [Change(line_start, end + len(rest), text)]


def _has_company(analysis: Analysis, statement: Statement) -> bool:
    """True where other statements, that stay, are in the same block."""
    torch = {id(item.statement) for item in analysis.imports}
    for node in ast.walk(analysis.tree):
        for body in (getattr(node, name, None) for name in ("body", "orelse", "finalbody")):
            if isinstance(body, list) and any(one is statement for one in body):
                return any(id(one) not in torch for one in body)
    return False


def _comments(code: str) -> list[str]:
    """The comments inside an import statement."""
    if "#" not in code:
        return []
    tokens = tokenize.generate_tokens(io.StringIO(code).readline)
    return [token.string for token in tokens if token.type == tokenize.COMMENT]


def _without(code: str, statement: Statement, left: list[ast.alias]) -> str:
    """The import statement with the names in `left` alone, laid out as it was."""
    tree = cst.parse_statement(code)
    assert isinstance(tree, cst.SimpleStatementLine)
    node = tree.body[0]
    assert isinstance(node, cst.Import | cst.ImportFrom)
    names = node.names
    assert not isinstance(names, cst.ImportStar)
    keep = {id(alias) for alias in left}
    chosen = [twin for alias, twin in zip(statement.names, names, strict=True) if id(alias) in keep]
    if not names[-1].comma or isinstance(names[-1].comma, cst.MaybeSentinel):
        chosen[-1] = chosen[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return cst.Module([]).code_for_node(node.with_changes(names=chosen))
