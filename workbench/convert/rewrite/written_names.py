"""The names with which the expressions of a use's new code begin."""

from __future__ import annotations

import ast
import re

from workbench.convert.decide.planner import Plan
from workbench.rules.outcome import Rewrite
from workbench.rules.template import compile_template, roots
from workbench.source.uses import UseKind


def written_names(plan: Plan) -> set[str]:
    """Return the first names of what is written for a use that converts."""
    outcome = plan.outcome
    assert isinstance(outcome, Rewrite)
    literals = compile_template(outcome.template).literals.values()
    names = set(roots(_written(plan, outcome.template)))
    names.update(name for text in (*outcome.texts.values(), *literals) for name in _names(text))
    statements = [outcome.after or "", *(before for _, before, _, _ in outcome.also)]
    names.update(name for code in statements for name in _first_names(code))
    return names


def _first_names(code: str) -> set[str]:
    """Return the names before the dots in statements whose first line lacks its indentation."""
    return set(re.findall(r"(?<![\w.])[A-Za-z_]\w*(?=\.)", code))


def _written(plan: Plan, template: str) -> str:
    """Return the written part of a template: without the callee if the code calls a variable."""
    compiled, kind = compile_template(template), plan.use.kind
    calls_layer = kind is UseKind.LAYER and not compiled.takes_receiver
    if not compiled.callee or not (kind is UseKind.INDIRECT or calls_layer):
        return template
    return template.replace(compiled.callee, "print", 1)


def _names(code: str) -> set[str]:
    return {
        part.id for part in ast.walk(ast.parse(code, mode="eval")) if isinstance(part, ast.Name)
    }
