"""Decisions on a program's uses as an ordered list of passes.

A pass takes the draft of the previous passes and returns it with a smaller program or with changed
plans. Checking and converting use the same list.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from workbench.codes import EXACT, THIRD_PARTY
from workbench.convert.decide.class_tests import with_tests_of_classes
from workbench.convert.decide.class_texts import plans_of_texts
from workbench.convert.decide.kept_plans import KeptPlans
from workbench.convert.decide.non_tensor_calls import without_non_tensor_calls
from workbench.convert.decide.one_class import with_counterparts
from workbench.convert.decide.planner import Plan, without_left_out
from workbench.convert.decide.reconversion import (
    kept_converted,
    reconverted,
    refused_for_claimed_helpers,
    uses_claimed_by_helpers,
    without_helpers,
)
from workbench.convert.decide.stringified_types import with_notes
from workbench.convert.decide.whole_program import plans_of
from workbench.convert.findings.messages import code_of
from workbench.convert.findings.suppressions import Suppressions
from workbench.convert.imports.star_imports import refused_if_hidden
from workbench.source.analysis import Analysis
from workbench.source.traits.sharing import holder_named
from workbench.source.types.views import owner_of
from workbench.source.uses import Use
from workbench.targets import Target


@dataclass(frozen=True, slots=True)
class Draft:
    """A program, and the decisions on it so far.

    Attributes:
        analysis: the program, without the parts that passes removed.
        target: the target.
        suppressed: the suppressions in its comments.
        first: lines before this one are context and are not decided.
        plans: the plans of its uses.
        ignored: the number of uses that a comment suppresses.
        kept: the plans of the text before the last edit.
    """

    analysis: Analysis
    target: Target
    suppressed: Suppressions
    first: int = 0
    plans: list[Plan] = field(default_factory=list)
    ignored: int = 0
    kept: KeptPlans | None = None


Pass = Callable[[Draft], Draft]


def decide(
    analysis: Analysis,
    target: Target,
    suppressed: Suppressions,
    first: int = 0,
    kept: KeptPlans | None = None,
) -> Draft:
    """Run all passes on a program, then the target's own."""
    draft = Draft(_with_writes(analysis, target), target, suppressed, first, kept=kept)
    for one in (*PASSES, *target.passes):
        draft = one(draft)
    return draft


def _with_writes(analysis: Analysis, target: Target) -> Analysis:
    """Return the analysis with writes to elements as uses, for a target that has none.

    The same for reads by a list. For other targets, add the writes to results that gradients may
    need.
    """
    writes = analysis.writes
    if target.mutable:
        writes = [use for use in writes if _is_to_a_needed_result(use, analysis)]
    if not writes:
        return analysis
    every = [*analysis.uses, *writes]
    every.sort(key=lambda use: (use.node.lineno, use.node.col_offset))
    return replace(analysis, uses=every)


def _is_to_a_needed_result(use: Use, analysis: Analysis) -> bool:
    """Return whether a write is to a tensor whose gradient may need its values: `a / b`."""
    owner = owner_of(use.receiver) if use.receiver is not None else None
    if owner is None or not use.name.endswith("__setitem__"):
        return False
    return analysis.program.may_be_needed(holder_named(owner, use.function))


def _leave_suppressed_imports(draft: Draft) -> Draft:
    """Remove the imports of other packages that the comments suppress; needs the comments."""
    quiet, modules = draft.suppressed, draft.target.modules
    if not quiet.directives:
        return draft
    foreign = [
        item
        for item in draft.analysis.foreign
        if not quiet.covers(
            item.statement.lineno - 1, EXACT if item.package in modules else THIRD_PARTY
        )
    ]
    return replace(draft, analysis=replace(draft.analysis, foreign=foreign))


def _leave_helpers(draft: Draft) -> Draft:
    """Remove the helpers that an earlier conversion wrote."""
    return replace(draft, analysis=without_helpers(draft.analysis, draft.target))


def _plan_uses(draft: Draft) -> Draft:
    """Add the plans: each use decided by its rule, functions passed as values together."""
    plans = plans_of(draft.analysis, draft.target, first=draft.first, kept=draft.kept)
    return replace(draft, plans=plans)


def _leave_non_tensor_calls(draft: Draft) -> Draft:
    """Remove calls that no tensor method accepts and only resembled one; needs the plans."""
    analysis, plans = without_non_tensor_calls(draft.analysis, draft.plans)
    return replace(draft, analysis=analysis, plans=plans)


def _agree_on_classes(draft: Draft) -> Draft:
    """Give tests for class names the classes that the text constructs; needs the plans."""
    plans = with_tests_of_classes(draft.analysis, draft.plans, draft.target)
    return replace(draft, plans=plans)


def _name_classes(draft: Draft) -> Draft:
    """Add the plans of texts that are compared with names of classes."""
    program = with_counterparts(draft.analysis.program, draft.target)
    texts = plans_of_texts(draft.analysis, draft.target, program, draft.first)
    return replace(draft, plans=[*draft.plans, *texts])


def _note_texts(draft: Draft) -> Draft:
    """Report types that the program converts to text; needs the plans."""
    return replace(draft, plans=with_notes(draft.analysis, draft.plans, draft.target))


def _keep_converted(draft: Draft) -> Draft:
    """Keep expressions that an earlier conversion wrote; needs the plans."""
    return replace(draft, plans=kept_converted(draft.plans))


def _refuse_claimed_helpers(draft: Draft) -> Draft:
    """Refuse uses whose helper has a name that the program uses itself; needs the plans."""
    claimed = uses_claimed_by_helpers(draft.analysis, draft.target)
    return replace(draft, plans=refused_for_claimed_helpers(draft.plans, claimed, draft.target))


def _leave_suppressed_uses(draft: Draft) -> Draft:
    """Remove the uses that the comments suppress; needs the plans and the comments."""
    if not (draft.suppressed.whole or draft.suppressed.directives):
        return draft
    left = [
        one
        for one in draft.plans
        if not draft.suppressed.covers(one.use.node.lineno - 1, code_of(one))
    ]
    return replace(draft, plans=left, ignored=len(draft.plans) - len(left))


def _refuse_hidden_names(draft: Draft) -> Draft:
    """Refuse uses whose code reads a name that a star import hides; needs the remaining plans."""
    return replace(draft, plans=refused_if_hidden(draft.analysis, draft.plans, draft.target))


def _reconvert(draft: Draft) -> Draft:
    """Keep only new code if the program was converted before; needs all plans."""
    if draft.first:
        return draft
    analysis, plans = reconverted(draft.analysis, draft.plans, draft.target)
    return replace(draft, analysis=analysis, plans=plans)


def _leave_left_out(draft: Draft) -> Draft:
    """Remove names of torch in an argument that is dropped; needs the plans."""
    return replace(draft, plans=without_left_out(draft.plans))


PASSES: tuple[Pass, ...] = (
    _leave_suppressed_imports,
    _leave_helpers,
    _plan_uses,
    _leave_non_tensor_calls,
    _agree_on_classes,
    _name_classes,
    _note_texts,
    _keep_converted,
    _refuse_claimed_helpers,
    _leave_suppressed_uses,
    _refuse_hidden_names,
    _reconvert,
    _leave_left_out,
)
