"""Edits of expressions: each touched one is rewritten, and trimmed to its actual changes."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

import libcst as cst

from workbench.convert.decide.planner import Plan, left_out
from workbench.convert.rewrite.ast_cst_pairs import PairingError
from workbench.convert.rewrite.augmented_assignment import in_place
from workbench.convert.rewrite.dtype_literals import printed_dtypes
from workbench.convert.rewrite.emptied import left_behind
from workbench.convert.rewrite.expression import Rewritten, rewrite
from workbench.convert.rewrite.expression_roots import roots
from workbench.convert.rewrite.renaming import renamed
from workbench.convert.rewrite.spelling import Spelling
from workbench.convert.rewrite.written_names import written_names
from workbench.findings import Edit
from workbench.rules.outcome import Refusal, Rewrite
from workbench.rules.template import roots as template_roots
from workbench.source.analysis import Analysis
from workbench.source.tree import inside
from workbench.source.uses import UseKind
from workbench.targets import Target

# The first name of a dotted one.
_FIRST = r"(?<![\w.])[A-Za-z_]\w*(?=[.(])"


@dataclass(slots=True)
class Change:
    """Replace the text between two offsets."""

    start: int
    end: int
    text: str


@dataclass(slots=True)
class Changes:
    """The edits of some uses, and what the new code needs."""

    changes: list[Change] = field(default_factory=list)
    names: set[str] = field(default_factory=set)  # first names of new code
    member_lines: list[int] = field(default_factory=list)  # where members added such names
    converted: set[int] = field(default_factory=set)  # identities of the converted nodes
    refused: dict[int, Refusal] = field(default_factory=dict)  # of those that cannot be written
    unnamed: bool = False  # nothing that stays of the text names the target's module in full

    def settled(self, plans: Iterable[Plan]) -> list[Plan]:
        """Return the plans, refused if they could not be written."""
        why = "its expression cannot be rewritten"
        return [
            one.decided(self.refused[id(one.use.node)], why)
            if id(one.use.node) in self.refused
            else one
            for one in plans
        ]

    def helpers(self, target: Target) -> list[str]:
        """Return helpers that the new code calls."""
        return sorted(name for name in self.names if name in target.helpers)


def expression_changes(
    analysis: Analysis,
    plans: Iterable[Plan],
    wanted: Collection[int] | None = None,
    module: str = "torch",
    spelling: Spelling | None = None,
) -> Changes:
    """Rewrite the expressions that hold uses.

    Args:
        analysis: the program.
        plans: the plan of each use.
        wanted: identities of the use nodes to convert; all where None.
        module: in whose name dtypes print then.
        spelling: the short names of the target's that the file has.

    A use that turns out impossible to write is in `refused`, and stays as it was.
    """
    chosen = {
        id(plan.use.node): plan
        for plan in plans
        if plan.converts and (wanted is None or id(plan.use.node) in wanted)
    }
    result = Changes()
    if not chosen:
        return result
    result.converted = set(chosen)
    active = {
        key: _spelled(plan, spelling)
        for key, plan in chosen.items()
        if isinstance(plan.outcome, Rewrite)
    }
    augmented = {
        id(p.use.node): p
        for p in active.values()
        if p.use.kind is UseKind.AUGMENTED and not _pieces(p)
    }
    for plan in augmented.values():
        _rewrite_augmented(analysis, plan, active, result)
    whole = {id(p.use.statement): p for p in active.values() if _pieces(p)}
    for plan in whole.values():
        _rewrite_in_pieces(analysis, plan, active, result)
    quoted = _in_strings(analysis, active, result)
    quoted += [Change(*analysis.span(one), new) for one, new in printed_dtypes(analysis, module)]
    quoted += _literals(analysis, active)
    touched = {id(plan.use.statement) for plan in active.values()}
    for statement, root in roots(analysis.tree, touched):
        if id(statement) not in touched or id(statement) in {*augmented, *whole}:
            continue
        found = [active[id(node)] for node in inside(root) if id(node) in active]
        wrapper = _stored_value(statement, root, active)
        if not found and wrapper is None:
            continue
        _rewrite_root(analysis, statement, root, found, wrapper, quoted, result)
    written = [plan for key, plan in active.items() if key not in result.refused]
    gone = {id(plan.use.statement) for plan in written if _is_removed(plan)}
    for plan in written:
        _rewrite_statement(analysis, plan, gone, result)
    edits = dict.fromkeys(
        edit
        for plan in chosen.values()
        if id(plan.use.node) not in result.refused and not isinstance(plan.outcome, Refusal)
        for edit in plan.outcome.elsewhere
    )
    for start, end, text in edits:  # several uses may need the same
        result.changes.append(Change(start, end, text))
        result.names.update(re.findall(_FIRST, text))
    result.changes += [one for one in quoted if not _is_within(one, result.changes)]
    return result


def _spelled(plan: Plan, spelling: Spelling | None) -> Plan:
    """Return the plan with the target's names as the file spells them."""
    outcome = plan.outcome
    if spelling is None or not isinstance(outcome, Rewrite):
        return plan
    texts = {name: spelling(text) for name, text in outcome.texts.items()}
    after = spelling(outcome.after) if outcome.after is not None else None
    also = tuple(
        (one, spelling(before), kept, spelling(behind))
        for one, before, kept, behind in outcome.also
    )
    short = replace(
        outcome, template=spelling(outcome.template), texts=texts, after=after, also=also
    )
    return replace(plan, outcome=short)


