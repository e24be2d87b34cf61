"""Blocks without gradients: JAX differentiates only what it is asked to, so the block goes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from workbench.convert.decide.planner import Plan
from workbench.convert.passes import Draft
from workbench.convert.rewrite.edits import statement_start
from workbench.rules.outcome import Keep, Refusal, TextEdit
from workbench.source.analysis import Analysis
from workbench.source.tree import inside
from workbench.targets.jax.passes.structure import Function, Structure, logical_lines, structure_of

_MODES = frozenset({"torch.no_grad", "torch.inference_mode"})
_WHY = "nothing is differentiated here"


def drop_gradient_modes(draft: Draft) -> Draft:
    """Remove `with torch.no_grad():` and its decorator where nothing around is differentiated."""
    if not any(one.use.name in _MODES for one in draft.plans):
        return draft
    structure = structure_of(draft.analysis, draft.plans)
    plans = [_decided(one, structure) if one.use.name in _MODES else one for one in draft.plans]
    return replace(draft, plans=plans)


def _decided(plan: Plan, structure: Structure) -> Plan:
    statement = plan.use.statement
    function = structure.owner[id(plan.use.node)]
    edits: tuple[TextEdit, ...]
    if isinstance(statement, Function) and plan.use.node in statement.decorator_list:
        function = statement
        edits = (_decorator(structure.analysis, plan.use.node),)
    elif isinstance(statement, ast.With) and len(statement.items) == 1:
        edits = tuple(_block(structure.analysis, statement))
    else:
        return plan.decided(Refusal("JAX has no mode without gradients"), _WHY)
    if _may_be_differentiated(function, structure):
        refusal = Refusal(
            "what is computed here may be part of a loss; its gradient has to be stopped",
            "jax.lax.stop_gradient(value)",
        )
        return plan.decided(refusal, _WHY)
    return plan.decided(Keep("JAX differentiates only what it is asked to", elsewhere=edits), _WHY)


def _may_be_differentiated(function: Function | None, structure: Structure) -> bool:
    """Return whether code belongs to a layer, or to a function that computes a loss."""
    if function is None:
        return False
    if id(function) in structure.methods:
        return True
    calls = [
        one
        for one in structure.calls
        if isinstance(one.func, ast.Name) and one.func.id == function.name
    ]
    owners = [structure.owner[id(one)] for one in calls]
    return any(
        owner is not None and (id(owner) in structure.methods or _differentiates(owner, one))
        for owner, one in zip(owners, calls, strict=True)
    )


def _differentiates(function: Function, call: ast.Call) -> bool:
    """Return whether the result of a call may be part of what a function differentiates."""
    backward = any(
        isinstance(node, ast.Attribute) and node.attr == "backward" for node in inside(function)
    )
    bare = any(isinstance(n, ast.Expr) and n.value is call for n in inside(function))
    return backward and not bare


def _decorator(analysis: Analysis, node: ast.AST) -> TextEdit:
    assert isinstance(node, ast.expr)
    line = node.lineno - 1
    return analysis.lines.start(line), analysis.lines.start(node.end_lineno or line + 1), ""


def _block(analysis: Analysis, statement: ast.With) -> Iterator[TextEdit]:
    """Yield the edits that replace a block by its statements."""
    start, _ = statement_start(analysis, statement)
    colon = analysis.text.index(":", analysis.span(statement.items[-1].context_expr)[1])
    first = statement.body[0]
    if first.lineno == analysis.lines.position(colon).line + 1:  # on the line of the header
        yield start, analysis.span(first)[0], analysis.text[start : analysis.span(statement)[0]]
        return
    below = analysis.lines.position(colon).line + 1
    yield start, analysis.lines.start(below), ""
    width = first.col_offset - statement.col_offset
    end = statement.end_lineno or below
    block = analysis.text[analysis.lines.start(below) : analysis.lines.start(end)]
    for line in sorted(logical_lines(block)):
        at = analysis.lines.start(below + line - 1)
        if not analysis.text[at : at + width].strip(" \t"):
            yield at, at + width, ""
