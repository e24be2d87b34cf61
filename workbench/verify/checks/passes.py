"""Comparison of single passes of both sides: outputs, loss, gradients and saved state."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import torch

from workbench.verify.checks.judging import ROUNDING, figures
from workbench.verify.checks.running_statistics import (
    buffers,
    with_rounded_momentum,
    without_factor,
)
from workbench.verify.checks.uncorrected_variances import Statistics
from workbench.verify.locating.gradients import locate_gradients
from workbench.verify.locating.locate import locate, settings_that_differ
from workbench.verify.locating.uses import line_of_registering, line_of_use
from workbench.verify.pairing.bound import Bound
from workbench.verify.result import Check, Figure, Outcome, Where
from workbench.verify.sides.places import Births
from workbench.verify.sides.shelf import OnDemand, Shelf
from workbench.verify.sides.sides import Pass, Sides
from workbench.verify.sides.task import takes_model


def forward(sides: Sides, births: Births, *, training: bool) -> Check:
    """Compare outputs and loss of both sides for the same weights, inputs and random draws."""
    check = Check("forward in training" if training else "forward in evaluation")
    figures_of = partial(forward_figures, training=training)
    check.figures = _either_way(sides, figures_of) if training else figures_of(sides)
    if check.settle().outcome is Outcome.DIFFERS:
        kept = {bound.pair.name for bound in buffers(sides)}

        def find() -> list[Where]:
            found = figures_of(sides)
            return locate(
                sides,
                births,
                training=training,
                agrees=lambda: all(figure.same for figure in figures_of(sides)),
                buffers_alone=all(figure.same or figure.name in kept for figure in found),
            )

        if not sides.large:  # small weights hide the operations before them
            with sides.unlike(sides.alike(), none_small=True):
                sides.carry()
                check.places = find()
            sides.carry()
        check.places = check.places or find()
    return check


def _either_way(sides: Sides, run: Callable[[Sides], list[Figure]]) -> list[Figure]:
    """Return the figures in training under the reading of uniform draws for which the sides agree.

    Dropout may keep the small draws or the large ones; both readings are right for any model.
    """
    found = run(sides)
    if not sides.reads_uniform or all(figure.same for figure in found):
        return found
    sides.mirrored = not sides.mirrored
    other = run(sides)
    if _total_difference(other) < _total_difference(found):
        return other
    sides.mirrored = not sides.mirrored
    return found


def _total_difference(figures: list[Figure]) -> float:
    off = (figure for figure in figures if not figure.same)
    return sum(math.inf if one.difference is None else one.difference for one in off)


def forward_figures(sides: Sides, *, training: bool) -> list[Figure]:
    """Return the figures of one forward pass, and restore the buffers."""
    held = buffers(sides) if training else []
    statistics = Statistics()
    with sides.restored(parameters=False):
        with statistics.following():
            ours = sides.torch_pass(training=training)
        left = Shelf((one.pair.name, one.value()) for one in held)
        if held:
            without_factor(sides, left, statistics)
    assert ours.stream is not None
    with sides.nudged(ROUNDING):
        moved = sides.torch_pass(training=training, nudge=ROUNDING)
        near = Shelf((one.pair.name, one.value()) for one in held)
    theirs = sides.port_pass(ours.stream, training=training)
    found = _outputs(ours, theirs, moved)
    if ours.stream.problem:
        found.append(Figure("random draws", False, reason=ours.stream.problem))
    if held:
        other = Shelf((one.pair.name, one.read()) for one in held)
        found += figures(left, other, [near, with_rounded_momentum(sides, left)])
    sides.carry()
    return found


def _outputs(ours: Pass, theirs: Pass, moved: Pass) -> list[Figure]:
    """Compare outputs by position, as the sides may name them differently."""
    found = []
    if len(ours.outputs) != len(theirs.outputs):
        counts = f"{len(ours.outputs)} tensors in torch, {len(theirs.outputs)} in the port"
        return [Figure("outputs", False, reason=counts)]
    same = dict(zip(ours.outputs, theirs.outputs.values(), strict=True))
    found += figures(ours.outputs, same, [moved.outputs], "output")
    if ours.loss is not None:
        losses = {"loss": ours.loss}, {"loss": theirs.loss}, [{"loss": moved.loss}]
        found += figures(*losses)
    return found


def gradients(sides: Sides, births: Births) -> Check:
    """Compare the gradients of every weight and of the inputs."""
    try:
        return _gradients(sides, births)
    except RuntimeError as error:
        if "leaf variables" not in str(error) or not sides.inputs_learn:
            raise
    # The original sets requires_grad on a value computed from its inputs, which must then not
    # require a gradient themselves.
    sides.inputs_learn = False
    return _gradients(sides, births)


def _gradients(sides: Sides, births: Births) -> Check:
    check = Check("gradients")
    check.figures = _either_way(sides, _gradient_figures)
    if check.settle().outcome is Outcome.DIFFERS:
        check.places = _hidden_in_outputs(sides, births)
        # A different epsilon may be too small to show in the results.
        check.places += [where for _, where in settings_that_differ(sides, births, None)]
        check.places += [] if sides.large else locate_gradients(sides, births)
        for bound in reversed(sides.bound()):
            name = f"gradient of {bound.pair.name}"
            if any(f.name == name for f in check.differing):
                place = _made_or_used(sides, births, bound)
                check.places.append(Where(place, "", f"{name} differs"))
                break
    return check


def _gradient_figures(sides: Sides) -> list[Figure]:
    """Return the figures of one backward pass, and restore the buffers."""
    weights = sides.bound()
    trained = {n for n, _ in sides.ours.named_parameters()} if sides.has_weights else set()
    with sides.nudged(ROUNDING), sides.gradients() as away:
        moved = sides.torch_pass(training=True, backward=True, nudge=ROUNDING)
    with sides.restored(parameters=False), sides.gradients() as mine:
        ours = sides.torch_pass(training=True, backward=True)
    with sides.original_on_disk():
        theirs = sides.port_pass(ours.stream, training=True, backward=True)
        other = Shelf((one.pair.name, one.read_gradient()) for one in weights)
        if sides.has_weights:
            sides.ports.clear_gradients(sides.theirs)
    sides.carry()
    # A loss that takes a whole batch may read data, such as rewards, which gets no gradient.
    whole = sides.task.losses is not None and takes_model(sides.task.losses[0])
    both = [
        OnDemand({b.pair.name: partial(b.of, found) for b in weights if b.pair.ours[0] in trained})
        for found in (mine, away)
    ]
    found = figures(both[0], other, both[1:], "gradient of ")
    wanted = {name: grad for name, grad in ours.inputs.items() if not (whole and grad is None)}
    return found + figures(wanted, theirs.inputs, [moved.inputs], "gradient of ")


def _hidden_in_outputs(sides: Sides, births: Births) -> list[Where]:
    """Return where the forward pass diverges once no weight is all zeros or ones.

    A head of zeros or a scale of 1e-6 hides what comes before it from the outputs.
    """
    with sides.unlike(sides.alike()):
        sides.carry()
        found = forward(sides, births, training=True)
    sides.carry()
    return found.places


def _made_or_used(sides: Sides, births: Births, bound: Bound) -> str:
    """Return the line that created the framework's layer of a weight, or the first use of a raw
    weight.
    """
    name = bound.pair.theirs[0]
    made = births.of(sides.ports.owner(sides.theirs, name))
    if made is None or sides.ports.raw(sides.theirs, name):
        return line_of_use(sides, bound)
    return str(made)


def state(sides: Sides) -> Check:
    """Check that the port's saved state restores as much as the original's state dict does.

    Tables that are constant and that no training pass changes are recreated with the model.
    """
    check = Check("saved state loaded again")
    saves = set(sides.ours.state_dict())
    recreated = sides.constants - _changed(sides) if sides.constants else set()
    weights = [
        one
        for one in sides.bound()
        if saves.issuperset(one.pair.ours) and not recreated.issuperset(one.pair.ours)
    ]
    with sides.original_on_disk():
        before = sides.port_pass(None, training=False)
        saved = sides.ports.state(sides.theirs)
        for bound in weights:
            for held in bound.held:
                held.write(torch.zeros_like(held.read()))
        sides.ports.load_state(sides.theirs, saved)
        del saved
        lost = [one for one in weights if not any(held.read().any() for held in one.held)]
        after = sides.port_pass(None, training=False)
    check.figures = figures(before.outputs, after.outputs, [], "output")
    sides.carry()
    if check.settle().outcome is Outcome.DIFFERS:
        for bound in lost:
            if bound.value().any():
                name = bound.pair.theirs[0]
                owner = sides.ports.owner(sides.theirs, name)
                line = line_of_registering(owner, name.rpartition(".")[2])
                cause = f"{name} is not in the port's saved state"
                check.places.append(Where(line or line_of_use(sides, bound), cause=cause))
    return check


def _changed(sides: Sides) -> set[str]:
    """Return the names of the original's buffers that a training pass changes."""
    with sides.restored(parameters=False):
        before = {name: buffer.clone() for name, buffer in sides.ours.named_buffers()}
        sides.torch_pass(training=True)
        return {n for n, b in sides.ours.named_buffers() if not b.equal(before[n])}