def _is_within(change: Change, others: Iterable[Change]) -> bool:
    return any(other.start <= change.start < other.end for other in others)


def _in_strings(analysis: Analysis, active: Mapping[int, Plan], result: Changes) -> list[Change]:
    """Return the changes within annotations that are written as strings."""
    changes: list[Change] = []
    for one in analysis.quoted:
        found = [active[id(node)] for node in inside(one.tree) if id(node) in active]
        if not found:
            continue
        start, end = analysis.span(one.tree)
        written = _rewritten(analysis, analysis.text[start:end], one.tree, found, result)
        if written is not None:
            _note_names(found, result)
            changes.append(Change(start, end, written.code))
    return changes


def _literals(analysis: Analysis, active: dict[int, Plan]) -> list[Change]:
    """Return the changes of texts that name a class, whose plans are taken out."""
    changes: list[Change] = []
    for key, plan in list(active.items()):
        node, outcome = plan.use.node, plan.outcome
        if isinstance(node, ast.Constant) and isinstance(outcome, Rewrite):
            start, end = analysis.span(node)
            new = str(ast.literal_eval(outcome.template))
            changes.append(Change(start + 1, end - 1, new))
            del active[key]
    return changes


def _stored_value(statement: ast.stmt, root: ast.expr, active: Mapping[int, Plan]) -> Plan | None:
    """Return the plan of an assignment to a data member, for the expression that is assigned."""
    if not isinstance(statement, ast.Assign) or root is not statement.value:
        return None
    plan = active.get(id(statement.targets[0]))
    return plan if plan is not None and plan.use.kind is UseKind.STORE else None


def _rewrite_augmented(
    analysis: Analysis, plan: Plan, active: Mapping[int, Plan], result: Changes
) -> None:
    statement = plan.use.node
    assert isinstance(statement, ast.AugAssign)
    sides: list[str] = []
    plans = [plan] if isinstance(plan.outcome, Rewrite) else []
    comments: list[str] = []
    for side in (statement.target, statement.value):
        code = _converted_part(analysis, side, active, result, plans, comments)
        if code is None:
            return
        sides.append(code)
    _note_names(plans, result)
    start, end = analysis.span(statement)
    new = in_place(plan, *sides)
    result.changes.append(Change(start, end, new))
    if comments:
        result.changes.append(_comment_lines(analysis, statement, comments))


def _converted_part(
    analysis: Analysis,
    node: ast.expr,
    active: Mapping[int, Plan],
    result: Changes,
    plans: list[Plan],
    comments: list[str],
) -> str | None:
    """Return the code of an expression with its uses converted, or None if one is refused.

    The plans of the uses, and the comments that their code loses, are added to the lists.
    """
    code = analysis.text[slice(*analysis.span(node))]
    found = [active[id(one)] for one in inside(node) if id(one) in active]
    if not found:
        return code
    written = _rewritten(analysis, code, node, found, result)
    if written is None:
        return None
    comments += written.comments
    plans += found
    return written.code


