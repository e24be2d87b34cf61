"""Fixes: the edits that convert one use, or several together, and leave the rest as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from workbench.convert.additions import additions
from workbench.convert.edits import as_edits, expression_changes
from workbench.convert.imports import has_import
from workbench.convert.plan import Plan
from workbench.findings import Edit, Finding, Fix
from workbench.source.analysis import Analysis
from workbench.source.tree import inside
from workbench.targets import Target
from workbench.targets.helpers import Import


@dataclass(frozen=True, slots=True)
class Fixer:
    """Makes the fix of one use when it is asked for.

    Attributes:
        analysis: the program.
        plans: of all its uses.
        plan: of this one.
        target: where to.
        first: nothing is put before this line; the cell of a notebook starts here.
        move: brings an edit of the program into the text that the fix is for.
    """

    analysis: Analysis
    plans: list[Plan]
    plan: Plan
    target: Target
    first: int = 0
    move: Callable[[Edit], Edit] = lambda edit: edit

    def __call__(self) -> Fix | None:
        edits = _edits(self, [self.plan])
        title = f"Convert {self.plan.use.name} to {self.target.title}"
        return Fix(title, tuple(edits)) if edits and self.plan.converts else None

    def within(self, first: int, move: Callable[[Edit], Edit]) -> Fixer:
        """The same for a cell of the program, whose own code starts on a line."""
        return replace(self, first=first, move=move)


def fix_together(findings: Iterable[Finding], title: str | None = None) -> Fix | None:
    """One fix for several findings of one check, with those nested in them; None for nothing to do.

    Uses inside each other are composed, and what they need is brought once.

    Raises:
        ValueError: the findings are of several texts.
    """
    fixers = [one.make_fix for one in findings if isinstance(one.make_fix, Fixer)]
    if not fixers:
        return None
    head = fixers[0]
    if any(one.analysis.text != head.analysis.text or one.first != head.first for one in fixers):
        raise ValueError("findings of one text, or one cell, can be fixed together")
    chosen = {id(one.plan.use.node) for one in fixers}
    edits = _edits(head, [one for one in head.plans if id(one.use.node) in chosen])
    title = title or f"Convert {len(chosen)} uses to {head.target.title}"
    return Fix(title, tuple(edits)) if edits else None


def _edits(fixer: Fixer, chosen: Iterable[Plan]) -> list[Edit]:
    analysis, target = fixer.analysis, fixer.target
    wanted = {id(node) for one in chosen for node in inside(one.use.node)}
    changes = expression_changes(analysis, fixer.plans, wanted)
    if not changes.changes:
        return []
    rest = additions(
        analysis,
        changes,
        target,
        needed=None,
        first=fixer.first,
        imported=has_import(analysis.tree, Import(target.module, "", target.module)),
    )
    return [fixer.move(edit) for edit in as_edits(analysis, [*changes.changes, *rest.changes])]
