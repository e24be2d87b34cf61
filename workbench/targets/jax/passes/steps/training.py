"""Training steps: the block from `zero_grad` to `step` becomes a function of the model.

    optimizer.zero_grad()
    logits = model(x)
    loss = F.cross_entropy(logits, y)
    loss.backward()
    optimizer.step()

becomes

    def loss_fn(model):
        logits = model(x)
        loss = ...
        return loss, logits

    (loss, logits), grads = nnx.value_and_grad(loss_fn, has_aux=True)(model)
    optimizer.update(model, grads)
"""

from __future__ import annotations

from dataclasses import replace

from workbench.convert.decide.planner import Plan, without_left_out
from workbench.convert.passes import Draft
from workbench.rules.outcome import Refusal
from workbench.targets.jax.passes.program.plans import position
from workbench.targets.jax.passes.program.structure import Structure, structure_of
from workbench.targets.jax.passes.state.flags import follows_flags
from workbench.targets.jax.passes.steps.block import BACKWARD
from workbench.targets.jax.passes.steps.gradient_modes import (
    blocks_without_gradients,
    header_lines,
    without_modes,
)
from workbench.targets.jax.passes.steps.kept_gradients import note_reads
from workbench.targets.jax.passes.steps.leaves import asked_step, leaf_step
from workbench.targets.jax.passes.steps.parts import ASKED, Step, Unlike
from workbench.targets.jax.passes.steps.reading import steps_of
from workbench.targets.jax.passes.steps.sums import summed_step
from workbench.targets.jax.passes.steps.writing import WHY, written


def write_steps(draft: Draft) -> Draft:
    """Write each training step as a loss function, its gradients and an update."""
    structure = structure_of(draft.analysis, draft.plans)
    decided: dict[int, Plan] = {}
    steps = _recognized(draft, structure, decided)
    note_reads(steps, draft.plans, structure)
    bodies = [one for step in steps for gradient in step.gradients for one in gradient.body]
    draft = without_modes(draft, structure, bodies)
    further: list[Plan] = []
    flagged = any(map(follows_flags, draft.plans))
    for step in steps:
        step.trains_part = flagged and not step.leaves
        try:
            own, more = written(step, structure, header_lines(draft))
        except Unlike as reason:
            decided |= {id(one.plan): _refused(one.plan, reason) for one in step.gradients}
            continue
        decided |= own
        further += more
    if not decided:
        return draft
    plans = [decided.get(id(one), one) for one in draft.plans]
    known = {id(one.use.node) for one in plans}
    plans += [one for one in further if id(one.use.node) not in known]
    return replace(draft, plans=without_left_out(sorted(plans, key=position)))


def _recognized(draft: Draft, structure: Structure, decided: dict[int, Plan]) -> list[Step]:
    """Return the steps of a program, and note the plans of losses that belong to none."""
    quiet = blocks_without_gradients(draft.plans)
    found: list[Step] = []
    done: set[int] = set()
    for one in draft.plans:
        if one.use.name not in {BACKWARD, ASKED} or id(one) in done:
            continue
        try:
            if one.use.name == ASKED:
                found.append(asked_step(one, draft.plans, structure, quiet))
                continue
            other = leaf_step(one, draft.plans, structure, quiet) or summed_step(
                one, draft.plans, structure, quiet
            )
            steps = [other] if other else steps_of(one, draft.plans, structure, quiet)
        except Unlike as reason:
            decided[id(one)] = _refused(one, reason)
            continue
        done |= {id(loss.plan) for step in steps for loss in step.gradients}
        found += steps
    return found


def _refused(plan: Plan, reason: Unlike) -> Plan:
    instead = plan.outcome.instead if isinstance(plan.outcome, Refusal) else None
    return plan.decided(Refusal(str(reason), instead), WHY)
