"""Two training scripts held against each other, each run as it stands."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import torch

from workbench.compare.result import Curve
from workbench.errors import TorchferryError
from workbench.files import is_file
from workbench.targets.port import Ports, load_ports
from workbench.verify.checks.optimizers import places_of_optimizers
from workbench.verify.locating.locate import (
    made_otherwise,
    ordered,
    places_of,
    settings_that_differ,
)
from workbench.verify.locating.matching import part
from workbench.verify.paired import paired
from workbench.verify.pairing.bound import Bound, Pair
from workbench.verify.pairing.candidates import tensors_of
from workbench.verify.pairing.maps import read_map
from workbench.verify.result import Check, Outcome, Verification, Where
from workbench.verify.scripts.following import Following, Step
from workbench.verify.scripts.parting import START, Parted, first_parted
from workbench.verify.scripts.sides import Moved, Original, Port
from workbench.verify.sides.places import Births
from workbench.verify.sides.sides import Sides
from workbench.verify.sides.task import Asked, Task

Report = Callable[[str], None]
# A script that changes its gradients by less does not clip them.
_CHANGED = 1e-4
_MODES = {True: "training mode", False: "evaluation mode"}


def verify_scripts(
    original: Path, port: Path, asked: Asked, target: str, report: Report
) -> Verification:
    """Hold the training that one script makes against that of another.

    The port's models get the original's fresh weights, and before each further step the weights
    that the original had then; both draw the same random numbers. Models are paired in the order
    in which they are first called.

    Raises:
        TorchferryError: a script fails, or makes no step of an optimizer, or the port trains more
            models.
    """
    for file in (original, port):
        if not is_file(file):
            raise TorchferryError(f"{file}: no such file; name two scripts, or FILE:NAME twice")
    return _Scripts(original, port, asked, target, report).verify()


class _Scripts:
    def __init__(
        self, original: Path, port: Path, asked: Asked, target: str, report: Report
    ) -> None:
        self.files = original, port
        self.asked, self.report = asked, report
        self.ports: Ports = load_ports(target)
        self.births = Births()
        self.pairs: dict[int, list[Pair]] = {}

    def verify(self) -> Verification:
        steps = self.asked.steps
        self.report(f"running {self.files[0]}")
        reader = Original()
        first = self._follow(0, reader, steps)
        ours = first.steps
        self.report(f"running {self.files[0]} from weights moved by a rounding")
        moved = Following(self.files[0], Moved(ours), len(ours)).run()
        self.report(f"running {self.files[1]}")
        other = Port(reader, ours, self._pair(reader), self.ports)
        second = self._follow(1, other, len(ours))
        theirs = second.steps
        bound = [(n, one) for n, sides, one in other.bound() if not self._uncorrected(sides, one)]
        parted = first_parted(ours, moved, theirs, bound)
        check = Check(f"{len(ours)} steps of both scripts", curves=_curves(ours, moved, theirs))
        if parted is not None:
            check.figures = parted.figures
            check.settle()
            check.summary = f"step {parted.step + 1}, {parted.what}: {check.summary}"
            if parted.what == "batch" and other.problem:
                check.summary += f" ({other.problem})"
            check.places = self._places(parted, first, second, reader, other)
        elif len(theirs) < len(ours):
            check.outcome = Outcome.DIFFERS
            check.summary = f"the port ends after {len(theirs)} steps"
            line = theirs[-1].lines["step"]
            check.places = [Where(str(line or self.files[1]), "", check.summary)]
        else:
            check.summary = "each step agrees, from the original's weights"
        pairs = [(reader.names[i], pair) for i, each in self.pairs.items() for pair in each]
        found = Verification([check], [f"{name}{pair}" for name, pair in pairs])
        found.doubts = [f"{name}{pair}" for name, pair in pairs if pair.how == "parts"]
        return found

    def _follow(self, side: int, reader: Any, steps: int, traced: str = "") -> Following:
        following = Following(self.files[side], reader, steps, traced)
        with self.births.noting(
            torch.nn.Module,
            torch.optim.Optimizer,
            self.ports.module_kind,
            self.ports.optimizer_kind,
        ):
            following.run()
        return following

    def _pair(self, reader: Original) -> Callable[[int, Any], Sides]:
        def pair(number: int, model: Any) -> Sides:
            args, kwargs = reader.examples[number]
            task = Task(args, kwargs, steps=self.asked.steps)
            sides = Sides(reader.models[number], model, task, self.ports)
            if number not in self.pairs:
                tried = Sides(_copied(sides.ours), _copied(model), task, self.ports)
                self.pairs[number] = paired(tried, self._maps(reader, number)).pairs
            sides.pairs = self.pairs[number]
            return sides

        return pair

    def _maps(self, reader: Original, number: int) -> tuple[Pair, ...]:
        """The pairs that were asked for, of this model's tensors where there are several."""
        maps = tuple(map(read_map, self.asked.maps))
        if len(reader.models) == 1:
            return maps
        own = tensors_of(reader.models[number])
        return tuple(pair for pair in maps if all(name in own for name in pair.ours))

    def _uncorrected(self, sides: Sides, bound: Bound) -> bool:
        """Whether this is a running variance that the port keeps without torch's factor."""
        name = bound.pair.theirs[0]
        is_variance = bound.pair.name.endswith("running_var")
        return is_variance and self.ports.uncorrected(sides.theirs, name)

    def _places(
        self,
        parted: Parted,
        first: Following,
        second: Following,
        reader: Original,
        other: Port,
    ) -> list[Where]:
        ours, theirs = first.steps[parted.step], second.steps[parted.step]
        number = f"step {parted.step + 1}"
        called = str(theirs.lines["call"] or ""), str(ours.lines["call"] or "")
        if other_mode := _other_mode(ours, theirs):
            found = [other_mode]
        elif parted.what == "gradients":
            found = [self._of_gradients(parted, first, second, other)]
        elif parted.what == "rate":
            found = [self._of_rate(ours, theirs)]
        elif parted.what == "weights" and self._steps(ours, parted, reader):
            found = self._of_optimizers(ours, theirs)
        else:
            found = self._of_operations(parted, reader)
            if parted.what == "weights":
                _, sides, bound = _first_of({one.name for one in parted.figures}, other)
                found.append(self._made(sides, bound, "is changed otherwise, not by the optimizer"))
            if parted.what == "loss":
                losses = zip(first.losses, second.losses, strict=False)
                found = [*made_otherwise(losses, self.births, self.ports), *found]
            if parted.what == START:
                what = "what changes the weights before the step differs"
                found = [where for where in found if where.port]
                found.append(_behind_the_step_before(parted, first, second, what))
            if parted.what == "batch":
                found.append(Where(*called, "the model gets another batch"))
        for where in found:
            where.what = f"{number}: {where.what}"
            where.cause = where.cause and f"{number}: {where.cause}"
        return found

    def _of_operations(self, parted: Parted, reader: Original) -> list[Where]:
        """The first operation of a step that differs: both scripts run again up to it."""
        if parted.what == "batch" and not parted.step:
            return []  # it may come from anywhere before
        steps = parted.step + 1
        self.report(f"running both to step {steps} again, operation by operation")
        traced = "batch" if parted.what == START else parted.what
        again = Original()
        made = self._follow(0, again, steps, traced).steps
        port = Port(again, made, self._pair(again), self.ports)
        self._follow(1, port, steps, traced)
        parting = part(again.traced, port.traced)
        found = places_of(parting, again.traced, port.traced, self.births, self.ports)
        set_otherwise = [
            where
            for sides in port.sides
            for where in settings_that_differ(sides, self.births, None)
        ]
        return ordered(parting, found, set_otherwise, self.births)

    def _of_optimizers(self, ours: Step, theirs: Step) -> list[Where]:
        mine, other = ours.optimizer, theirs.optimizer
        places = places_of_optimizers(self.ports, self.births, mine, other)
        clips = abs(ours.changed - 1) > _CHANGED
        if clips and abs(theirs.changed - 1) <= _CHANGED and not self.ports.clips(other):
            lines = str(theirs.lines["step"] or ""), str(ours.lines["step"] or "")
            cause = "the original changes its gradients before the step, as clipping does"
            where = Where(*lines, "the optimizer gets other gradients", cause)
            return [*places, where] if places[0].cause else [where]
        return places

    def _steps(self, ours: Step, parted: Parted, reader: Original) -> bool:
        """Whether the optimizer steps with any of the tensors that differ."""
        stepped = {id(p) for group in ours.optimizer.param_groups for p in group["params"]}
        differing = {one.name for one in parted.figures}
        return any(
            id(parameter) in stepped and any(name + inner in one for one in differing)
            for name, model in zip(reader.names, reader.models, strict=True)
            for inner, parameter in model.named_parameters()
        )

    def _made(self, sides: Sides, bound: Bound, what: str) -> Where:
        """The part of the port that keeps a tensor, where it was made."""
        owner = self.ports.owner(sides.theirs, bound.pair.theirs[0])
        return Where(str(self.births.of(owner) or ""), "", f"{bound.pair.name} {what}")

    def _of_rate(self, ours: Step, theirs: Step) -> Where:
        """Where the schedule steps, if it does so more often on one side; else who keeps it."""
        cause = f"the learning rate is {theirs.rate:.6g} in the port and {ours.rate:.6g} in the"
        cause += " original"
        if ours.turns == theirs.turns:
            where, *_ = places_of_optimizers(
                self.ports, self.births, ours.optimizer, theirs.optimizer
            )
            where.cause = cause
            return where
        port, original = (
            str(step.lines.get("schedule") or step.lines["step"]) for step in (theirs, ours)
        )
        cause += f": its schedule has stepped {theirs.turns or 0} times, and {ours.turns or 0}"
        return Where(port, original, "the schedule of the rate", cause)

    def _of_gradients(
        self, parted: Parted, first: Following, second: Following, other: Port
    ) -> Where:
        ours, theirs = first.steps[parted.step], second.steps[parted.step]
        names = {figure.name.removeprefix("gradient of ") for figure in parted.figures}
        model, sides, bound = _first_of(names, other)
        name = model + bound.pair.name
        what = f"the losses agree, and the gradient of {name} does not"
        if theirs.cleared and not ours.cleared:
            lines = str(theirs.lines["backward"] or ""), str(ours.lines["backward"] or "")
            return Where(*lines, what, "the port clears its gradients between two backward passes")
        if parted.step and _adds_up(
            bound.of(ours.gradients, model), theirs, second.steps[parted.step - 1], name
        ):
            lines = str(theirs.lines["backward"] or ""), str(ours.lines["backward"] or "")
            return Where(*lines, what, "the port's gradients add up: nothing clears them")
        owner = self.ports.owner(sides.theirs, bound.pair.theirs[0])
        return Where(str(self.births.of(owner) or theirs.lines["backward"] or ""), "", what)


