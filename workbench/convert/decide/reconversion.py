"""Code that an earlier conversion wrote, which another conversion must not change.

Its helper functions use the target only. If a file imports the target, and only torch names without
an equivalent remain, its tensors belong to the target: a member that both frameworks have is not
converted a second time.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import replace

from workbench.convert.decide.planner import Plan
from workbench.positions import Lines
from workbench.rules.outcome import Keep, Refusal, Rewrite
from workbench.rules.template import roots
from workbench.source.analysis import Analysis
from workbench.source.tree import inside
from workbench.source.uses import UseKind
from workbench.targets import Target
from workbench.targets.helpers import MODULE

REMARK = "# torchferry "
# A function of Python that a rule applies to a member: `tuple({self}.stride())`.
_APPLIED = re.compile(r"(?P<function>tuple|list|int|bool|float)\((?P<part>\{self\}\..+)\)")
_WRAPPED = re.compile(r"\b(?P<helper>[Tt]orch\w+)\(\{(?P<part>\w+)\}\)")


def is_helper(statement: ast.stmt, target: Target) -> bool:
    """Return whether a definition is a helper as a conversion writes it, however it is laid out."""
    if not isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return False
    if statement.name not in target.helpers:
        return False
    [written] = ast.parse(target.helpers[statement.name].source).body
    return ast.dump(statement) == ast.dump(written)


def uses_claimed_by_helpers(analysis: Analysis, target: Target) -> set[str]:
    """Return the names of helpers that the program uses for its own definitions."""
    found: set[str] = set()
    for statement in _statements(analysis.tree.body):
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if statement.name in target.helpers and not is_helper(statement, target):
                found.add(statement.name)
        elif isinstance(statement, ast.Assign | ast.AnnAssign):
            aims = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            found.update(
                one.id for one in aims if isinstance(one, ast.Name) and one.id in target.helpers
            )
        elif isinstance(statement, ast.Import | ast.ImportFrom):
            module = statement.module if isinstance(statement, ast.ImportFrom) else None
            if (module or "").rpartition(".")[2] != MODULE:
                bound = (alias.asname or alias.name for alias in statement.names)
                found.update(name for name in bound if name in target.helpers)
    return found


def refused_for_claimed_helpers(plans: list[Plan], names: set[str], target: Target) -> list[Plan]:
    """Return the plans, refused if they need a helper whose name the program has taken."""
    names = {name for name in names if not _becomes_it(name, plans)}
    return [_unless_claimed(one, names, target) for one in plans] if names else plans


def _becomes_it(name: str, plans: list[Plan]) -> bool:
    """Return whether a name is torch's, imported under the helper's name: `Foo as TorchFoo`."""
    under = [one for one in plans if getattr(one.use.node, "id", None) == name]
    return bool(under) and all(
        isinstance(one.outcome, Rewrite) and one.outcome.template == name for one in under
    )


def _unless_claimed(plan: Plan, names: set[str], target: Target) -> Plan:
    if not isinstance(plan.outcome, Rewrite):
        return plan
    called = {name for name in roots(plan.outcome.template) if name in target.helpers}
    clash = sorted(names & {helper.name for helper in target.helpers.closure(called)})
    if not clash:
        return plan
    refusal = Refusal(
        f"it needs the helper {clash[0]}, and the file uses this name for something else",
        f"rename {clash[0]} in the file",
    )
    return plan.decided(refusal, "the program has taken the name of a helper")


def without_helpers(analysis: Analysis, target: Target) -> Analysis:
    """Return the program without the helper functions that an earlier conversion wrote."""
    ranges = [
        range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
        for statement in analysis.tree.body
        if is_helper(statement, target)
    ]
    if not ranges:
        return analysis

    body = [one for one in analysis.tree.body if not is_helper(one, target)]
    text = analysis.showing(ast.Module(body, []))

    def own(node: ast.AST) -> bool:
        line: int = node.lineno  # type: ignore[attr-defined]
        return not any(line in lines for lines in ranges)

    return replace(
        analysis,
        uses=[use for use in analysis.uses if own(use.node)],
        unknown=[member for member in analysis.unknown if own(member.node)],
        changes=[change for change in analysis.changes if own(change.node)],
        operators=[operator for operator in analysis.operators if own(operator.node)],
        whole=analysis.program.with_own(text),
    )


def kept_converted(plans: list[Plan]) -> list[Plan]:
    """Return the plans, without those that would convert a part of a use a second time.

    A use of another package, or of an operator, reads the same once its part is wrapped in a
    helper; so does an assignment to a member: `p.grad = torch_new_grad(p, g)`, and a member with a
    function of Python around it: `tuple(x.stride())`. A member that torch reads is the target's if
    it is called. In `int(x.size)`, it is the target's, too.
    """
    return [_unless_converted(one) for one in plans]


def _unless_converted(plan: Plan) -> Plan:
    if _is_wrapped(plan):
        return plan.decided(Keep(), "a helper wraps it already")
    if _is_count(plan):
        return plan.decided(Keep(), "torch's `size` is a method, which int() does not accept")
    if _is_within_result(plan):
        return plan.decided(Keep(), "the expression around it is what it would be converted to")
    return plan


def _is_within_result(plan: Plan) -> bool:
    """Return whether a member's converted expression is already written around it."""
    outcome, use = plan.outcome, plan.use
    if not isinstance(outcome, Rewrite) or use.receiver is None:
        return False
    if outcome.callee_only:
        callee = use.call.func if use.call is not None else None
        member = callee.attr if isinstance(callee, ast.Attribute) else ""
        return outcome.template == f"{{self}}.{member}()"
    applied = _APPLIED.fullmatch(outcome.template)
    if applied is None:
        return False
    if applied["part"].replace("{self}", ast.unparse(use.receiver)) != ast.unparse(use.node):
        return False
    calls = (node for node in inside(use.statement) if isinstance(node, ast.Call))
    function = applied["function"]
    return any(ast.unparse(one.func) == function and one.args == [use.node] for one in calls)