def _pieces(plan: Plan) -> tuple[str | ast.expr, ...]:
    return plan.outcome.pieces if isinstance(plan.outcome, Rewrite) else ()


def _rewrite_in_pieces(
    analysis: Analysis, plan: Plan, active: Mapping[int, Plan], result: Changes
) -> None:
    """Put texts and converted expressions in the place of a statement."""
    statement = plan.use.statement
    start, end = analysis.span(statement)
    line_start, indent = statement_start(analysis, statement)
    shared = analysis.text[line_start:start].strip()
    gap = "; " if shared else f"{analysis.lines.newline}{indent}"
    code, plans = "", [plan]
    comments = _comments_between(analysis, statement, _pieces(plan))
    for piece in _pieces(plan):
        if isinstance(piece, str):
            code += piece.replace("\n", gap)
            result.names.update(re.findall(_FIRST, piece))
            continue
        text = _converted_part(analysis, piece, active, result, plans, comments)
        if text is None:
            return
        code += text
    _note_names(plans, result)
    result.changes.append(Change(start, end, code))
    if comments:
        result.changes.append(_comment_lines(analysis, statement, comments))


def _comments_between(
    analysis: Analysis, statement: ast.stmt, pieces: Iterable[str | ast.expr]
) -> list[str]:
    """Return the comments in a statement that are in none of its expressions that stay."""
    start, end = analysis.span(statement)
    found: list[str] = []
    spans = (analysis.span(one) for one in pieces if not isinstance(one, str))
    for low, high in (*sorted(spans), (end, end)):
        found += re.findall(r"#.*", analysis.text[start:low])
        start = max(start, high)
    return found


