"""Comparison of several training steps of both optimizers from the same start."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import torch

from workbench.compare.result import Curve
from workbench.streams.draws import Stream
from workbench.streams.torch_recorder import FreshWeights, Recorder
from workbench.verify.checks.bisecting import first_divergence
from workbench.verify.checks.judging import ROUNDING, Values, figures
from workbench.verify.checks.optimizers import differing_settings, places_of_optimizers
from workbench.verify.checks.running_statistics import with_rounded_momentum, without_factor
from workbench.verify.checks.uncorrected_variances import Statistics
from workbench.verify.locating.locate import settings_that_differ
from workbench.verify.result import Check, Figure, Outcome
from workbench.verify.sides.loading import eval_mode, mode_of_call
from workbench.verify.sides.places import Births
from workbench.verify.sides.seeds import seed_all
from workbench.verify.sides.shelf import OnDemand, Shelf
from workbench.verify.sides.sides import Sides
from workbench.verify.sides.task import loss_of, optimizer_of, takes_model
from workbench.verify.sides.values import each

# The optimizer state of a weight, by torch's names.
_MOMENTS = ("exp_avg", "exp_avg_sq", "momentum_buffer")
# Kernels keep 1 - 0.999 in single precision, which causes this relative error.
_KEPT = 2.0**-25 / (1 - 0.999)
# Settings that show in the steps themselves, and that either side may set per group of weights.
_SEEN = frozenset({"lr", "weight_decay"})
# This many trainings of the original from perturbed starts measure its own drift.
_DISTURBED = 3

Tensors = dict[str, torch.Tensor | None]


@dataclass
class _Run:
    """Results of training one side.

    Attributes:
        rates: the learning rate of each step; None if the groups differ or it cannot be read.
        losses: the loss of each step.
        weights: the weights and buffers after the last step, by the original's names.
        moments: the optimizer state after each step; for a large model only after the last.
        streams: the original's random draws in each step.
        optimizer: the optimizer.
    """

    rates: list[torch.Tensor | None] = field(default_factory=list)
    losses: list[torch.Tensor] = field(default_factory=list)
    weights: Shelf = field(default_factory=Shelf)
    moments: list[Shelf] = field(default_factory=list)
    streams: list[Stream] = field(default_factory=list)
    optimizer: Any = None

    def step(self, number: int) -> Tensors:
        """Return the learning rate and the loss of a step, counted from 1."""
        rate = self.rates[number - 1]
        rates: Tensors = {} if rate is None else {f"learning rate of step {number}": rate}
        return {**rates, f"loss of step {number}": self.losses[number - 1]}


def training(sides: Sides, births: Births) -> Check:
    """Compare the losses, weights, buffers and moments of several steps from the same start."""
    check = Check(f"{sides.task.steps} steps of training")
    moved = []
    for seed in range(1, _DISTURBED + 1):
        with sides.nudged(ROUNDING, seed):
            moved.append(_train(sides, 0))
    statistics = Statistics()
    with sides.restored():
        with statistics.following():
            ours = _train(sides, 0)
        without_factor(sides, ours.weights, statistics)
    theirs = _train(sides, 1, streams=ours.streams)
    drift = _drift(ours.losses, [run.losses for run in moved])
    check.curves = [_curve(ours.losses, theirs.losses, drift)]
    away: Tensors = {
        f"loss of step {step}": loss + own
        for step, (loss, own) in enumerate(zip(ours.losses, drift, strict=True), 1)
    }
    check.figures = _of_steps(ours, theirs, moved, away)
    held: list[Values] = [run.weights for run in moved]
    check.figures += figures(
        ours.weights, theirs.weights, [*held, with_rounded_momentum(sides, ours.weights)]
    )
    check.figures += _of_moments(-1, ours, theirs, moved)
    for name, reason in differing_settings(sides.ports, ours.optimizer, theirs.optimizer).items():
        if name not in _SEEN:
            check.figures.append(Figure(f"{name} of the optimizer", False, reason=reason))
    sides.carry()
    if check.settle().outcome is Outcome.DIFFERS:
        made = [where for _, where in settings_that_differ(sides, births, None)]
        trained = {name for name, _ in sides.ours.named_parameters()}
        stepped = places_of_optimizers(sides.ports, births, ours.optimizer, theirs.optimizer)
        of_weights = any(f.name in trained for f in check.differing)
        check.places = stepped + made if of_weights or not made else made + stepped
        if not differing_settings(sides.ports, ours.optimizer, theirs.optimizer):
            divergence_places = first_divergence(sides, births, _first_differing_step(check, sides))
            # The optimizer is not at fault if its inputs already differ.
            check.places = made + divergence_places if divergence_places else check.places
            sides.carry()
    else:
        apart, own = (max(values, default=0.0) for values in (_apart(check.curves[0]), drift))
        check.summary = f"losses differ by at most {apart:.1g}; torch's own drift is {own:.1g}"
    return check


def _first_differing_step(check: Check, sides: Sides) -> int:
    """Return the first step whose loss differs, or the last step if none does."""
    off = (f.name.removeprefix("loss of step ") for f in check.differing)
    return min((int(step) for step in off if step.isdecimal()), default=sides.task.steps)


def _of_steps(ours: _Run, theirs: _Run, moved: list[_Run], away: Tensors) -> list[Figure]:
    """Compare the rates and losses of all steps, and the moments of the first step where any
    differ.
    """
    found: list[Figure] = []
    has_diverged = False
    for number in range(1, len(ours.losses) + 1):
        other = theirs.step(number)
        both = {name: value for name, value in ours.step(number).items() if name in other}
        found += figures(both, other, [away])
        if not has_diverged and number < len(ours.moments):
            moments = _of_moments(number - 1, ours, theirs, moved)
            off = [figure for figure in moments if not figure.same]
            found += [replace(figure, name=f"{figure.name} after step {number}") for figure in off]
            has_diverged = bool(off)
    return found


def _of_moments(index: int, ours: _Run, theirs: _Run, moved: list[_Run]) -> list[Figure]:
    """Compare the moments after a step; all of one kind share the largest drift of that kind.

    Single moments may vanish as training ends.
    """
    found: list[Figure] = []
    mine, other = ours.moments[index], theirs.moments[index]
    runs = [run.moments[index] for run in moved]
    for kind in _MOMENTS:
        both = [n for n in mine if n.startswith(f"{kind} of ") and n in other]
        furthest = max((_gap(mine[name], run[name]) for name in both for run in runs), default=0.0)

        def away(name: str, furthest: float = furthest) -> torch.Tensor | None:
            value = mine[name]
            if value is None or not value.numel():
                return value
            return value + max(furthest, _KEPT * float(value.abs().max()))

        held = OnDemand({name: partial(mine.__getitem__, name) for name in both})
        found += figures(held, other, [OnDemand({name: partial(away, name) for name in both})])
    return found


def _gap(value: torch.Tensor | None, other: torch.Tensor | None) -> float:
    if value is None or other is None or not value.numel():
        return 0.0
    return float((value - other).abs().max())


def _drift(losses: list[torch.Tensor], moved: list[list[torch.Tensor]]) -> list[float]:
    """Return, for each step, how far torch's own perturbed losses have diverged so far."""
    found, furthest = [], 0.0
    for step, loss in enumerate(losses):
        gaps = (float((loss - run[step]).detach().double().abs().max()) for run in moved)
        furthest = max(furthest, *gaps)
        found.append(furthest)
    return found


