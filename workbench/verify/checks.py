"""The checks of a verification, each with its own outcome."""

from __future__ import annotations

import copy
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import torch

from workbench.compare.carry.running_statistics import Statistics
from workbench.streams.draws import Stream
from workbench.streams.torch_recorder import FreshWeights, Recorder
from workbench.targets.port import Held
from workbench.verify.judging import ROUNDING, figures
from workbench.verify.loading import eval_mode
from workbench.verify.locating import locate, settings_that_differ
from workbench.verify.pairing import Pairing, tensors_of
from workbench.verify.places import Births
from workbench.verify.result import Check, Figure, Outcome, Where
from workbench.verify.sides import Pass, Sides
from workbench.verify.task import SEED, loss_of, optimizer_of, takes_model
from workbench.verify.values import each


def construction(sides: Sides, pairing: Pairing, births: Births) -> Check:
    """Whether both sides have the same tensors, and train the same of them."""
    check = Check("construction")
    trained = {name for name, p in sides.ours.named_parameters() if p.requires_grad}
    parameters = {name for name, _ in sides.ours.named_parameters()}
    for name in pairing.ours_left:
        if name in parameters:
            check.figures.append(Figure(name, False, reason="the port has no such parameter"))
            check.places.append(_made(sides, births, name, "is missing"))
    for name, held in _left(sides, pairing).items():
        if sides.bridge.requires_grad(held.tensors[0]):
            check.figures.append(Figure(name, False, reason="the original has no such parameter"))
            place = str(births.of(sides.ports.owner(sides.theirs, name)) or "")
            check.places.append(Where(place, "", f"{name} is the port's alone"))
    for bound in sides.bound():
        asks = any(sides.bridge.requires_grad(t) for held in bound.held for t in held.tensors)
        if bound.pair.ours[0] in parameters and asks != (bound.pair.ours[0] in trained):
            side = "the port" if asks else "the original"
            reason = f"is trained in {side} alone"
            check.figures.append(Figure(bound.pair.name, False, reason=reason))
            owner = sides.ports.owner(sides.theirs, bound.pair.theirs[0])
            place = str(births.of(owner) or births.of(sides.theirs) or "")
            check.places.append(Where(place, "", f"{bound.pair.name} {reason}"))
    check.summary = f"{len(sides.pairs)} tensors paired"
    return check.settle()


def _made(sides: Sides, births: Births, name: str, what: str) -> Where:
    owner = sides.ours.get_submodule(name.rpartition(".")[0])
    place = str(births.of(sides.theirs) or "")
    return Where(place, str(births.of(owner) or ""), f"{name} {what}")


def _left(sides: Sides, pairing: Pairing) -> dict[str, Held]:
    held = sides.ports.held(sides.theirs)
    return {name: held[name] for name in pairing.theirs_left}


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


def training(sides: Sides, births: Births) -> Check:
    """Some steps of both optimizers from the same start: losses, weights, buffers."""
    check = Check(f"{sides.task.steps} steps of training")
    moved, _, _ = _train(sides, 0, sides.nudged_copy(ROUNDING), nudge=True)
    statistics = Statistics()
    mine = copy.deepcopy(sides.ours)
    with statistics.following():
        ours, streams, first = _train(sides, 0, mine)
    theirs, _, second = _train(sides, 1, sides.theirs, streams=streams)
    _without_factor(sides, mine, ours, theirs, statistics)
    check.figures = figures(ours, theirs, [moved])
    sides.carry()
    if check.settle().outcome is Outcome.DIFFERS:
        made = list(settings_that_differ(sides, births, None))
        trained = {name for name, _ in sides.ours.named_parameters()}
        stepped = _optimizers(sides, births, first, second)
        of_weights = any(f.name in trained for f in check.differing)
        check.places = stepped + made if of_weights or not made else made + stepped
    return check


