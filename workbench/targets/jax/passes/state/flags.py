"""Flags of parameters: `requires_grad` is a mark on a variable of flax, which a filter reads.

    for p in model.body.parameters():
        p.requires_grad = False
    optimizer = optim.Adam(p for p in model.parameters() if p.requires_grad)

becomes

    for p in torch_parameters(model.body).values():
        p.set_metadata(requires_grad=False)
    optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=torch_trained)

An optimizer of JAX has its parameters from when it is made, so a flag must not change later.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from workbench.convert.decide.planner import Plan
from workbench.convert.passes import Draft
from workbench.rules.outcome import Keep, Outcome, Refusal, Rewrite
from workbench.source.uses import UseKind
from workbench.targets.jax.passes.state.cells import Cells
from workbench.targets.jax.passes.state.order import changes_late

FLAG = "torch.Tensor.requires_grad"
OF_TENSOR = "torch.Tensor.requires_grad_"
OF_MODEL = "torch.nn.Module.requires_grad_"
TRAINED = "wrt=torch_trained)"
_ALL = "wrt=nnx.Param)"
_PARAMETER = "torch.nn.Parameter"
_WHY = "a flag of a parameter is a mark on its variable"
_LATE = Refusal(
    "an optimizer that is made before still updates afterwards, and in JAX it has its parameters"
    " from when it is made",
    "set the flags first, or make the optimizer again",
)


def is_flagged(plan: Plan) -> bool:
    """Return whether a use makes a parameter whose flag is given."""
    return plan.use.name == _PARAMETER and plan.match.given("requires_grad")


def follows_flags(plan: Plan) -> bool:
    """Return whether a use makes an optimizer that leaves parameters by their flags."""
    outcome = plan.outcome
    return isinstance(outcome, Rewrite) and TRAINED in outcome.template


def mark(draft: Draft, cells: Cells) -> Draft:
    """Write flags of parameters as marks, and let optimizers and losses follow them."""
    changes = [one for one in draft.plans if sets_flag(one, cells)]
    late = changes_late(changes, draft.plans, cells.structure)
    decided = {
        id(one.use.node): one.decided(_LATE if one in late else _changed(one), _WHY)
        for one in changes
    }
    if late:
        return replace(draft, plans=[decided.get(id(one.use.node), one) for one in draft.plans])
    for one in draft.plans:
        if one.use.name == FLAG and one.use.kind is UseKind.READ and _is_parameter(one, cells):
            read = Rewrite('{self}.get_metadata("requires_grad", True)')
            decided[id(one.use.node)] = one.decided(read, _WHY)
        elif isinstance(one.outcome, Rewrite) and one.use.name.startswith("torch.optim."):
            outcome = replace(one.outcome, template=one.outcome.template.replace(_ALL, TRAINED))
            decided[id(one.use.node)] = one.decided(outcome, _WHY)
    return replace(draft, plans=[decided.get(id(one.use.node), one) for one in draft.plans])


def sets_flag(plan: Plan, cells: Cells) -> bool:
    """Return whether a use sets the flag of a parameter, or of all those of a model."""
    if isinstance(plan.outcome, Keep):
        return False  # it has no effect
    if plan.use.name == OF_MODEL:
        return True
    if plan.use.name == OF_TENSOR or (plan.use.name == FLAG and plan.use.kind is UseKind.STORE):
        return _is_parameter(plan, cells)
    return False


def _is_parameter(plan: Plan, cells: Cells) -> bool:
    """Return whether a use is one of a parameter."""
    receiver = plan.use.receiver
    if receiver is None:
        return False
    if cells.at(cells.bare(receiver)) is not None:
        return True
    match receiver:
        case ast.Call(func=ast.Name(id="next"), args=[ast.Call(func=ast.Attribute(attr=name))]):
            return name == "parameters"
    return False


def _changed(plan: Plan) -> Outcome:
    """Return how a use that sets flags is written."""
    if plan.use.name == OF_MODEL:
        return Rewrite("torch_requires_grad({self}, {requires_grad})")
    statement, receiver = plan.use.statement, plan.use.receiver
    assert receiver is not None
    if plan.use.name == FLAG:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            pieces = (receiver, ".set_metadata(requires_grad=", statement.value, ")")
            return Rewrite("{self}", pieces=pieces)
    elif isinstance(statement, ast.Expr) and statement.value is plan.use.node:
        return Rewrite("{self}.set_metadata(requires_grad={requires_grad=True})")
    return Refusal("the flag is set within another expression; set it in a statement of its own")
