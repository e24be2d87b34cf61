"""Floats of 64 bits: one setting for a program that asks for them."""

from __future__ import annotations

import ast
from dataclasses import replace

from workbench.convert.decide.planner import Plan
from workbench.convert.passes import Draft
from workbench.rules.outcome import Refusal, Rewrite
from workbench.source.analysis import Analysis
from workbench.source.tree import inside
from workbench.targets.jax.passes.program.plans import with_edits

_WIDE = ("jnp.float64", "jnp.complex128")
_SETTINGS = ("jax_explicit_x64_dtypes", "jax_enable_x64")
_DEFAULT = "torch.set_default_dtype"
_AGAIN = Refusal("the default changes again, and JAX has one for the whole program")
_LAYERS = ("nnx.Linear(", "nnx.Embed(", "nnx.LayerNorm(")
_LINE = f'jax.config.update("{_SETTINGS[0]}", "allow")'
_WHY = "JAX has floats of 64 bits where a setting allows them"


def allow_wide(draft: Draft) -> Draft:
    """Write the setting above the code of a program that asks for floats of 64 bits."""
    analysis = draft.analysis
    defaults = [one for one in draft.plans if one.use.name == _DEFAULT]
    if len(defaults) > 1:
        again = {id(one): one.decided(_AGAIN, _WHY) for one in defaults}
        draft = replace(draft, plans=[again.get(id(one), one) for one in draft.plans])
    elif _SETTINGS[1] in analysis.text or any(isinstance(o.outcome, Rewrite) for o in defaults):
        return replace(draft, plans=[_with_parameters(one) for one in draft.plans])
    asking = {
        id(one.use.node)
        for one in draft.plans
        if isinstance(one.outcome, Rewrite) and any(name in one.outcome.template for name in _WIDE)
    }
    has_setting = any(name in analysis.text for name in _SETTINGS)
    if not asking and not has_setting:
        return draft
    draft = replace(draft, plans=[_with_places(one) for one in draft.plans])
    if has_setting:
        return draft
    at, newline = _below_imports(analysis), analysis.lines.newline
    edits = ((at, at, f"{newline}{_LINE}{newline}"),)
    plans = [
        with_edits(one, edits, _WHY)
        if any(id(node) in asking for node in inside(one.use.statement))
        else one
        for one in draft.plans
    ]
    return replace(draft, plans=plans)


def _with_parameters(plan: Plan) -> Plan:
    """Return the plan of a layer of flax with parameters of 64 bits."""
    outcome = plan.outcome
    if not isinstance(outcome, Rewrite) or not outcome.template.startswith(_LAYERS):
        return plan
    made, _, keys = outcome.template.rpartition(", rngs=")
    if not made:
        return plan
    text = f"{made}, param_dtype=jnp.float64, rngs={keys}"
    return plan.decided(replace(outcome, template=text), _WHY)


def _with_places(plan: Plan) -> Plan:
    """Return the plan with a search for the place of a maximum that takes 64 bits."""
    outcome = plan.outcome
    if not isinstance(outcome, Rewrite):
        return plan
    text = outcome.template.replace("jnp.argmax(", "torch_argmax(")
    if text.startswith("jnp.argmin("):
        text = f"torch_argmax({text.removeprefix('jnp.argmin(')[:-1]}, smallest=True)"
    return plan if text == outcome.template else plan.decided(replace(outcome, template=text), _WHY)


def _below_imports(analysis: Analysis) -> int:
    """Return the offset of the line below the last import at the top of a program."""
    last = 0
    for one in analysis.tree.body:
        if isinstance(one, ast.Import | ast.ImportFrom):
            last = one.end_lineno or one.lineno
        elif not isinstance(one, ast.Expr):
            break
    return analysis.lines.start(last)
