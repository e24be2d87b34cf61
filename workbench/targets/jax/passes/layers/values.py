"""Classes of torch's layers without weights, passed as values: functions that return a function."""

from __future__ import annotations

import ast
from dataclasses import replace

from workbench.convert.decide.function_values import tests_a_type
from workbench.convert.decide.planner import Plan
from workbench.convert.passes import Draft
from workbench.rules.difference import unless
from workbench.rules.outcome import Keep, Refusal, Rewrite
from workbench.source.tree import inside
from workbench.source.uses import UseKind

_WHY = "a layer without weights is a function in JAX"
_CLASS = Refusal("a layer without weights is a function in JAX, which has no class")
_CHANGED = unless(
    "if it is made with inplace=True and its input is read again: torch has changed the input"
)
_OPTION = "inplace=False"


def make_functions(draft: Draft) -> Draft:
    """Report what a function in the place of a class of layers leaves out."""
    named = "inplace" in draft.analysis.text
    return replace(draft, plans=[_decided(one, named) for one in draft.plans])


def _decided(plan: Plan, named: bool) -> Plan:
    """Return the plan of a class as a value.

    Args:
        plan: the plan of any use.
        named: whether the file has the word `inplace`.
    """
    outcome, use = plan.outcome, plan.use
    if not use.name.startswith("torch.nn."):
        return plan
    if use.kind is UseKind.INDIRECT and isinstance(outcome, Keep) and plan.rule is not None:
        changes = plan.match.given("inplace") and not outcome.differs
        return plan.decided(replace(outcome, differs=_CHANGED), _WHY) if changes else plan
    if use.kind is not UseKind.READ or not isinstance(outcome, Rewrite):
        return plan
    if not outcome.template.startswith("(lambda"):
        return plan
    if tests_a_type(use):
        return plan.decided(_CLASS, _WHY)
    if _OPTION in outcome.template and (named or _is_kept(plan)):
        return plan.decided(replace(outcome, differs=_CHANGED), _WHY)
    return plan


def _is_kept(plan: Plan) -> bool:
    """Return whether a value is an item of a list or table, which other files may read."""
    return any(
        plan.use.node is one
        for part in inside(plan.use.statement)
        if isinstance(part, ast.Dict | ast.List | ast.Set | ast.Tuple)
        for one in inside(part)
    )
