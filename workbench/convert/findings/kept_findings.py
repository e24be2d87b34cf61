"""Findings that stay valid while a text is typed, since their plans are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from workbench.convert.decide.planner import Plan
from workbench.convert.findings.messages import (
    MakeFix,
    finding_of_plan,
    shown_node,
    shown_range,
)
from workbench.findings import Finding
from workbench.positions import Range
from workbench.source.analysis import Analysis
from workbench.targets import Target

_Place = tuple[int, int, int | None, int | None]


@dataclass(frozen=True, slots=True)
class _Kept:
    """The finding of a plan, without its fix, which would keep the whole text.

    Attributes:
        plan: the plan.
        differences: the differences that the finding reports.
        place: the place of what it underlines; None in a text that is not ASCII, whose columns
            depend on more than the node.
        finding: the finding.
        has_fix: whether it has a fix.
    """

    plan: Plan
    differences: Sequence[str]
    place: _Place | None
    finding: Finding
    has_fix: bool


@dataclass(slots=True)
class KeptFindings:
    """The findings of a text's plans when they were last requested."""

    _before: dict[int, _Kept] = field(default_factory=dict)
    _now: dict[int, _Kept] = field(default_factory=dict)

    def next_text(self) -> None:
        """Begin with the findings of another text, and drop those of the text before the last."""
        self._before, self._now = self._now, {}

    def of_plan(
        self,
        analysis: Analysis,
        plan: Plan,
        target: Target,
        make_fix: MakeFix,
        differences: Sequence[str] = (),
    ) -> Finding:
        """Return what `finding_of_plan` does; its words are kept if the plan is the same."""
        node = shown_node(plan)
        place = None
        if analysis.text.isascii():
            place = node.lineno, node.col_offset, node.end_lineno, node.end_col_offset
        known = self._before.get(id(plan))
        if known is None or known.plan is not plan or known.differences != differences:
            found = finding_of_plan(analysis, plan, target, make_fix, differences)
            known = _Kept(
                plan, differences, place, _again(found, found.range), found.make_fix is not None
            )
        elif place is None or place != known.place:
            where = shown_range(analysis, plan)
            known = replace(known, place=place, finding=_again(known.finding, where))
        self._now[id(plan)] = known
        return _again(known.finding, known.finding.range, make_fix if known.has_fix else None)


def _again(finding: Finding, where: Range, make_fix: MakeFix | None = None) -> Finding:
    """Return the same finding at a place, with a fix."""
    return Finding(
        code=finding.code,
        severity=finding.severity,
        message=finding.message,
        range=where,
        certainty=finding.certainty,
        name=finding.name,
        target=finding.target,
        converts=finding.converts,
        make_fix=make_fix,
    )