def _train(
    sides: Sides,
    side: int,
    model: Any,
    *,
    nudge: bool = False,
    streams: list[Any] | None = None,
) -> tuple[dict[str, torch.Tensor | None], list[Any], Any]:
    """Rates, losses and final weights of one side, the draws of each step, and the optimizer."""
    assert sides.task.optimizers is not None and sides.task.losses is not None
    optimizer, schedule = optimizer_of(sides.task.optimizers[side], model)
    eval_mode(model, training=True)
    if side == 0:
        optimizer.zero_grad()
    else:
        sides.ports.clear_gradients(model)
    found: dict[str, torch.Tensor | None] = {}
    noted = []
    for step in range(sides.task.steps):
        rate = _rate(sides, side, optimizer)
        if rate is not None:
            found[f"learning rate of step {step + 1}"] = rate
        args, kwargs, targets = sides.inputs(step)
        stream = Stream() if streams is None else streams[step]
        torch.manual_seed(SEED + step)
        with ExitStack() as stack:
            if side == 0:
                stack.enter_context(Recorder(stream, FreshWeights()).recording())
            else:
                stack.enter_context(sides.bridge.replay(stream))
                args, kwargs, targets = (
                    each(one, lambda t: sides.ports.tensor(t, gradient=False))
                    for one in (args, kwargs, targets)
                )
            function = sides.task.losses[side]
            value = None if takes_model(function) else model(*args, **kwargs)
            loss = loss_of(function, model, value, (*args, *targets), sides.task.targets)
            loss.backward()
        if side == 0:
            optimizer.step()
            optimizer.zero_grad()
            if schedule is not None:
                schedule.step()
            found[f"loss of step {step + 1}"] = loss.detach().clone()
        else:
            sides.ports.step(optimizer)
            sides.ports.step_schedule(optimizer)
            found[f"loss of step {step + 1}"] = sides.bridge.to_torch(loss).clone()
        noted.append(stream)
    if side == 0:
        live = tensors_of(model)
        for pair in sides.pairs:
            parts = [live[name].detach() for name in pair.ours]
            found[pair.name] = parts[0] if len(parts) == 1 else torch.cat(parts)
    else:
        found |= {bound.pair.name: bound.read() for bound in sides.bound()}
    return found, noted, optimizer


def _rate(sides: Sides, side: int, optimizer: Any) -> torch.Tensor | None:
    """The learning rate of the next step; None where torch's differs from weight to weight."""
    if side == 1:
        return torch.tensor(sides.ports.optimizer_settings(optimizer)["lr"])
    rates = {float(group["lr"]) for group in optimizer.param_groups}
    return torch.tensor(rates.pop()) if len(rates) == 1 else None


def _without_factor(
    sides: Sides, model: Any, ours: Any, theirs: Any, statistics: Statistics
) -> None:
    """Hold a running variance against torch's without its factor, where the port keeps it so."""
    live = tensors_of(model)
    for pair in sides.pairs:
        name = pair.ours[0]
        if name.endswith("running_var") and sides.ports.uncorrected(sides.theirs, pair.theirs[0]):
            ours[pair.name] = statistics.uncorrected(live[name])


def _optimizers(sides: Sides, births: Births, ours: Any, theirs: Any) -> list[Where]:
    group = ours.param_groups[0]
    found = []
    for name, value in sides.ports.optimizer_settings(theirs).items():
        wanted = ours.defaults.get(name)
        if name == "lr":
            wanted = group["lr"]
        if wanted is None or isinstance(wanted, torch.Tensor):
            continue
        pairs = zip(_flat(wanted), _flat(value), strict=False)
        if any(abs(a - b) > 1e-6 * max(abs(a), abs(b)) for a, b in pairs):
            cause = f"{name} is {value} in the port and {wanted} in the original"
            place = str(births.of(theirs) or "")
            found.append(Where(place, str(births.of(ours) or ""), "the optimizer", cause))
    if not found:
        place = str(births.of(theirs) or "")
        what = f"{type(theirs).__name__} steps otherwise than {type(ours).__name__}"
        found.append(Where(place, str(births.of(ours) or ""), what))
    return found


def _flat(value: Any) -> list[float]:
    return [float(v) for v in value] if isinstance(value, list | tuple) else [float(value)]


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