def _copied(model: Any) -> Any:
    """A copy to try, for models that count their calls; itself where it cannot be copied."""
    try:
        return deepcopy(model)
    except Exception:  # a tensor that was computed, as for a norm of weights
        return model


def _first_of(names: set[str], other: Port) -> tuple[str, Sides, Bound]:
    """Of the pairs that names tell, that of the model's last tensor: a backward pass's first."""
    return next(one for one in reversed(other.bound()) if one[0] + one[2].pair.name in names)


def _other_mode(ours: Step, theirs: Step) -> Where | None:
    """The first call of a model that is in another mode than the original's."""
    for (model, mode, line), (twin, other, place) in zip(ours.modes, theirs.modes, strict=False):
        if model == twin and mode != other:
            cause = f"the port's model is in {_MODES[other]}, the original's in {_MODES[mode]}"
            return Where(str(place or ""), str(line or ""), "the model's mode", cause)
    return None


def _behind_the_step_before(
    parted: Parted, first: Following, second: Following, what: str
) -> Where:
    lines = [side.steps[max(0, parted.step - 1)].lines for side in (second, first)]
    key = "step" if parted.step else "call"
    return Where(str(lines[0].get(key) or ""), str(lines[1].get(key) or ""), what)


def _adds_up(wanted: torch.Tensor | None, theirs: Step, before: Step, name: str) -> bool:
    """Whether a gradient is the one that was wanted and that of the step before, or clipped."""
    now, earlier = theirs.gradients.get(name), before.gradients.get(name)
    if wanted is None or now is None or earlier is None:
        return False
    left = now - wanted
    share = (left * earlier).sum() / earlier.square().sum()
    close = torch.allclose(left, share * earlier, rtol=0, atol=1e-3 * float(left.abs().max()))
    return close and 0 < float(share) < 1 + 1e-3


def _curves(ours: list[Step], moved: list[Step], theirs: list[Step]) -> list[Curve]:
    """The losses of both sides, with how far a rounding moves the original's."""
    sides = [_losses(steps) for steps in (ours, moved, theirs)]
    count = min(map(len, sides))
    a, near, b = (tuple(losses[:count]) for losses in sides)
    drift = tuple(abs(x - y) for x, y in zip(a, near, strict=True))
    return [Curve("loss", a, b, drift)]


def _losses(steps: list[Step]) -> list[float]:
    return [sum(float(loss.double().mean()) for loss in step.losses.values()) for step in steps]
