"""Some steps of both optimizers from the same start, held against each other."""

from __future__ import annotations

import copy
from contextlib import ExitStack
from typing import Any

import torch

from workbench.compare.carry.running_statistics import Statistics
from workbench.streams.draws import Stream
from workbench.streams.torch_recorder import FreshWeights, Recorder
from workbench.verify.checks.judging import ROUNDING, figures
from workbench.verify.locating.locate import settings_that_differ
from workbench.verify.pairing.candidates import tensors_of
from workbench.verify.result import Check, Outcome, Where
from workbench.verify.sides.loading import eval_mode
from workbench.verify.sides.places import Births
from workbench.verify.sides.sides import Sides
from workbench.verify.sides.task import SEED, loss_of, optimizer_of, takes_model
from workbench.verify.sides.values import each


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
