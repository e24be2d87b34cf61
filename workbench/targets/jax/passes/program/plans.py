"""Plans of what has no name of torch, and plans that change further text."""

from __future__ import annotations

import ast
import re
from dataclasses import replace

from workbench.convert.decide.planner import Plan
from workbench.convert.rewrite.edits import statement_start
from workbench.findings import Certainty
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Refusal, TextEdit
from workbench.source.analysis import Analysis
from workbench.source.uses import Use, UseKind
from workbench.targets.jax.passes.program.structure import Structure
from workbench.upstream.facts import Signature

NO_ARGUMENTS = Signature((), "")


def named(
    node: ast.expr, name: str, outcome: Outcome, structure: Structure, kind: UseKind = UseKind.READ
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


def without_line(analysis: Analysis, statement: ast.stmt) -> tuple[TextEdit, ...]:
    """Return the edits that remove what stands around a statement on its lines."""
    start, end = analysis.span(statement)
    line_start, _ = statement_start(analysis, statement)
    line_end = analysis.lines.start(statement.end_lineno or statement.lineno)
    rest = analysis.text[end:line_end]
    if separator := re.match(r"\s*;[ \t]*", rest):
        return ((end, end + separator.end(), ""),)
    before = analysis.text[line_start:start]
    if before.strip():
        return ((line_start + len(before.rstrip(" \t;")), start, ""),)
    return (line_start, start, ""), (end, line_end, "")
