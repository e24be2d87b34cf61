"""Sizes and dtypes converted to text, which name the target where torch's text names torch.

`label = f"{x.shape}"` is `torch.Size([2, 3])` in torch. A text that is only printed shows the
difference itself; a text that is used elsewhere is reported.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from workbench.convert.decide.planner import Plan
from workbench.rules.outcome import Refusal
from workbench.source.analysis import Analysis
from workbench.source.tree import inside
from workbench.source.types import dtypes
from workbench.targets import Target

_MARKS = ("f'", 'f"', "str(", "repr(", ".format(", "%")
_SHOWN = frozenset({"torch.Tensor.shape", "torch.Tensor.size", "torch.Tensor.dtype", "torch.Size"})
_DISPLAYED = (ast.Expr, ast.Raise, ast.Assert)


def with_notes(analysis: Analysis, plans: list[Plan], target: Target) -> list[Plan]:
    """Return the plans, with a note where the text of what they give is kept."""
    if not any(mark in analysis.text for mark in _MARKS):
        return plans
    return [_noted(one, target) if _is_kept_as_text(analysis, one) else one for one in plans]


def _noted(plan: Plan, target: Target) -> Plan:
    outcome = plan.outcome
    if isinstance(outcome, Refusal) or outcome.note is not None:
        return plan
    note = f"its text names {target.title}'s type, not torch's"
    return plan.decided(replace(outcome, note=note), "the program converts it to text")


def _is_kept_as_text(analysis: Analysis, plan: Plan) -> bool:
    use = plan.use
    statement = use.statement
    if isinstance(statement, _DISPLAYED) or not isinstance(use.node, ast.expr):
        return False
    if use.name not in _SHOWN and dtypes.kind(use.name.removeprefix("torch.")) is None:
        return False
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
        return False
    line = analysis.lines.line(use.node.lineno - 1)
    if not any(mark in line for mark in _MARKS):
        return False
    parts = list(inside(statement))
    compared = {id(text) for part in parts for text in _compared(part)}
    return any(
        use.node is shown
        for part in parts
        if id(part) not in compared
        for shown in _converted_to_text(part)
    )


def _compared(node: ast.AST) -> list[ast.expr]:
    """Return texts that are compared or cut, which are rewritten if they name torch."""
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    return [node.value] if isinstance(node, ast.Attribute | ast.Subscript) else []


def _converted_to_text(node: ast.AST) -> list[ast.expr]:
    """Return the expressions that a node converts to text."""
    if isinstance(node, ast.FormattedValue):
        return [node.value]
    if isinstance(node, ast.Call):
        called = node.func
        name = getattr(called, "id", getattr(called, "attr", ""))
        plain = isinstance(called, ast.Name) and name in {"str", "repr"}
        return node.args if plain or name == "format" else []
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mod):
        return []
    if not isinstance(node.left, ast.Constant) or not isinstance(node.left.value, str):
        return []
    return node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
