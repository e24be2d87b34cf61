"""Plans of what has no name of torch, and plans that change further text."""

from __future__ import annotations

import ast
from dataclasses import replace

from workbench.convert.decide.planner import Plan
from workbench.findings import Certainty
from workbench.rules.match import Match
from workbench.rules.outcome import Refusal, Rewrite, TextEdit
from workbench.source.uses import Use, UseKind
from workbench.targets.jax.passes.program.structure import Structure
from workbench.upstream.facts import Signature

NO_ARGUMENTS = Signature((), "")


def named(
    node: ast.expr, name: str, outcome: Rewrite, structure: Structure, kind: UseKind = UseKind.READ
) -> Plan:
    """Return the plan of an expression of the program's own that changes with torch's names."""
    receiver = node.value if isinstance(node, ast.Attribute) else None
    use = Use(name, kind, node, Certainty.PROVED, structure.statement[id(node)], receiver)
    return Plan(use, outcome, Match(use, NO_ARGUMENTS))


def position(plan: Plan) -> tuple[int, int]:
    """Return the line and column of a use, to sort plans by."""
    return plan.use.node.lineno, plan.use.node.col_offset


def with_edits(plan: Plan, edits: tuple[TextEdit, ...], why: str) -> Plan:
    """Return the plan with further edits outside of expressions."""
    outcome = plan.outcome
    if not edits or isinstance(outcome, Refusal):
        return plan
    return plan.decided(replace(outcome, elsewhere=(*outcome.elsewhere, *edits)), why)
