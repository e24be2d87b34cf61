"""Star imports of torch that stay: they hide Python's own functions from new code."""

from __future__ import annotations

import ast
import builtins

from workbench.convert.decide.planner import Plan
from workbench.convert.imports.needed import still_needed
from workbench.convert.rewrite.spelling import star_imported
from workbench.convert.rewrite.written_names import written_names
from workbench.rules.outcome import Refusal, Rewrite
from workbench.source.analysis import Analysis
from workbench.source.tree import inside
from workbench.targets import Target


def refused_if_hidden(analysis: Analysis, plans: list[Plan], target: Target) -> list[Plan]:
    """Return the plans, refused where what they write reads a name that a star import hides.

    `from torch import *` brings `float`, `max` and others of Python's names.
    """
    hidden = star_imported(analysis, target) & set(dir(builtins))
    converting = {id(one.use.node) for one in plans if one.converts}
    if not hidden or not still_needed(analysis, plans, converting, target):
        return plans
    return [_unless_hidden(one, hidden, target) for one in plans]


def _unless_hidden(plan: Plan, hidden: set[str], target: Target) -> Plan:
    lost = _read(plan, target) & hidden if isinstance(plan.outcome, Rewrite) else set()
    if not lost:
        return plan
    refusal = Refusal(
        f"it is written with Python's own `{min(lost)}`, which the star import hides",
        "import the names that are used, in place of `*`",
    )
    return plan.decided(refusal, "a star import hides a name that the new code reads")


def _read(plan: Plan, target: Target) -> set[str]:
    """Return the names that what is written reads, its helpers included."""
    names = written_names(plan)
    for helper in target.helpers.closure(name for name in names if name in target.helpers):
        nodes = inside(ast.parse(helper.source))
        names.update(node.id for node in nodes if isinstance(node, ast.Name))
    return names
