"""Plans as findings: the code, the severity, and the sentence that a user reads."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from workbench.codes import (
    CAVEAT,
    EXACT,
    NO_RULE,
    NOTED,
    OPEN,
    REFUSED,
    SWITCHED,
    SYNTAX,
    THIRD_PARTY,
    UNKNOWN_RECEIVER,
)
from workbench.convert.decide.planner import Plan
from workbench.convert.findings.hidden_members import hidden_members
from workbench.findings import Certainty, Finding, Fix, Safety, Severity
from workbench.positions import Position, Range
from workbench.rules.difference import Detail, Difference
from workbench.rules.outcome import Keep, Refusal, Rewrite
from workbench.rules.template import compile_template
from workbench.source.analysis import Analysis
from workbench.source.packages import UNWRAPPED
from workbench.source.tree import Notes, unparsed, within
from workbench.source.uses import UnknownMember, UseKind
from workbench.targets import Target

TOO_DEEP = (
    "an expression in this file is nested too deeply to be analysed, and may contain uses of torch;"
    " split it into named parts"
)

# Codes of findings whose torch use remains in converted code.
REMAINING = frozenset({REFUSED, NO_RULE, THIRD_PARTY})
_tried: Notes[list[ast.Try]] = Notes("tried")

MakeFix = Callable[[], Fix | None]
# Makes the finding of a plan: from the program, the plan, the target, the function that makes its
# fix, and the differences to report there.
MakeFinding = Callable[[Analysis, Plan, Target, MakeFix, Sequence[str]], Finding]


def finding_of_plan(
    analysis: Analysis,
    plan: Plan,
    target: Target,
    make_fix: MakeFix,
    differences: Sequence[str] = (),
) -> Finding:
    """Return the finding about a use of torch."""
    use, outcome = plan.use, plan.outcome
    assumed = "" if use.certainty is Certainty.PROVED else assumption(plan)
    if isinstance(outcome, Refusal):
        instead = f". Instead: {outcome.instead}" if outcome.instead else ""
        return Finding(
            code=code_of(plan),
            severity=Severity.ERROR,
            message=f"{use.name}: {outcome.reason}{instead}{assumed}",
            range=shown_range(analysis, plan),
            certainty=use.certainty,
            name=use.name,
        )
    spelling = target_spelling(plan)
    if isinstance(outcome, Rewrite) and outcome.assigned:
        part = isinstance(use.receiver, ast.Subscript)
        spelling = "an assignment of the part" if part else "an assignment of a changed copy"
    message = (
        f"{use.name} is written the same in {target.title}"
        if isinstance(outcome, Keep)
        else f"{'the test for ' * (use.kind is UseKind.ASKED)}{use.name} becomes {spelling}"
    )
    if use.kind is UseKind.NAMED and isinstance(outcome, Keep):
        message = f"the name of a class is not changed, and may be another one in {target.title}"
    severity, remark = Severity.HINT, ""
    if outcome.caveat:
        severity, remark = Severity.WARNING, f": {outcome.caveat}"
    elif outcome.note:
        severity, remark = Severity.INFORMATION, f": {outcome.note}"
    for words in differences:
        severity = Severity.INFORMATION if severity is Severity.HINT else severity
        remark += f"; {words}" if remark else f": {words}"
    return Finding(
        code=code_of(plan),
        severity=severity,
        message=f"{message}{remark}{assumed}",
        range=shown_range(analysis, plan),
        certainty=use.certainty,
        name=use.name,
        target=spelling,
        converts=True,
        # A test of torch's presence is converted together with its import, or not at all.
        make_fix=make_fix
        if isinstance(outcome, Rewrite) and use.kind is not UseKind.PRESENCE
        else None,
    )


def findings(
    analysis: Analysis,
    plans: Iterable[Plan],
    target: Target,
    fixer: Callable[[Plan], MakeFix],
    make: MakeFinding = finding_of_plan,
) -> Iterator[Finding]:
    """Yield every finding of a program, in the order of the text as far as uses go."""
    error = analysis.parsed.error
    if error is not None:
        at = analysis.lines.offset(error.position)
        width = 2 if analysis.text.startswith("\r\n", at) else 1
        yield Finding(
            code=SYNTAX,
            severity=Severity.ERROR,
            message=f"Invalid syntax: {error.message}",
            range=analysis.lines.range(at, min(at + width, len(analysis.text))),
        )
    if analysis.cut:
        yield Finding(
            code=SYNTAX,
            severity=Severity.ERROR,
            message=TOO_DEEP,
            range=analysis.lines.range(0, 0),
        )
    plans = list(plans)
    differences = _differences_by_plan(plans, target)
    for plan in plans:
        yield make(analysis, plan, target, fixer(plan), differences.get(id(plan), ()))
    yield from _unknown(analysis, target)
    yield from _unknown_changes(analysis, target)
    yield from _printed(analysis, target)
    yield from _open_operators(analysis, target)
    yield from _expected_errors(analysis, target)
    yield from hidden_members(analysis, target)
    yield from _switched(analysis, target)
    for foreign in analysis.foreign:
        other = target.modules.get(foreign.package)
        if other is not None:
            yield Finding(
                code=EXACT,
                severity=Severity.HINT,
                message=f"{foreign.package} becomes {other}",
                range=analysis.range(foreign.statement),
                name=foreign.package,
                target=other,
                converts=True,
            )
            continue
        yield Finding(
            code=THIRD_PARTY,
            severity=Severity.ERROR,
            message=f"{foreign.package} is built on torch and has no known counterpart in"
            f" {target.title}; code that uses it is not converted: {_way(foreign.package)}",
            range=analysis.range(foreign.statement),
            name=foreign.package,
        )


def _way(package: str) -> str:
    """Return what a user can do about a package that is built on torch."""
    if package.partition(".")[0] in UNWRAPPED:
        return "torchferry unwrap rewrites its training loop as plain torch"
    return "convert that package as well, or replace it"


def _switched(analysis: Analysis, target: Target) -> Iterator[Finding]:
    """Yield the calls after which code that is proved computes something else."""
    for call, remark in target.switches(analysis.text, analysis.parsed.tree):
        yield Finding(
            code=SWITCHED,
            severity=Severity.WARNING,
            message=remark,
            range=analysis.range(call),
        )


def code_of(plan: Plan) -> str:
    """Return the code that a plan is reported under."""
    outcome = plan.outcome
    if isinstance(outcome, Refusal):
        known = plan.rule is not None or plan.use.kind is UseKind.COMPUTED
        return REFUSED if known else NO_RULE
    if outcome.caveat:
        return CAVEAT
    if outcome.differs:
        each = (kind for kind in outcome.differs if kind.at_each_use)
        return next(each, outcome.differs[0]).value
    return NOTED if outcome.note else EXACT


def safety_of(plan: Plan) -> Safety:
    """Return the risk of converting a use."""
    return Safety.of(code_of(plan), plan.use.certainty)


def taken_on(plans: Iterable[Plan]) -> str:
    """Return the assumptions of converting some uses, and the codes of their differences."""
    plans = list(plans)
    assumed = [one for one in plans if one.use.certainty is not Certainty.PROVED]
    changes = sorted({code_of(one) for one in plans if safety_of(one) is Safety.CHANGES})
    words = assumption(assumed[0]) if assumed else ""
    return words + (f" ({Safety.CHANGES}: {', '.join(changes)})" if changes else "")


def _differences_by_plan(plans: Iterable[Plan], target: Target) -> dict[int, list[str]]:
    """Map the identity of a plan to the differences to report there.

    Most are reported at the file's first use, some of those of an open fact at each.
    """
    uses: Counter[Difference | Detail] = Counter()
    first: dict[Difference | Detail, Plan] = {}
    found: dict[int, list[str]] = {}
    for plan in plans:
        for kind in () if isinstance(plan.outcome, Refusal) else plan.outcome.differs:
            if kind.at_each_use:
                found.setdefault(id(plan), []).append(kind.words.format(target=target.title))
                continue
            uses[kind] += 1
            first.setdefault(kind, plan)
    for kind, plan in first.items():
        others = uses[kind] - 1
        more = f" (this use and {others} more in this file)" if others else ""
        words = kind.words.format(target=target.title) + more
        found.setdefault(id(plan), []).append(words)
    return found


def assumption(plan: Plan) -> str:
    """Return the assumption if nothing in the code proves that a use is torch's."""
    receiver = plan.use.receiver
    if receiver is None:
        return f" (assuming that this name still means {plan.use.name})"
    owner = plan.use.owner if plan.use.owner != "torch.Tensor" else None
    return f" (assuming that `{unparsed(receiver)}` is a {owner or 'tensor'})"


