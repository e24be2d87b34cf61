"""Decisions on the uses of one line, in the order in which they were taken."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.convert.decide.open_facts import has_helper
from workbench.convert.decide.plainest import why_not_plain
from workbench.convert.decide.planner import BY_KIND, Plan
from workbench.convert.findings.messages import code_of
from workbench.convert.findings.suppressions import suppressions
from workbench.convert.passes import decide
from workbench.rules.outcome import Keep, Outcome, Refusal, Rewrite
from workbench.source.analysis import Analysis
from workbench.targets import Target


def decisions(analysis: Analysis, target: Target, line: int) -> list[str]:
    """Return a text for each use of torch on a line, counted from 1."""
    draft = decide(analysis, target, suppressions(analysis))
    plans = [one for one in draft.plans if one.use.node.lineno == line]
    plans.sort(key=lambda one: one.use.node.col_offset)
    return ["\n".join(_lines(one, target)) for one in plans]


def _lines(plan: Plan, target: Target) -> Iterator[str]:
    use = plan.use
    yield f"## {use.name}, column {use.node.col_offset + 1} ({code_of(plan)})"
    yield ""
    outcomes = [*(step.outcome for step in plan.history), plan.outcome]
    reasons = [_first_reason(plan, target), *(step.why for step in plan.history)]
    for number, (outcome, why) in enumerate(zip(outcomes, reasons, strict=True), 1):
        yield f"{number}. {_described(outcome)}: {why}"
    if isinstance(plan.outcome, Refusal):
        return
    for note in filter(None, (plan.outcome.caveat, plan.outcome.note)):
        yield f"   Note: {note.format(target=target.title)}"
    for one in plan.outcome.differs:
        yield f"   Differs ({one.value}): {one.words.format(target=target.title)}"


def _first_reason(plan: Plan, target: Target) -> str:
    """Return what decided a use first: a plain form, a rule, or neither."""
    if plan.rule is None:
        if isinstance(plan.outcome, Refusal) and plan.use.kind not in BY_KIND:
            return "no rule decides it"
        return f"uses of the kind {plan.use.kind} are decided without a rule"
    form = target.plain.get(plan.rule.name, target.version) if target.plain is not None else None
    if target.plain is None:
        return f"the rule of {plan.rule.name}"
    if form is None:
        return f"the rule of {plan.rule.name}, which both styles use"
    if not plan.use.binds:
        return f"the plain form of {plan.rule.name}"
    written = plan.history[0].outcome if plan.history else plan.outcome
    unfit = why_not_plain(plan.match, plan.rule, target, written)
    if unfit is None:
        return f"the plain form of {plan.rule.name}"
    if not isinstance(written, Rewrite) or not has_helper(written.template):
        return f"the rule of {plan.rule.name}"
    return f"the rule of {plan.rule.name}; its plain form does not fit this use: {unfit}"


def _described(outcome: Outcome) -> str:
    if isinstance(outcome, Refusal):
        return f"Not converted ({outcome.reason})"
    if isinstance(outcome, Keep):
        return "The same code"
    return f"`{outcome.template}`"