def _rewritten(
    analysis: Analysis, code: str, root: ast.expr, plans: list[Plan], result: Changes
) -> Rewritten | None:
    """Return the new code of an expression, or None, with its uses in `refused`."""
    is_unchanged = code == analysis.text[slice(*analysis.span(root))]
    if is_unchanged and (new := renamed(code, root, plans)) is not None:
        return Rewritten(new, ())
    by_node = {id(plan.use.node): plan for plan in plans}
    try:
        return rewrite(code, root, by_node, analysis.lines.newline)
    except (PairingError, cst.ParserSyntaxError, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else error
        for plan in plans:
            refusal = Refusal(f"this expression cannot be rewritten safely ({why})")
            result.refused[id(plan.use.node)] = refusal
            result.converted.discard(id(plan.use.node))
        return None


def _rewrite_root(
    analysis: Analysis,
    statement: ast.stmt,
    root: ast.expr,
    plans: list[Plan],
    wrapper: Plan | None,
    quoted: list[Change],
    result: Changes,
) -> None:
    start, end = analysis.span(root)
    old = code = analysis.text[start:end]
    within = [change for change in quoted if start <= change.start and change.end <= end]
    for change in sorted(within, key=lambda one: one.start, reverse=True):
        code = code[: change.start - start] + change.text + code[change.end - start :]
    written = _rewritten(analysis, code, root, plans, result)
    if written is None:
        return
    text = written.code
    whole = next((plan for plan in plans if plan.use.node is root), None)
    if whole is not None and isinstance(whole.outcome, Rewrite) and whole.outcome.assigned:
        assert whole.use.receiver is not None
        low, high = analysis.span(whole.use.receiver)
        text = f"{analysis.text[low:high]} = {text}"  # a part without a use to convert
    if wrapper is not None and wrapper.rule is not None and wrapper.rule.store is not None:
        text = _wrapped(text, root, _of_receiver(analysis, wrapper, result))
    _note_names(plans, result)
    for change in within:
        quoted.remove(change)
    if text == "object" and isinstance(statement, ast.ClassDef) and statement.bases == [root]:
        start, end = _with_brackets(analysis.text, start, end)
        text, old = "", analysis.text[start:end]  # every class has this base
    if text != old:
        result.changes.append(_trimmed(start, old, text))
    if written.comments:
        result.changes.append(_comment_lines(analysis, statement, written.comments))
    for plan in sorted(plans, key=lambda one: analysis.span(one.use.node)[0]):
        if isinstance(plan.outcome, Rewrite) and plan.outcome.after is not None:
            result.changes.append(_following(analysis, statement, plan.outcome.after))


def _with_brackets(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a span with the round brackets around it."""
    behind = re.compile(r"\s*,?\s*\)").match(text, end)
    assert behind is not None
    return len(text[:start].rstrip().removesuffix("(").rstrip()), behind.end()


def _is_removed(plan: Plan) -> bool:
    """Return whether a statement is replaced by a comment only."""
    instead = plan.outcome.instead if isinstance(plan.outcome, Rewrite) else None
    return instead is not None and instead[0].startswith("#")


def _rewrite_statement(
    analysis: Analysis, plan: Plan, gone: Collection[int], result: Changes
) -> None:
    """Put a plan's own code in the place of statements."""
    outcome = plan.outcome
    if not isinstance(outcome, Rewrite):
        return
    if outcome.instead is not None:
        before, kept, behind = outcome.instead
        if _is_removed(plan):
            before = left_behind(analysis, plan.use.statement, before, gone)
        _replace(analysis, plan.use.statement, before, kept, behind, result)
    for one in outcome.also:
        _replace(analysis, *one, result)


def _replace(
    analysis: Analysis,
    statement: ast.stmt,
    before: str,
    kept: ast.expr | None,
    behind: str,
    result: Changes,
) -> None:
    """Put code in the place of a statement, around an expression that stays.

    Its lines stand below each other as the statement stands, or on the one line that it shares.
    """
    start, end = analysis.span(statement)
    line_start, indent = statement_start(analysis, statement)
    shared = analysis.text[line_start:start].strip()
    gap = "; " if shared else f"{analysis.lines.newline}{indent}"
    before, behind = before.replace("\n", gap), behind.replace("\n", gap)
    low, high = analysis.span(kept) if kept is not None else (end, end)
    text = analysis.text
    comments = re.findall(r"#.*", f"{text[start:low]}\n{text[high:end]}")
    within = (one for one in result.changes if start <= one.start and one.end <= end)
    gone = {id(one) for one in within if not (low <= one.start and one.end <= high)}
    result.changes = [one for one in result.changes if id(one) not in gone]
    result.changes += [Change(start, low, before), Change(high, end, behind)]
    if comments:
        result.changes.append(_comment_lines(analysis, statement, comments))


def _following(analysis: Analysis, statement: ast.stmt, code: str) -> Change:
    """Return a change that adds a statement after another, on its own line if that one has one."""
    start, end = analysis.span(statement)
    line_start, indent = statement_start(analysis, statement)
    line_end = analysis.lines.start(statement.end_lineno or statement.lineno)
    rest = analysis.text[end:line_end]
    if analysis.text[line_start:start].strip() or rest.strip()[:1] not in {"", "#"}:
        return Change(end, end, f"; {code}")
    newline = analysis.lines.newline
    if "\n" in code:  # lines that have their indentation
        indent, code = "", code.replace("\n", newline)
    if not rest.endswith(("\n", "\r")):
        return Change(line_end, line_end, f"{newline}{indent}{code}")
    return Change(line_end, line_end, f"{indent}{code}{newline}")


def _note_names(plans: Iterable[Plan], result: Changes) -> None:
    """Remember the first names of what is written: modules to import, helpers to define."""
    written = list(plans)
    gone = {id(part) for one in written for node in left_out(one) for part in inside(node)}
    for plan in written:
        if id(plan.use.node) in gone:
            continue
        names = written_names(plan)
        result.names |= names
        if names and plan.use.receiver is not None:
            result.member_lines.append(plan.use.node.lineno)


def _of_receiver(analysis: Analysis, plan: Plan, result: Changes) -> str:
    """Return the template of an assignment to a member, with the receiver for `{self}`."""
    assert plan.rule is not None and plan.rule.store is not None
    template = plan.rule.store[1]
    if "{self}" not in template:
        return template
    receiver = plan.use.receiver
    if receiver is None or any(isinstance(part, ast.Call) for part in ast.walk(receiver)):
        return "{value}"  # writing it twice would evaluate it twice
    start, end = analysis.span(receiver)
    result.names |= template_roots(template)
    return template.replace("{self}", analysis.text[start:end])


_OPPOSITE = (
    *((" not in ", " in "), (" in ", " not in ")),
    *((" is not ", " is "), (" is ", " is not ")),
    *((" != ", " == "), (" == ", " != ")),
)


def _wrapped(text: str, root: ast.expr, template: str) -> str:
    """Return the assigned text in the form that the target's member takes."""
    if template == "not {value}" and text in {"True", "False"}:
        return str(text == "False")
    if template == "not {value}" and isinstance(root, ast.Compare) and len(root.ops) == 1:
        behind = (root.left.end_col_offset or 0) - root.col_offset
        sides = (root.left, *root.comparators)
        with_constant = any(isinstance(one, ast.Constant) for one in sides)
        for word, other in _OPPOSITE:  # `"head" in name`, `depth == 3`
            if "=" in word and not with_constant:
                continue  # arrays perhaps
            if text.startswith(word, behind):
                return text[:behind] + other + text[behind + len(word) :]
    if template == "not {value}" and isinstance(root, ast.UnaryOp) and isinstance(root.op, ast.Not):
        value = text.removeprefix("not ")
        if value != text and isinstance(root.operand, ast.Name | ast.Attribute | ast.Call):
            return f"bool({value})"
    bare = isinstance(root, ast.Name | ast.Constant | ast.Attribute | ast.Call)
    inside = text if bare or "(" in template or template == "{value}" else f"({text})"
    return template.replace("{value}", inside)


def _trimmed(start: int, old: str, new: str) -> Change:
    """Return the smallest change: what both texts begin and end with stays."""
    head = 0
    limit = min(len(old), len(new))
    while head < limit and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < limit - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    if tail and old[-1 - tail : len(old) - tail + 1] == "\r\n":
        tail -= 1  # a position cannot be inside a line ending
    return Change(start + head, start + len(old) - tail, new[head : len(new) - tail])


def _comment_lines(analysis: Analysis, statement: ast.stmt, comments: Iterable[str]) -> Change:
    """Return comments that lost their place, on lines of their own above the statement."""
    offset, indent = statement_start(analysis, statement)
    newline = analysis.lines.newline
    return Change(offset, offset, "".join(f"{indent}{comment}{newline}" for comment in comments))


def statement_start(analysis: Analysis, statement: ast.stmt) -> tuple[int, str]:
    """Return the offset and the indentation of the line on which a statement starts."""
    decorators = getattr(statement, "decorator_list", [])
    line = min([statement.lineno, *(decorator.lineno for decorator in decorators)]) - 1
    if analysis.text[analysis.lines.start(line) : analysis.span(statement)[0]].strip():
        line = _shared_from(analysis, line)
    text = analysis.lines.line(line)
    while line > 0 and analysis.lines.line(line - 1).endswith("\\"):
        line -= 1
        text = analysis.lines.line(line)
    start = analysis.lines.start(line)
    if line == 0 and text.startswith("\ufeff"):
        text, start = text[1:], start + 1
    return start, text[: len(text) - len(text.lstrip(" \t\f"))]


def _shared_from(analysis: Analysis, line: int) -> int:
    """Return the first line of the statements that end on a line, if a statement follows there."""
    spans: list[tuple[int, int]] = []
    for node in inside(analysis.tree):
        if isinstance(node, ast.stmt | ast.ExceptHandler) and not isinstance(node, ast.Match):
            body: list[ast.stmt] = getattr(node, "body", [])
            last = node.end_lineno or node.lineno
            if body:
                start, _ = analysis.span(body[0])
                last = body[0].lineno
                last -= not analysis.text[analysis.lines.start(last - 1) : start].strip()
            spans.append((node.lineno - 1, last - 1))
    while above := [first for first, last in spans if first < line <= last]:
        line = min(above)
    return line


def in_order(changes: Iterable[Change]) -> list[Change]:
    """Return changes by offset; whole lines precede other insertions at the same offset."""

    def place(change: Change) -> tuple[int, int, bool]:
        return change.start, change.end, not change.text.endswith(("\n", "\r"))

    return sorted(changes, key=place)


def as_edits(analysis: Analysis, changes: Iterable[Change]) -> list[Edit]:
    """Return changes as edits of the text, in its order."""
    lines = analysis.lines
    return [Edit(lines.range(c.start, c.end), c.text) for c in in_order(changes)]
