"""Fixes: the edits that convert one use, or several together, and leave the rest unchanged.

Fixes build on each other: each leaves a text that parses and runs, in which its definitions precede
their use, and the next fix re-reads that text. An import of torch is removed with its last use. The
fix of the last name of torch includes the remaining members of torch's tensors, since nothing would
distinguish them from the target's own afterwards.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial

from workbench.convert.decide.planner import Plan
from workbench.convert.decide.planner import plan as planned
from workbench.convert.findings.messages import (
    MakeFinding,
    finding_of_plan,
    findings,
    taken_on,
    target_spelling,
)
from workbench.convert.fix_request import Ask, FixRequest, no_module
from workbench.findings import Edit, Finding, Fix, Safety
from workbench.rules.difference import AT_EACH_USE
from workbench.source.analysis import Analysis
from workbench.source.tree import inside
from workbench.source.uses import UseKind
from workbench.targets import EXACT, TORCH, Target, load

# The number of further uses that a title names.
_NAMED = 3


@dataclass(frozen=True, slots=True)
class Fixer:
    """Makes the fix of one use, by its plan, when it is requested."""

    request: FixRequest
    plan: Plan

    def __call__(self) -> Fix | None:
        # The modules that write code load with the first fix; a check does not need them.
        from workbench.convert.fix_edits import written_fix

        written = written_fix(self.request, [self.plan])
        if not written.edits or not self.plan.converts:
            return None
        title = f"Convert {self.plan.use.name} to {target_spelling(self.plan)}"
        title += taken_on(sorted(written.rewritten, key=lambda one: one is not self.plan))
        title += self._also(written.rewritten)
        left = self._left(written.rewritten)
        if not left:
            return written.fix(title)
        fix = written.fix(f"{title}; leaves {', '.join(left)} in torch")
        # An editor applies a safe fix without showing its title.
        return replace(fix, safety=Safety.ASSUMES) if fix.safety is Safety.SAFE else fix

    def _left(self, rewritten: Iterable[Plan]) -> list[str]:
        """Return the calls of torch whose values meet the use's and that its fix leaves."""
        done = {id(one.use.node) for one in rewritten}
        node = _joined(self.plan.use.statement, self.plan.use.node)
        within = {id(part) for part in inside(node)}
        calls = [
            one.use
            for one in self.request.plans
            if one.use.kind is UseKind.CALL and one.use.receiver is None
            if one.use.statement is self.plan.use.statement and id(one.use.node) not in done
        ]
        met = (use for use in calls if id(use.node) in within or _contains(use.node, node))
        return list(dict.fromkeys(use.name for use in met))

    def _also(self, rewritten: Iterable[Plan]) -> str:
        """Return words that name the other uses that its fix rewrites, or an empty text."""
        own = {id(node) for node in inside(self.plan.use.node)}
        names = [one.use.name for one in rewritten if id(one.use.node) not in own]
        if not names:
            return ""
        shown = list(dict.fromkeys(names))
        listed = ", ".join(shown[:_NAMED]) + ", ..." * (len(shown) > _NAMED)
        return f", and {len(names)} more use{'s' * (len(names) > 1)} with it: {listed}"

    def exact(self) -> Fix | None:
        """Return the fix that writes the use, or all uses of its class, as the exact style does."""
        from workbench.convert.fix_edits import written_fix

        target, request = self.request.target, self.request
        entry = target.facts.get(self.plan.use.name)
        whole = entry is not None and entry.kind == "class"
        name, aim = self.plan.use.name, load(target, EXACT, TORCH)
        mine = [
            one for one in request.plans if one is self.plan or (whole and one.use.name == name)
        ]
        new = {id(one): planned(one.use, aim, one.match.program) for one in mine}
        chosen = list(new.values())
        if not all(one.converts for one in chosen):
            return None
        plans = [new.get(id(one), one) for one in request.plans]
        written = written_fix(replace(request, plans=plans), chosen)
        title = f"Convert {name} to {target_spelling(new[id(self.plan)])}, which is exact"
        return written.fix(title + self._also(written.rewritten)) if written.edits else None

    def within(self, first: int, move: Callable[[Edit], Edit]) -> Fixer:
        """Return the same for a cell of the program, whose own code starts on a line."""
        request = replace(self.request, first=first, move=move, moves=False)
        return Fixer(request, self.plan)


def _joined(statement: ast.stmt, node: ast.AST) -> ast.AST:
    """Return the largest expression of operators that has a node as an operand, or the node."""
    found = (
        one
        for one in inside(statement)
        if isinstance(one, ast.BinOp | ast.Compare) and any(each is node for each in _operands(one))
    )
    return max(found, key=lambda one: len(inside(one)), default=node)


def _operands(node: ast.AST) -> Iterable[ast.AST]:
    """Yield the operands of an expression of operators, or the expression itself if it has none."""
    if isinstance(node, ast.BinOp | ast.Compare | ast.UnaryOp):
        for part in ast.iter_child_nodes(node):
            yield from _operands(part)
    else:
        yield node


def _contains(outer: ast.AST, node: ast.AST) -> bool:
    """Return whether a node is part of another one."""
    return any(part is node for part in inside(outer))


def findings_of(
    analysis: Analysis,
    plans: list[Plan],
    target: Target,
    ask: Ask = no_module,
    make: MakeFinding = finding_of_plan,
) -> Iterable[Finding]:
    """Return the findings of decided uses, each with what makes its fix."""
    request = FixRequest(analysis, plans, target, ask)
    return findings(analysis, plans, target, partial(Fixer, request), make)


def exact_fix(finding: Finding) -> Fix | None:
    """Return the fix that leaves nothing open, for a finding of what an open fact decides."""
    make = finding.make_fix
    return make.exact() if finding.code in AT_EACH_USE and isinstance(make, Fixer) else None


def fix_together(findings: Iterable[Finding], title: str | None = None) -> Fix | None:
    """Return one fix for several findings of a check and those nested in them, or None.

    Uses inside each other are composed, and what they need is brought once.

    Raises:
        ValueError: the findings are of several texts.
    """
    fixers = [one.make_fix for one in findings if isinstance(one.make_fix, Fixer)]
    if not fixers:
        return None
    head = fixers[0].request
    texts = {(one.request.analysis.text, one.request.first) for one in fixers}
    if len(texts) > 1:
        raise ValueError("findings of one text, or one cell, can be fixed together")
    chosen = {id(one.plan.use.node) for one in fixers}
    from workbench.convert.fix_edits import written_fix

    written = written_fix(head, [one for one in head.plans if id(one.use.node) in chosen])
    title = title or f"Convert {len(written.rewritten)} uses to {head.target.title}"
    return written.fix(title) if written.edits else None
