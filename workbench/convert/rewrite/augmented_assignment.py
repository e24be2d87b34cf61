"""`x += y` on a tensor: torch changes the tensor itself; a target may only rebind the name."""

from __future__ import annotations

import libcst as cst

from workbench.convert.decide.planner import Plan
from workbench.convert.rewrite.argument_layout import Source
from workbench.convert.rewrite.expression import fill
from workbench.convert.rewrite.templates import expression_of
from workbench.rules.outcome import Rewrite
from workbench.rules.template import compile_template


def in_place(plan: Plan, receiver: str, value: str) -> str:
    """Return the statement `receiver op= value` as a call that changes the receiver.

    Args:
        plan: of the augmented assignment.
        receiver: the converted code of what is changed.
        value: the converted code of the other operand.
    """
    held = cst.parse_expression(f"({receiver})").with_changes(lpar=[], rpar=[])
    other = cst.parse_expression(f"({value})")
    if not isinstance(other, cst.Tuple):
        other = other.with_changes(lpar=other.lpar[1:], rpar=other.rpar[:-1])
    outcome = plan.outcome
    assert isinstance(outcome, Rewrite)
    values = {"self": [cst.Arg(held)]}
    for name in plan.match.arguments:
        values[name] = [cst.Arg(other)]
    source = Source(None, values, plan.match, outcome)
    template = compile_template(outcome.template)
    new = fill(expression_of(outcome.template), source)
    if template.passes_on and isinstance(new, cst.Call):
        new = new.with_changes(args=[*new.args[:-1], cst.Arg(other)])
    code = _code(new)
    return f"{receiver} = {code}" if outcome.assigned else code


def _code(node: cst.CSTNode) -> str:
    return cst.Module([]).code_for_node(node)