def target_spelling(plan: Plan) -> str:
    """Return the replacement of a use, in short: `paddle.concat`, `x.reshape`."""
    outcome = plan.outcome
    if not isinstance(outcome, Rewrite):
        return plan.use.name.rpartition(".")[2]
    if plan.use.kind is UseKind.NUMBER and plan.numbers:
        return "x.item"
    template = compile_template(outcome.template)
    if len(template.placeholders) == 1 and template.text == f"{{{template.placeholders[0]}}}":
        return "what it was given"
    text = template.callee if template.is_call else template.text
    if not text:  # a lambda: its callee
        inner = re.search(r": ([\w.]+)\(", template.text)
        text = inner.group(1) if inner else "a lambda"
    return text.replace("{self}", "x").replace("{", "").replace("}", "")


def shown_node(plan: Plan) -> ast.expr:
    """Return the expression that names what is used."""
    call = plan.use.call
    node = call.func if call is not None else plan.use.node
    if call is not None and plan.use.kind is UseKind.PARTIAL and not plan.use.indirect:
        node = call.args[0]
    return node.target if isinstance(node, ast.AugAssign) else node


def shown_range(analysis: Analysis, plan: Plan) -> Range:
    """Return the underlined range: the name that is used, without its arguments and receiver."""
    node = shown_node(plan)
    found = analysis.range(node)
    if isinstance(node, ast.Attribute) and plan.use.receiver is node.value:
        end = found.end
        return Range(Position(end.line, end.column - len(node.attr)), end)
    return found


