"""Search for the first training step that diverges, and for the place in that step.

Every step starts from the original's weights, so an error in one step does not affect the next. A
step diverges in its forward pass if the losses differ, in its backward pass if a gradient differs,
or in the optimizer if equal gradients lead to different weights.
"""

from __future__ import annotations

import torch

from workbench.verify.locating.locate import locate
from workbench.verify.pairing.bound import Bound
from workbench.verify.result import Where
from workbench.verify.sides.places import Births
from workbench.verify.sides.sides import Pass, Sides
from workbench.verify.sides.task import optimizer_of

# Relative to the largest element of a value. Both sides hold some settings in single precision.
_ROUNDING = {torch.float64: 1e-6, torch.float32: 1e-3}
# Gradients this much smaller than the largest are rounding. Adam makes full steps of them.
_NOISE = {torch.float64: 1e-9, torch.float32: 1e-5}
# Running averages use a momentum in single precision, which adds this relative error.
_AVERAGE = 1e-4


def first_divergence(sides: Sides, births: Births, steps: int) -> list[Where]:
    """Return the locations at which the first divergent step diverges, or none if every step
    agrees.
    """
    assert sides.task.optimizers is not None
    with sides.restored():
        ours, schedule = optimizer_of(sides.task.optimizers[0], sides.ours)
        theirs, _ = optimizer_of(sides.task.optimizers[1], sides.theirs)
        for step in range(steps):
            sides.carry()
            named = sides.ours.named_buffers()
            buffers = {name: b.clone() for name, b in named if b.is_floating_point()}
            first = sides.torch_pass(training=True, backward=True, step=step)
            second = sides.port_pass(first.stream, training=True, backward=True, step=step)
            found = _in_loss(sides, births, first, second, step)
            found = found or _in_buffers(sides, births, buffers, step)
            if found := found or _in_gradients(sides, births, step):
                return found
            before = [one.value().clone() for one in _trained(sides)]
            ours.step()
            if schedule is not None:
                schedule.step()
            sides.ports.step(theirs)
            sides.ports.step_schedule(theirs)
            name = _first_apart(sides, before)
            if name:
                what = f"step {step + 1}: the gradients agree, and {name} differs after the step"
                return [Where(str(births.of(theirs) or ""), str(births.of(ours) or ""), what)]
    return []


def _in_loss(sides: Sides, births: Births, ours: Pass, theirs: Pass, step: int) -> list[Where]:
    if ours.loss is None or theirs.loss is None or _close(ours.loss, theirs.loss):
        return []
    sides.carry()  # the passes changed the buffers
    return _located(sides, births, step)


def _located(sides: Sides, births: Births, step: int) -> list[Where]:
    places = locate(sides, births, training=True, agrees=lambda: False, step=step)
    for where in places:
        where.what = f"step {step + 1}: {where.what}"
        where.cause = where.cause and f"step {step + 1}: {where.cause}"
    return places


def _in_buffers(
    sides: Sides, births: Births, before: dict[str, torch.Tensor], step: int
) -> list[Where]:
    """Locate a buffer that the forward pass updates differently, such as a running average."""
    held = [one for one in sides.bound() if one.pair.ours[0] in before]
    # The largest element of all buffers with one leaf name. A mean of normalized values is near
    # zero.
    scale: dict[str, float] = {}
    for one in held:
        leaf = one.pair.ours[0].rpartition(".")[2]
        scale[leaf] = max(scale.get(leaf, 0.0), _largest(one.value()))
    for one in held:
        name, theirs = one.pair.ours[0], one.pair.theirs[0]
        if name.endswith("running_var") and sides.ports.uncorrected(sides.theirs, theirs):
            continue
        if _close(one.value(), one.read(), _AVERAGE * scale[name.rpartition(".")[2]]):
            continue
        owner = sides.ports.owner(sides.theirs, theirs)
        with torch.no_grad():
            for own, buffer in before.items():
                sides.ours.get_buffer(own).copy_(buffer)
        sides.carry()
        what = f"step {step + 1}: the losses agree, and the forward pass makes another {name}"
        inner = _located(sides, births, step) if sides.ports.raw(sides.theirs, theirs) else []
        return [*inner, Where(str(births.of(owner) or ""), "", what)]
    return []


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


def _trained(sides: Sides) -> list[Bound]:
    trained = {name for name, p in sides.ours.named_parameters() if p.requires_grad}
    return [one for one in sides.bound() if one.pair.ours[0] in trained]


def _first_apart(sides: Sides, before: list[torch.Tensor]) -> str:
    """Return the name of the first weight that differs after one step of both optimizers, or "".

    Moves that are small compared with the largest move are rounding.
    """
    bound = _trained(sides)
    moves = [_largest(one.value() - old) for one, old in zip(bound, before, strict=True)]
    for one, old in zip(bound, before, strict=True):
        slack = _ROUNDING.get(old.dtype, 1e-2) * max(moves)
        if not _close(one.value(), one.read(), slack):
            return one.pair.name
    return ""


def _close(a: torch.Tensor, b: torch.Tensor, slack: float = 0.0) -> bool:
    if a.shape != b.shape:
        return False
    limit = _ROUNDING.get(a.dtype, 1e-2) * _largest(a) + slack
    return bool(((a.double() - b.double()).abs() <= limit).all())


def _largest(value: torch.Tensor) -> float:
    return float(value.detach().abs().max()) if value.numel() else 0.0
