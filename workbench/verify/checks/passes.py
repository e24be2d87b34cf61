"""Single passes of both sides held against each other: outputs, loss, gradients, saved state."""

from __future__ import annotations

from collections.abc import Callable

import torch

from workbench.verify.checks.judging import ROUNDING, figures
from workbench.verify.locating.locate import locate
from workbench.verify.pairing.candidates import tensors_of
from workbench.verify.result import Check, Figure, Outcome, Where
from workbench.verify.sides.places import Births
from workbench.verify.sides.sides import Pass, Sides


def forward(sides: Sides, births: Births, *, training: bool) -> Check:
    """Outputs and loss of both sides from the same weights, inputs and draws."""
    check = Check("forward in training" if training else "forward in evaluation")
    check.figures = forward_figures(sides, training=training)
    if check.settle().outcome is Outcome.DIFFERS:
        check.places = locate(
            sides,
            births,
            training=training,
            agrees=lambda: all(f.same for f in forward_figures(sides, training=training)),
        )
    return check


def forward_figures(sides: Sides, *, training: bool) -> list[Figure]:
    """The figures of one forward pass; the buffers are as before afterwards."""
    ours = _kept(sides, lambda: sides.torch_pass(training=training))
    assert ours.stream is not None
    moved = sides.torch_pass(training=training, model=sides.nudged_copy(ROUNDING), nudge=ROUNDING)
    theirs = sides.port_pass(ours.stream, training=training)
    found = _outputs(ours, theirs, moved)
    if ours.stream.problem:
        found.append(Figure("random draws", False, reason=ours.stream.problem))
    sides.carry()
    return found


def _kept(sides: Sides, run: Callable[[], Pass]) -> Pass:
    """A pass of the original's, whose buffers are as before afterwards."""
    before = {n: t.detach().clone() for n, t in _tensors(sides).items()}
    found = run()
    with torch.no_grad():
        for name, tensor in _tensors(sides).items():
            tensor.copy_(before[name])
    return found


def _tensors(sides: Sides) -> dict[str, torch.Tensor]:
    return tensors_of(sides.ours) if sides.has_weights else {}


def _outputs(ours: Pass, theirs: Pass, moved: Pass) -> list[Figure]:
    """Outputs by name, or by order where the sides name them otherwise."""
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
    """Gradients of every weight and of the inputs."""
    check = Check("gradients")
    nudged = sides.nudged_copy(ROUNDING)
    moved = sides.torch_pass(training=True, backward=True, model=nudged, nudge=ROUNDING)
    ours = _kept(sides, lambda: sides.torch_pass(training=True, backward=True))
    theirs = sides.port_pass(ours.stream, training=True, backward=True)
    sides.carry()
    mine = {b.pair.name: b.gradient() for b in sides.bound()}
    other = {b.pair.name: b.read_gradient() for b in sides.bound()}
    shifted = tensors_of(nudged) if sides.has_weights else {}
    away = {p.name: shifted[p.ours[0]].grad if len(p.ours) == 1 else None for p in sides.pairs}
    trained = [n for n, p in sides.ours.named_parameters()] if sides.has_weights else []
    mine = {n: g for n, g in mine.items() if n.split(" + ")[0] in trained}
    check.figures = figures(mine, other, [away], "gradient of ")
    check.figures += figures(ours.inputs, theirs.inputs, [moved.inputs], "gradient of ")
    if check.settle().outcome is Outcome.DIFFERS:
        for bound in reversed(sides.bound()):
            name = f"gradient of {bound.pair.name}"
            if any(f.name == name for f in check.differing):
                owner = sides.ports.owner(sides.theirs, bound.pair.theirs[0])
                place = str(births.of(owner) or "")
                check.places.append(Where(place, "", f"{name} differs"))
                break
    return check


def state(sides: Sides) -> Check:
    """Whether the port's saved state, loaded again, gives the same outputs."""
    check = Check("saved state loaded again")
    before = sides.port_pass(None, training=False)
    saved = sides.ports.state(sides.theirs)
    for bound in sides.bound():
        for held in bound.held:
            held.write(torch.zeros_like(held.read()))
    sides.ports.load_state(sides.theirs, saved)
    after = sides.port_pass(None, training=False)
    check.figures = figures(before.outputs, after.outputs, [], "output")
    sides.carry()
    return check.settle()
