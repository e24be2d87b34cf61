"""Plans that stay valid while a text is typed, since nothing that decides them has changed.

A plan depends on its use, on the program's answers to the form's questions, and on the target.
Trees of a text that is typed share their nodes, so nodes identify uses.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from workbench.convert.decide.planner import Plan, plan
from workbench.rules.match import Match
from workbench.source.traits.program import Program, Question
from workbench.source.types.sameness import alike, facts_of
from workbench.source.uses import Use
from workbench.targets import Target


@dataclass(frozen=True, slots=True)
class _Kept:
    """A plan as decided, before any pass changed it."""

    plan: Plan
    asked: frozenset[Question]


@dataclass(slots=True)
class KeptPlans:
    """The plans of a text when they were last requested."""

    _target: Target | None = None
    _plans: dict[int, _Kept] = field(default_factory=dict)
    _answers: dict[Question, Any] = field(default_factory=dict)

    def plans_of(self, uses: Iterable[Use], target: Target, program: Program) -> list[Plan]:
        """Return the plan of each use; a plan is kept if nothing that decides it has changed."""
        known = self._plans if self._target is target else {}
        changed = {
            question
            for question, answer in (self._answers.items() if known else ())
            if program.answer(question) != answer
        }
        noting = program.noting()
        found: list[Plan] = []
        plans: dict[int, _Kept] = {}
        answers: dict[Question, Any] = {}
        for use in uses:
            kept = known.get(id(use.node))
            if kept is None or not changed.isdisjoint(kept.asked) or not same(kept.plan.use, use):
                noted = noting.noted = dict[Question, Any]()
                decided = plan(use, target, noting)
                answers.update(noted)
                kept = _Kept(decided, frozenset(noted))
            else:
                answers.update((one, self._answers[one]) for one in kept.asked)
            one = _moved(kept.plan, use, program)
            plans[id(use.node)] = kept if one is kept.plan else _Kept(one, kept.asked)
            found.append(one)
        self._target, self._plans, self._answers = target, plans, answers
        return found


def _moved(plan: Plan, use: Use, program: Program) -> Plan:
    """Return the same plan, of the same use in a later analysis.

    If the use itself is kept, the plan is, so that what is known of it stays valid.
    """
    before = plan.match
    if plan.use is use:
        before.program = program
        return plan
    match = Match(use, before.signature, before.arguments, before.certain, before.target, program)
    return replace(plan, use=use, match=match)


def same(one: Use, other: Use) -> bool:
    """Return whether two analyses of the same nodes know the same of a use."""
    return one is other or (
        one.node is other.node
        and one.statement is other.statement
        and alike(facts_of(Use)(one), facts_of(Use)(other))
    )