def _unknown(analysis: Analysis, target: Target) -> Iterator[Finding]:
    """Yield findings for members of tensors and modules read from values of unknown type."""
    for member in analysis.unknown:
        name = f"{member.owner}.{member.node.attr}"
        kind = "tensor" if member.owner == "torch.Tensor" else "module"
        rule = target.rules.get(name)
        if rule is None or rule.keep or (not rule.templates and rule.function is None):
            continue
        _, end = analysis.span(member.node)
        yield Finding(
            code=UNKNOWN_RECEIVER,
            severity=Severity.INFORMATION if _gives_another(member, target) else Severity.HINT,
            message=f"if `{unparsed(member.node.value)}` is a {kind}, `.{member.node.attr}`"
            f" differs in {target.title}; annotate its type, and it is converted",
            range=analysis.lines.range(end - len(member.node.attr), end),
            certainty=Certainty.UNKNOWN,
            name=name,
        )


def _unknown_changes(analysis: Analysis, target: Target) -> Iterator[Finding]:
    """Yield findings for statements such as `h += 1`, which may change a shared tensor."""
    for change in analysis.changes:
        name, other = unparsed(change.node.target), unparsed(change.held)
        given = other == name
        # In most functions, a parameter that changes like this and is read is a number.
        hint = given and not change.unread
        start, end = analysis.span(change.node.target)
        shared = f"the elements of `{other}`" if change.of_elements else f"`{other}`"
        yield Finding(
            code=UNKNOWN_RECEIVER if hint else OPEN,
            severity=Severity.HINT if hint else Severity.INFORMATION,
            message=f"if `{name}` is a tensor, torch also changes "
            + ("the caller's tensor" if given else shared)
            + f" here, and {target.title} does not; annotate its type, and it is converted",
            range=analysis.lines.range(start, end),
            certainty=Certainty.UNKNOWN,
            name="torch.Tensor",
        )


