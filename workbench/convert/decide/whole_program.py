"""Functions passed as values and then called in a way that the target's function does not allow.

`fn = torch.bmm` becomes `fn = paddle.bmm`, which readers recognize. But `fn(input=x, mat2=y)` or
`fn(*pair)` needs a callable with torch's arguments: a lambda around the converted call. If a file
has such a call, all uses that pass the function write the lambda.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace

from workbench.convert.decide.function_values import OTHER_FORM, lambda_value
from workbench.convert.decide.kept_plans import KeptPlans
from workbench.convert.decide.one_class import with_counterparts
from workbench.convert.decide.planner import Plan, plan
from workbench.rules.outcome import Refusal, Rewrite
from workbench.rules.template import compile_template
from workbench.rules.unpacked import through_lambda
from workbench.source.analysis import Analysis
from workbench.source.traits.program import Program
from workbench.source.uses import Use, UseKind
from workbench.targets import Target

_VALUES = frozenset({UseKind.READ, UseKind.INDIRECT, UseKind.PARTIAL})


def plans_of(
    analysis: Analysis, target: Target, *, first: int = 0, kept: KeptPlans | None = None
) -> list[Plan]:
    """Decide every use of a program from its line `first` on.

    `kept` are the plans of the text before its last edit: where nothing changed, they stand.
    """
    program = with_counterparts(analysis.program, target)
    uses = [use for use in analysis.uses if use.statement.lineno > first]
    if kept is None:
        decided = [plan(use, target, program) for use in uses]
    else:
        decided = kept.plans_of(uses, target, program)
    refused = {one.use.name for one in decided if one.outcome == OTHER_FORM}
    if not refused or first:  # the lines before `first` are already written
        return decided
    shared = _shared(analysis)
    better: dict[int, Plan] = {}
    for name in refused:
        uses = [use for use in analysis.uses if use.name == name and use.kind in _VALUES]
        text = _taking(uses, target, program)
        if text is None or any(id(use.statement) in shared for use in uses):
            continue
        found = [plan(use, target, program, written=text) for use in uses]
        if not any(isinstance(one.outcome, Refusal) for one in found):
            better.update((id(one.use), one) for one in found)
    return [better.get(id(one.use), one) for one in decided]


def _taking(uses: Iterable[Use], target: Target, program: Program) -> str | None:
    """Return the replacement of a function in all of its uses, or None if they do not agree."""
    if not any(_hands_on(use) for use in uses):
        return None  # the name that is called here is bound elsewhere
    calls = [
        plan(replace(use, kind=UseKind.CALL), target, program)
        for use in uses
        if use.kind is UseKind.INDIRECT
    ]
    texts = {text for call in calls if (text := _around(call, target)) is not None}
    texts = {text for call in calls if (text := _of_rule(call)) in texts} or texts
    # A helper accepts tensors of all dtypes, the target's own function only of some.
    helpers = {text for text in texts if _is_of_helper(text, target)}
    found = list(helpers or texts)
    return found[0] if len(found) == 1 else None


def _hands_on(use: Use) -> bool:
    return use.kind is UseKind.READ or (use.kind is UseKind.PARTIAL and not use.indirect)


def _around(call: Plan, target: Target) -> str | None:
    """Return a callable with torch's arguments that does what this call becomes, or None."""
    outcome, rule, entry = call.outcome, call.rule, target.facts.get(call.use.name)
    if not isinstance(outcome, Rewrite) or rule is None or entry is None:
        return None
    template = compile_template(outcome.template)
    general = lambda_value(rule, entry)
    wide = general.template if isinstance(general, Rewrite) else None
    if not call.match.arguments or outcome.callee_only or template.passes_on:
        return wide
    if wide is not None and _is_of_helper(wide, target):
        return wide
    of_values = {name for name in outcome.consumed if not call.match.is_default(name)}
    if outcome.texts or of_values - set(rule.ignored):
        return wide if rule.unpacked else None  # the rule wrote it for all arguments
    defaults = {p.name: p.default for p in call.match.signature.parameters}
    if any(literal != defaults.get(name) for name, literal in template.literals.items()):
        return None
    narrow = through_lambda(
        (outcome.template,),
        call.match.signature,
        rule.ignored,
        method=False,
        given=set(call.match.arguments),
    )
    return narrow and narrow.removesuffix("(...)")


def _of_rule(call: Plan) -> str | None:
    """Return the callable with all of torch's arguments that the rule has itself, or None."""
    return call.rule.unpacked.removesuffix("(...)") if call.rule and call.rule.unpacked else None


def _is_of_helper(text: str, target: Target) -> bool:
    """Return whether the replacement of a function is one of the target's helpers, or calls one."""
    body = text.removeprefix("(lambda").rpartition(": ")[2] if text.startswith("(") else text
    return body.partition("(")[0] in target.helpers


def _shared(analysis: Analysis) -> set[int]:
    """Return the statements that give a module's names what other files of the project may call."""
    if analysis.summary is None:
        return set()
    body: Iterable[ast.stmt] = analysis.tree.body
    return {id(one) for one in body if isinstance(one, ast.Assign | ast.AnnAssign)}
