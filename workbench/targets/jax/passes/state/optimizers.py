"""Optimizers of several models: `nnx.Optimizer` takes the models themselves."""

from __future__ import annotations

from dataclasses import replace

from workbench.convert.decide.planner import Plan, without_left_out
from workbench.convert.passes import Draft
from workbench.rules.outcome import Rewrite
from workbench.targets.jax.trained import models_of

_OPTIMIZER = "nnx.Optimizer({params}, "
_WHY = "an optimizer of JAX is given models instead of their parameters"


def give_models(draft: Draft) -> Draft:
    """Give optimizers the models whose parameters an expression such as a sum of lists names."""
    plans = [_given(one) for one in draft.plans]
    if plans == draft.plans:
        return draft
    return replace(draft, plans=without_left_out(plans))


def _given(plan: Plan) -> Plan:
    outcome = plan.outcome
    argument = plan.match.arguments.get("params")
    if not isinstance(outcome, Rewrite) or not outcome.template.startswith(_OPTIMIZER):
        return plan
    models = models_of(argument.node) if argument is not None else None
    if models is None:
        return plan
    text = models[0] if len(models) == 1 else f"({', '.join(models)})"
    written = replace(
        outcome,
        template=outcome.template.replace("{params}", "{models}", 1),
        texts={**outcome.texts, "models": text},
        consumed=outcome.consumed | {"params"},
    )
    return plan.decided(written, _WHY)