def _printed(analysis: Analysis, target: Target) -> Iterator[Finding]:
    """Yield the first text in a file that a class of the target gives."""
    for printed in analysis.printed[:1]:
        others = len(analysis.printed) - 1
        more = f" (this and {others} more in this file)" if others else ""
        yield Finding(
            code=Difference.PRINTED_TEXT.value,
            severity=Severity.INFORMATION,
            message=f"`{unparsed(printed.node)}`: the printed text of a layer, a named result or a"
            f" list of dtypes has {target.title}'s format{more}",
            range=analysis.lines.range(*analysis.span(printed.node)),
            certainty=Certainty.PROVED,
            name="torch.nn.Module",
        )


def _open_operators(analysis: Analysis, target: Target) -> Iterator[Finding]:
    """Yield operators of values that may be tensors, of dtypes that the target does not promote."""
    if not target.promotes_floats_alone:
        return
    kind = Difference.UNLIKE_DTYPES
    for operator in analysis.operators:
        node = operator.node
        sides = (
            (node.target, node.value)
            if isinstance(node, ast.AugAssign)
            else (node.left, node.right)
        )
        (start, _), (_, end) = map(analysis.span, sides)
        yield Finding(
            code=kind.value,
            severity=Severity.HINT,
            message=f"`{unparsed(node)}`: {kind.words.format(target=target.title)}",
            range=analysis.lines.range(start, end),
            certainty=Certainty.UNKNOWN,
            name="torch.Tensor",
        )


def _attempts(statement: ast.stmt) -> list[ast.Try]:
    """Return a statement and those within it that handle errors."""
    found = _tried.get(statement)
    if found is None:
        found = [one for one in within(statement) if isinstance(one, ast.Try)]
        _tried[statement] = found
    return [statement, *found] if isinstance(statement, ast.Try) else found


def _expected_errors(analysis: Analysis, target: Target) -> Iterator[Finding]:
    """Yield handlers of the errors that torch raises, which are of other classes in the target."""
    if not analysis.uses or "except" not in analysis.text:
        return
    tried = [one for statement in analysis.tree.body for one in _attempts(statement)]
    used = {one.statement for one in analysis.uses}
    loading = {one.statement for one in analysis.uses if one.name == "torch.load"}
    expected = [
        (one.type, attempt.body)
        for attempt in tried
        for one in attempt.handlers
        if one.type is not None
    ]
    for node, body in sorted(expected, key=lambda one: one[0].lineno):
        names = set(map(unparsed, node.elts if isinstance(node, ast.Tuple) else [node]))
        raised = _OF_TORCH if used.isdisjoint(body) else _OF_TORCH | _OF_ARGUMENTS
        raised |= frozenset() if loading.isdisjoint(body) else _OF_FILES
        if names.isdisjoint(raised) or not names.isdisjoint(_OF_ANY):
            continue
        yield Finding(
            code=OPEN,
            severity=Severity.INFORMATION,
            message=f"if torch raises this error, {target.title} may raise one of another class and"
            f" text, or none; catch the classes that {target.title} raises",
            range=analysis.range(node),
            certainty=Certainty.UNKNOWN,
        )


# The errors that torch raises for most mistakes, and handlers that catch any framework's.
_OF_TORCH = frozenset({"RuntimeError", "IndexError"})
_OF_ANY = frozenset({"Exception", "BaseException"})
# Those for arguments, which Python's own functions raise as well.
_OF_ARGUMENTS = frozenset({"TypeError", "ValueError", "NotImplementedError"})
# Those for a file that is missing or damaged.
_OF_FILES = frozenset({"FileNotFoundError", "OSError", "IOError", "EOFError"})


def _gives_another(member: UnknownMember, target: Target) -> bool:
    """Return whether the target's method of this name silently gives a different result."""
    always = member.node.attr in target.unlike
    if not always and member.node.attr not in target.otherwise:
        return False
    return any(
        isinstance(part, ast.Call) and part.func is member.node and (always or bool(part.args))
        for part in ast.walk(member.statement)
    )
