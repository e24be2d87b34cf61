"""Calls that looked like a tensor's until their arguments showed otherwise."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace

from workbench.convert.decide.planner import Plan
from workbench.convert.decide.star_arguments import NO_SIGNATURE
from workbench.findings import Certainty
from workbench.rules.outcome import Refusal
from workbench.source.analysis import Analysis
from workbench.source.tree import inside
from workbench.source.uses import UnknownMember


def without_non_tensor_calls(
    analysis: Analysis, plans: Iterable[Plan]
) -> tuple[Analysis, list[Plan]]:
    """Return the program and the plans without calls that no tensor method accepts.

    `manifold.inner(x, u, v)` is not `torch.Tensor.inner` if only the name suggested it; it becomes
    an unknown member. So does `kernel.diag(x)`, if the program calls `kernel(x, x)` and one of its
    classes defines such a method.
    """
    methods = _methods(analysis)
    kept: list[Plan] = []
    unknown: list[UnknownMember] = []
    for one in plans:
        call = one.use.call
        strange = isinstance(one.outcome, Refusal) and one.outcome.reason == NO_SIGNATURE
        assumed = one.use.certainty is Certainty.ASSUMED and one.use.owner == "torch.Tensor"
        if assumed and one.use.name.rpartition(".")[2] in methods:
            strange = strange or _is_called(one.use.receiver, analysis)
        if strange and assumed and call is not None and isinstance(call.func, ast.Attribute):
            unknown.append(UnknownMember(call.func, one.use.statement))
        else:
            kept.append(one)
    if not unknown:
        return analysis, kept
    gone = {id(member.node) for member in unknown}
    uses = [use for use in analysis.uses if use.call is None or id(use.call.func) not in gone]
    return replace(analysis, uses=uses, unknown=[*analysis.unknown, *unknown]), kept


def _methods(analysis: Analysis) -> frozenset[str]:
    """Return the names of the methods that the program's own classes define."""
    return frozenset(
        method.name
        for cls in analysis.tree.body
        if isinstance(cls, ast.ClassDef)
        for method in cls.body
        if isinstance(method, ast.FunctionDef)
    )


def _is_called(receiver: ast.expr | None, analysis: Analysis) -> bool:
    """Return whether the program calls an object, which a tensor does not allow."""
    if receiver is None:
        return False
    text = ast.unparse(receiver)
    calls = (node for node in inside(analysis.tree) if isinstance(node, ast.Call))
    return any(ast.unparse(call.func) == text for call in calls)
