"""Tests for a class, compared with the classes that a text constructs.

Whether a layer or a schedule can be the target's own may depend on where it is constructed. If a
test names another class than the file constructs, it is changed to name all of these; if that is
impossible, or if only other files construct objects of the class, a caveat says so.
"""

from __future__ import annotations

import ast
import re
from dataclasses import replace

from workbench.convert.decide.function_values import tests_a_type, type_test
from workbench.convert.decide.one_class import class_of, derives
from workbench.convert.decide.planner import Plan
from workbench.rules.difference import unless
from workbench.rules.outcome import Rewrite
from workbench.source.analysis import Analysis
from workbench.source.tree import inside
from workbench.source.uses import UseKind
from workbench.targets import Target

_CONSTRUCTING = frozenset({UseKind.CALL, UseKind.PARTIAL, UseKind.READ})

# Why a test for a class gets another outcome.
_MADE = "the text constructs the class in another form"
_ELSEWHERE = "another file may construct the class"


def with_tests_of_classes(analysis: Analysis, plans: list[Plan], target: Target) -> list[Plan]:
    """Return the plans, with tests for a class that hold for all objects of it in the text."""
    if target.plain is None:
        return plans
    tests = {id(one) for one in plans if _names_a_class(one)}
    names = {one.use.name for one in plans if id(one) in tests}
    if not names:
        return plans
    made: dict[str, set[str]] = {}
    for one in plans:
        constructs = one.use.kind in _CONSTRUCTING and id(one) not in tests
        if one.use.name in names and constructs and (text := class_of(one, target)):
            made.setdefault(one.use.name, set()).add(text)
    alone = analysis.around is None
    return [_settled(one, made, target, alone) if id(one) in tests else one for one in plans]


def _names_a_class(plan: Plan) -> bool:
    use = plan.use
    if use.kind not in {UseKind.READ, UseKind.ANNOTATION} or not isinstance(plan.outcome, Rewrite):
        return False
    if use.kind is UseKind.ANNOTATION:
        return True
    return use.receiver is None and tests_a_type(use)  # `x.layout == torch.strided` names no class


def _settled(plan: Plan, made: dict[str, set[str]], target: Target, alone: bool) -> Plan:
    use, outcome = plan.use, plan.outcome
    assert isinstance(outcome, Rewrite) and target.plain is not None
    text = outcome.template
    form = target.plain.get(plan.rule.name, target.version) if plan.rule is not None else None
    own = made.get(use.name, set())
    parts = re.split(r", | \| ", text.strip("()"))
    if form is None or all(any(derives(one, part, target) for part in parts) for one in own):
        open_ = alone and not own and use.kind is UseKind.READ and form is not None
        return plan.decided(_open(plan, outcome), _ELSEWHERE) if open_ else plan
    if use.kind is UseKind.ANNOTATION:
        return plan.decided(replace(outcome, template=min(own)), _MADE) if len(own) == 1 else plan
    every = sorted(own if alone else {*parts, *own})
    if len(every) == 1:
        return plan.decided(replace(outcome, template=every[0]), _MADE)
    if type_test(use) and not _in_a_union(plan):
        return plan.decided(replace(outcome, template=f"({', '.join(every)})"), _MADE)
    return _warned(plan, f"here it is {' or '.join(every)}, and the test is true for one of them")


def _in_a_union(plan: Plan) -> bool:
    """Return whether the class is a part of `Linear | Conv2d`, which takes no tuple."""
    unions = (one for one in inside(plan.use.statement) if isinstance(one, ast.BinOp))
    return any(plan.use.node in (one.left, one.right) for one in unions)


def _open(plan: Plan, outcome: Rewrite) -> Rewrite:
    """Return the test with a remark on the other class that another file may construct."""
    other = plan.rule.value if plan.rule is not None else None
    if other is None or outcome.template == other:
        return outcome
    words = (
        f"unless another file constructs it as {other}, for which this is not true; convert both"
        " files in one run"
    )
    return replace(outcome, differs=(*outcome.differs, *unless(words)))


def _warned(plan: Plan, caveat: str) -> Plan:
    if not isinstance(plan.outcome, Rewrite) or plan.outcome.caveat:
        return plan
    return plan.decided(replace(plan.outcome, caveat=caveat), _MADE)
