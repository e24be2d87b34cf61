"""Which step of a training parts first, and where in it.

Every step starts from the original's weights, so that what one step does is not laid at another's
door: its loss parts in the forward pass, a gradient in the backward pass, or the weights in what
the optimizer makes of equal gradients.
"""

from __future__ import annotations

import torch

from workbench.verify.locating.locate import locate
from workbench.verify.result import Where
from workbench.verify.sides.places import Births
from workbench.verify.sides.sides import Pass, Sides
from workbench.verify.sides.task import optimizer_of

# Relative to the largest number of a value; what is set in single precision is so on both sides.
_ROUNDING = {torch.float64: 1e-6, torch.float32: 1e-3}
# A gradient so much smaller than the largest is rounding, of which Adam makes whole steps.
_NOISE = {torch.float64: 1e-9, torch.float32: 1e-5}


def first_parting(sides: Sides, births: Births, steps: int) -> list[Where]:
    """The places at which the first of so many steps parts; none where each agrees by itself."""
    assert sides.task.optimizers is not None
    with sides.restored():
        ours, schedule = optimizer_of(sides.task.optimizers[0], sides.ours)
        theirs, _ = optimizer_of(sides.task.optimizers[1], sides.theirs)
        for step in range(steps):
            sides.carry()
            first = sides.torch_pass(training=True, backward=True, step=step)
            second = sides.port_pass(first.stream, training=True, backward=True, step=step)
            told = _in_loss(sides, births, first, second, step)
            if told := told or _in_gradients(sides, births, step):
                return told
            ours.step()
            if schedule is not None:
                schedule.step()
            sides.ports.step(theirs)
            sides.ports.step_schedule(theirs)
            name = _first_apart(sides)
            if name:
                what = f"step {step + 1}: the gradients agree, and {name} is another one after it"
                return [Where(str(births.of(theirs) or ""), str(births.of(ours) or ""), what)]
    return []


def _in_loss(sides: Sides, births: Births, ours: Pass, theirs: Pass, step: int) -> list[Where]:
    if ours.loss is None or theirs.loss is None or _close(ours.loss, theirs.loss):
        return []
    sides.carry()  # buffers have moved on
    places = locate(sides, births, training=True, agrees=lambda: False, step=step)
    for where in places:
        where.what = f"step {step + 1}: {where.what}"
        where.cause = where.cause and f"step {step + 1}: {where.cause}"
    return places


def _in_gradients(sides: Sides, births: Births, step: int) -> list[Where]:
    bound = sides.bound()
    mine = {name: p.grad for name, p in sides.ours.named_parameters()}
    largest = max((_largest(grad) for grad in mine.values() if grad is not None), default=0.0)
    for one in reversed(bound):
        a, b = one.of(mine), one.read_gradient()
        if a is None or b is None or _close(a, b, _NOISE.get(a.dtype, 1e-2) * largest):
            continue
        owner = sides.ports.owner(sides.theirs, one.pair.theirs[0])
        what = f"step {step + 1}: the losses agree, and the gradient of {one.pair.name} does not"
        return [Where(str(births.of(owner) or ""), "", what)]
    return []


def _first_apart(sides: Sides) -> str:
    """The first weight that one step of both optimizers leaves apart; empty for none."""
    trained = {name for name, _ in sides.ours.named_parameters()}
    bound = (one for one in sides.bound() if one.pair.ours[0] in trained)
    return next((b.pair.name for b in bound if not _close(b.value(), b.read())), "")


def _close(a: torch.Tensor, b: torch.Tensor, slack: float = 0.0) -> bool:
    if a.shape != b.shape:
        return False
    limit = _ROUNDING.get(a.dtype, 1e-2) * _largest(a) + slack
    return bool(((a.double() - b.double()).abs() <= limit).all())


def _largest(value: torch.Tensor) -> float:
    return float(value.detach().abs().max()) if value.numel() else 0.0