def _curve(ours: list[torch.Tensor], theirs: list[torch.Tensor], drift: list[float]) -> Curve:
    first, second = (tuple(float(loss.double().mean()) for loss in side) for side in (ours, theirs))
    return Curve("loss", first, second, tuple(drift))


def _apart(curve: Curve) -> list[float]:
    return [abs(a - b) for a, b in zip(curve.torch, curve.target, strict=True)]


def _turns(sides: Sides, optimizer: Any) -> Any:
    """Return how often the port's learning-rate schedule has stepped, or None without one."""
    return getattr(sides.ports.schedule(optimizer), "last_epoch", None)


def _train(sides: Sides, side: int, streams: list[Stream] | None = None) -> _Run:
    """Train one side in place; the port replays the original's random draws."""
    model = sides.theirs if side else sides.ours
    assert sides.task.optimizers is not None and sides.task.losses is not None
    optimizer, schedule = optimizer_of(sides.task.optimizers[side], model)
    eval_mode(model, training=True)
    if side == 0:
        optimizer.zero_grad()
    else:
        sides.ports.clear_gradients(model)
    run = _Run(optimizer=optimizer)
    for step in range(sides.task.steps):
        run.rates.append(_rate(sides, side, optimizer))
        run.streams.append(Stream() if streams is None else streams[step])
        run.losses.append(_backward(sides, side, model, step, run.streams[-1]))
        if side == 0:
            optimizer.step()
            optimizer.zero_grad()
            if schedule is not None:
                schedule.step()
        else:
            before = _turns(sides, optimizer)
            sides.ports.step(optimizer)
            # The optimizer's own `step` may step the schedule.
            if _turns(sides, optimizer) == before:
                sides.ports.step_schedule(optimizer)
        if not sides.large or step + 1 == sides.task.steps:
            run.moments.append(_moments(sides, side, optimizer))
    for bound in sides.bound():
        run.weights[bound.pair.name] = bound.read() if side else bound.value()
    if side == 0:
        optimizer.state.clear()
    return run


def _moments(sides: Sides, side: int, optimizer: Any) -> Shelf:
    """Return the optimizer state of the weights, keyed by kind and by the original's names."""
    found = Shelf()
    for bound in sides.bound():
        for kind in _MOMENTS:
            read = bound.read_moment if side else bound.moment
            if (moment := read(optimizer, kind)) is not None:
                found[f"{kind} of {bound.pair.name}"] = moment
    return found


def _backward(sides: Sides, side: int, model: Any, step: int, stream: Stream) -> torch.Tensor:
    """Run one forward and backward pass and return the loss; the port replays the draws."""
    assert sides.task.losses is not None
    function = sides.task.losses[side]
    args, kwargs, targets = sides.inputs(step)
    if side == 1:
        args, kwargs, targets = (each(one, sides.given) for one in (args, kwargs, targets))

    def loss_with(model: Any) -> Any:
        if takes_model(function):
            value = None
        else:
            mode = mode_of_call(model, training=True) if side else {}
            value = model(*args, **{**mode, **kwargs})
        return loss_of(function, model, value, (*args, *targets), sides.task.targets)

    seed_all(step)
    if side == 0:
        with Recorder(stream, FreshWeights()).recording():
            loss = loss_with(model)
        loss.backward()
        value: torch.Tensor = loss.detach()
    else:
        stream.mirrored = sides.mirrored
        with sides.ports.replay(stream):
            loss, _ = sides.ports.backward(model, [], lambda model, _: (loss_with(model),) * 2)
        value = sides.ports.to_torch(loss)
    return value.clone()


def _rate(sides: Sides, side: int, optimizer: Any) -> torch.Tensor | None:
    """Return the learning rate of the next step, or None if torch's groups differ."""
    if side == 1:
        rate = sides.ports.optimizer_settings(optimizer).get("lr")
        return None if rate is None else torch.tensor(rate)
    rates = {float(group["lr"]) for group in optimizer.param_groups}
    return torch.tensor(rates.pop()) if len(rates) == 1 else None