def _is_count(plan: Plan) -> bool:
    """Return whether a use is the `x.size` in `int(x.size)`."""
    use = plan.use
    if use.kind is not UseKind.READ or use.name != "torch.Tensor.size":
        return False
    calls = (node for node in inside(use.statement) if isinstance(node, ast.Call))
    return any(use.node in call.args and ast.unparse(call.func) == "int" for call in calls)


def _is_wrapped(plan: Plan) -> bool:
    outcome = plan.outcome
    if not isinstance(outcome, Rewrite):
        return False
    if _is_stored_wrapped(plan):
        return True
    found = _WRAPPED.search(outcome.template)
    if found is None or not (found.start() or outcome.callee_only):
        return False
    part = plan.use.receiver
    if found["part"] != "self":
        given = plan.match.arguments.get(found["part"])
        part = given.node if given is not None else None
    return isinstance(part, ast.Call) and ast.unparse(part.func) == found["helper"]


def _is_stored_wrapped(plan: Plan) -> bool:
    store = plan.rule.store if plan.rule is not None else None
    statement = plan.use.statement
    if store is None or not isinstance(statement, ast.Assign):
        return False
    helper, value = store[1].partition("(")[0], statement.value
    wrapped = isinstance(value, ast.Call) and ast.unparse(value.func) == helper
    return wrapped and plan.use.node in statement.targets


def reconverted(
    analysis: Analysis, plans: list[Plan], target: Target
) -> tuple[Analysis, list[Plan]]:
    """Return the program and its plans; in converted code, without members of tensors.

    What an earlier conversion refused is under its remark, and is refused again.
    """
    rewritten = (one for one in plans if isinstance(one.outcome, Rewrite))
    fresh = any(
        one.use.receiver is None and one.use.kind is not UseKind.PRESENCE for one in rewritten
    )
    if fresh or not _imports(analysis, target.module):
        return analysis, plans
    left = [one for one in plans if one.use.receiver is None or _has_remark_above(analysis, one)]
    return replace(analysis, unknown=[]), left


def remarks_above(lines: Lines, line: int) -> set[str]:
    """Return the comments of an earlier conversion right above a line."""
    found: set[str] = set()
    while line > 0 and (text := lines.line(line - 1).lstrip("\ufeff").strip()).startswith(REMARK):
        found.add(text)
        line -= 1
    return found


def _has_remark_above(analysis: Analysis, plan: Plan) -> bool:
    if not isinstance(plan.outcome, Refusal):
        return False
    above = remarks_above(analysis.lines, plan.use.statement.lineno - 1)
    return any(f" {plan.use.name}: " in text for text in above)


def _imports(analysis: Analysis, module: str) -> bool:
    if module not in analysis.text:
        return False
    return any(_names(statement, module) for statement in _statements(analysis.tree.body))


def _statements(body: Iterable[ast.stmt]) -> Iterable[ast.stmt]:
    """Yield the statements of a module's own scope, those in branches too."""
    for statement in body:
        yield statement
        if isinstance(statement, ast.If | ast.Try | ast.With):
            yield from _statements(statement.body)


def _names(statement: ast.stmt, module: str) -> bool:
    if isinstance(statement, ast.Import):
        return any(alias.name.partition(".")[0] == module for alias in statement.names)
    if isinstance(statement, ast.ImportFrom):
        return not statement.level and (statement.module or "").partition(".")[0] == module
    return False
