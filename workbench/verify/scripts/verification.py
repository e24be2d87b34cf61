"""Verification of two training scripts, each run unchanged."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import torch

from workbench.compare.result import Curve
from workbench.errors import TorchferryError
from workbench.files import is_file
from workbench.targets.port import Ports, load_ports
from workbench.verify.checks.construction import assumed
from workbench.verify.checks.optimizers import (
    differing_settings,
    line_of_schedule,
    places_of_optimizers,
)
from workbench.verify.locating.gradients import NotedGradients
from workbench.verify.locating.locate import (
    differing_modules,
    ordered,
    places_of,
    settings_that_differ,
)
from workbench.verify.locating.matching import divergence_of
from workbench.verify.paired import paired
from workbench.verify.pairing.bound import Bound, Pair
from workbench.verify.pairing.candidates import Pairing, tensors_of
from workbench.verify.pairing.maps import read_map
from workbench.verify.result import Check, Outcome, Verification, Where
from workbench.verify.scripts.following import CalledIn, Following, Step, StoppedError
from workbench.verify.scripts.sides import Moved, Original, Port
from workbench.verify.scripts.step_divergence import START, StepDivergence, first_step_divergence
from workbench.verify.sides.literals import line_between
from workbench.verify.sides.places import Births, Place, package_of
from workbench.verify.sides.sides import Sides
from workbench.verify.sides.task import Asked, Task

Report = Callable[[str], None]
# A smaller relative change of the gradients is not clipping.
_CHANGED = 1e-4
_MODES = {True: "training mode", False: "evaluation mode"}


def verify_scripts(
    original: Path, port: Path, asked: Asked, target: str, report: Report
) -> Verification:
    """Compare the training of one script with that of another.

    The port's models start with the original's fresh weights, and every later step starts with the
    weights that the original had then. Both use the same random draws. Models are paired in the
    order of their first calls.

    Raises:
        TorchferryError: the original fails, or the port fails before it calls a model, or a script
            makes no optimizer step, or the port trains more models.
    """
    for file in (original, port):
        if not is_file(file):
            raise TorchferryError(f"{file}: no such file; give two scripts, or FILE:NAME twice")
    return _Scripts(original, port, asked, target, report).verify()


class _Scripts:
    def __init__(
        self, original: Path, port: Path, asked: Asked, target: str, report: Report
    ) -> None:
        self.files = original, port
        self.asked, self.report = asked, report
        self.ports: Ports = load_ports(target)
        self.births = Births()
        self.pairings: dict[int, Pairing] = {}

    def verify(self) -> Verification:
        steps = self.asked.steps
        self.report(f"running {self.files[0]}")
        reader = Original()
        first = self._follow(0, reader, steps)
        ours = first.steps
        self.report(f"running {self.files[0]} from weights that are changed by a rounding")
        moved = Following(self.files[0], Moved(ours), len(ours)).run()
        self.report(f"running {self.files[1]}")
        other = Port(reader, ours, self._pair(reader), self.ports)
        second, stopped = Following(self.files[1], other, len(ours)), None
        try:
            self._run(second)
        except StoppedError as error:
            if not self.pairings:  # it fails before it calls a model
                raise
            stopped = error
        theirs = second.steps
        bound = [(n, one) for n, sides, one in other.bound() if not self._uncorrected(sides, one)]
        bound += [(name, one) for _, _, name, own in other.idle for one in own]
        live = [sides.theirs for sides in other.sides.values()]
        called_later = {name for _, one, name, _ in other.idle if any(one is own for own in live)}
        own = {n for n, pair in enumerate(zip(ours, theirs, strict=False)) if self._own_form(*pair)}
        divergence = first_step_divergence(
            ours, moved, theirs, bound, called_later, own.__contains__
        )
        check = Check(f"{len(ours)} steps of both scripts", curves=_curves(ours, moved, theirs))
        if divergence is not None:
            check.figures = divergence.figures
            check.settle()
            check.summary = f"step {divergence.step + 1}, {divergence.what}: {check.summary}"
            if divergence.what == "batch" and other.problem:
                check.summary += f" ({other.problem})"
            check.places = self._places(divergence, first, second, reader, other)
        elif stopped is not None:
            check.outcome = Outcome.DIFFERS
            check.summary = f"{stopped}, and the original continues"
            check.places = [Where(stopped.at, "", check.summary.partition(": ")[2])]
        elif len(theirs) < len(ours):
            check.outcome = Outcome.DIFFERS
            check.summary = f"the port ends after {len(theirs)} steps"
            line = theirs[-1].lines["step"]
            check.places = [Where(str(line or self.files[1]), "", check.summary)]
        else:
            check.summary = "each step agrees, from the original's weights"
            missed = len(reader.idle) - len(other.idle)
            if missed:
                check.summary += f"; {missed} models that are never called were not compared"
        reports = [assumed(pairing) for pairing in self.pairings.values() if pairing.instead]
        if first.copies:
            reports.append(_not_compared(first.copies))
        both = [(reader.names[i], pairing) for i, pairing in self.pairings.items()]
        pairs = [(name, pair) for name, pairing in both for pair in pairing.pairs]
        found = Verification([*reports, check], [f"{name}{pair}" for name, pair in pairs])
        found.instead = [f"{name}{pair}" for name, pairing in both for pair in pairing.instead]
        found.doubts = [f"{name}{pair}" for name, pair in pairs if pair.how == "parts"]
        return found

    def _follow(self, side: int, reader: Any, steps: int, traced: str = "") -> Following:
        following = Following(self.files[side], reader, steps, traced)
        self._run(following)
        return following

    def _run(self, following: Following) -> None:
        with self.births.noting(
            torch.nn.Module,
            torch.optim.Optimizer,
            self.ports.module_kind,
            self.ports.optimizer_kind,
            *self.ports.schedule_kinds,
        ):
            following.run()

    def _pair(self, reader: Original) -> Callable[[int, Any], Sides]:
        def pair(number: int, model: Any) -> Sides:
            args, kwargs = reader.examples[number]
            task = Task(args, kwargs, steps=self.asked.steps)
            sides = Sides(reader.models[number], model, task, self.ports)
            if number not in self.pairings:
                tried = Sides(_copied(sides.ours), _copied(model), task, self.ports)
                self.pairings[number] = paired(tried, self._maps(reader, number))
            sides.pairs = self.pairings[number].pairs
            return sides

        return pair

    def _maps(self, reader: Original, number: int) -> tuple[Pair, ...]:
        """Return the requested pairs, only this model's if there are several models."""
        maps = tuple(map(read_map, self.asked.maps))
        if len(reader.models) == 1:
            return maps
        own = tensors_of(reader.models[number])
        return tuple(pair for pair in maps if all(name in own for name in pair.ours))

    def _uncorrected(self, sides: Sides, bound: Bound) -> bool:
        """Return whether this is a running variance that the port keeps without Bessel's
        correction.
        """
        name = bound.pair.theirs[0]
        is_variance = bound.pair.name.endswith("running_var")
        return is_variance and self.ports.uncorrected(sides.theirs, name)

    def _places(
        self,
        divergence: StepDivergence,
        first: Following,
        second: Following,
        reader: Original,
        other: Port,
    ) -> list[Where]:
        ours, theirs = first.steps[divergence.step], second.steps[divergence.step]
        number = f"step {divergence.step + 1}"
        called = str(theirs.lines["call"] or ""), str(ours.lines["call"] or "")
        if other_mode := _other_mode(ours, theirs, lambda model: self._made_at(other, model)):
            found = other_mode
        elif divergence.what == "gradients":
            found = self._of_gradients(divergence, first, second, other)
        elif divergence.what == "rate":
            found = [self._of_rate(ours, theirs)]
        elif divergence.what == "weights" and (apart := self._stepped(ours, divergence, reader)):
            found = self._of_optimizers(ours, theirs, apart)
        else:
            found = self._of_operations(divergence)
            if divergence.what == "weights":
                _, sides, bound = _first_of({one.name for one in divergence.figures}, other)
                what = "changes differently from the original, and not through the optimizer"
                found.append(self._made(sides, bound, what))
            if divergence.what == "loss":
                losses = zip(first.losses, second.losses, strict=False)
                other_set = differing_modules(losses, self.births, self.ports)
                found = [*(where for _, where in other_set), *found]
            if divergence.what == START:
                what = "the weights differ before the step: not only the optimizer changes them"
                found = [where for where in found if where.port]
                found.append(_previous_step(divergence, first, second, what))
            if divergence.what == "batch":
                what = "the model is called with another batch than the original's"
                found.append(Where(*called, what))
        before = divergence.what in ("batch", "outputs", "loss", "gradients")
        if before and (other_model := _other_model(ours, theirs)):
            found.insert(0, other_model)
        for where in found:
            where.what = f"{number}: {where.what}"
            where.cause = where.cause and f"{number}: {where.cause}"
        return found

    def _of_operations(self, divergence: StepDivergence) -> list[Where]:
        """Run both scripts again and locate the first operation of a step that differs."""
        if divergence.what == "batch" and not divergence.step:
            return []  # it may come from any code before
        again, port = self._again(
            divergence.step, "batch" if divergence.what == START else divergence.what
        )
        trace_divergence = divergence_of(again.traced, port.traced)
        found = places_of(trace_divergence, again.traced, port.traced, self.births, self.ports)
        differing_settings = [
            one
            for sides in port.sides.values()
            for one in settings_that_differ(sides, self.births, None)
        ]
        return ordered(trace_divergence, found, differing_settings)

    def _again(
        self, step: int, traced: str, gradients: NotedGradients | None = None
    ) -> tuple[Original, Port]:
        """Run both scripts again up to a step and record its operations."""
        self.report(f"running both to step {step + 1} again, operation by operation")
        again = Original()
        if gradients is not None:
            gradients.of_original(again.traced)
        made = self._follow(0, again, step + 1, traced).steps
        port = Port(again, made, self._pair(again), self.ports)
        if gradients is not None:
            gradients.of_port(port.traced)
        self._follow(1, port, step + 1, traced)
        return again, port

    def _of_optimizers(
        self, ours: Step, theirs: Step, apart: Collection[torch.Tensor]
    ) -> list[Where]:
        mine, other = ours.optimizer, theirs.optimizer
        clips = abs(ours.changed - 1) > _CHANGED
        agree = ours.rate is not None and theirs.rate is not None  # the rates were compared before
        places = places_of_optimizers(
            self.ports, self.births, mine, other, apart=apart, clipped=clips, rates_agree=agree
        )
        if abs(theirs.changed - 1) > _CHANGED and abs(ours.changed - theirs.changed) > _CHANGED:
            cause = "the gradients are changed before the step, differently from the original"
            lines = _line_of_change(theirs), _line_of_change(ours)
            return [Where(*lines, "the optimizer gets other gradients", cause)]
        if clips and abs(theirs.changed - 1) <= _CHANGED and not self.ports.clips(other):
            lines = str(theirs.lines["step"] or ""), str(ours.lines["step"] or "")
            cause = "the original changes its gradients before the step, as clipping does"
            where = Where(*lines, "the optimizer gets other gradients", cause)
            return [*places, where] if places[0].cause else [where]
        return places

    def _own_form(self, ours: Step, theirs: Step) -> bool:
        """Return whether both steps used the same optimizer with equal settings for all weights."""
        mine, other = ours.optimizer, theirs.optimizer
        name = type(mine).__name__.lower()
        clips = abs(ours.changed - 1) > _CHANGED or self.ports.clips(other)
        return (
            name == type(other).__name__.lower()
            and package_of(other) == self.ports.package
            and len(mine.param_groups) == 1
            # Other optimizers are invariant to the gradients' scale.
            and not (clips and name == "sgd")
            and not differing_settings(self.ports, mine, other)
        )

    def _stepped(
        self, ours: Step, divergence: StepDivergence, reader: Original
    ) -> list[torch.Tensor]:
        """Return the optimizer's weights among the tensors that differ."""
        stepped = {id(p) for group in ours.optimizer.param_groups for p in group["params"]}
        differing = {one.name for one in divergence.figures}
        return [
            parameter
            for name, model in zip(reader.names, reader.models, strict=True)
            for inner, parameter in model.named_parameters()
            if id(parameter) in stepped and any(name + inner in one for one in differing)
        ]

    def _made_at(self, other: Port, model: int) -> Sequence[Place]:
        """Return the lines that created a model of the port, without that of its own class."""
        made = other.sides[model].theirs
        lines = self.births.lines(made)
        return lines if package_of(made) == self.ports.package else lines[1:]

    def _made(self, sides: Sides, bound: Bound, what: str) -> Where:
        """Return the location where the port's module of a tensor was created."""
        owner = self.ports.owner(sides.theirs, bound.pair.theirs[0])
        return Where(str(self.births.of(owner) or ""), "", f"{bound.pair.name} {what}")

    def _of_rate(self, ours: Step, theirs: Step) -> Where:
        """Return where the schedule steps, if only the counts differ, or where it was created.

        If the port's schedule never steps: the line that corresponds to the original's step of it.
        """
        cause = f"the learning rate is {theirs.rate:.6g} in the port and {ours.rate:.6g} in the"
        cause += " original"
        if ours.turns == theirs.turns:
            where, *_ = places_of_optimizers(
                self.ports, self.births, ours.optimizer, theirs.optimizer
            )
            where.cause = cause
            schedule = self.ports.schedule(theirs.optimizer)
            if schedule is not None:
                where.port = line_of_schedule(schedule, self.births) or where.port
            return where
        port, original = (
            str(step.lines.get("schedule") or step.lines["step"]) for step in (theirs, ours)
        )
        if not theirs.turns and 0 < ours.turned_within <= len(theirs.within):
            port = str(theirs.within[-ours.turned_within])
        cause += f": the port's schedule has stepped {theirs.turns or 0} times, and the original's"
        cause += f" {ours.turns or 0}"
        return Where(port, original, "the schedule of the learning rate", cause)

    def _of_gradients(
        self, divergence: StepDivergence, first: Following, second: Following, other_side: Port
    ) -> list[Where]:
        ours, theirs = first.steps[divergence.step], second.steps[divergence.step]
        names = {figure.name.removeprefix("gradient of ") for figure in divergence.figures}
        model, sides, bound = _first_of(names, other_side)
        name = model + bound.pair.name
        what = f"the losses agree, and the gradient of {name} does not"
        back = str(theirs.lines["backward"] or ""), str(ours.lines["backward"] or "")
        if theirs.cleared and not ours.cleared:
            return [Where(*back, what, "the port clears its gradients between two backward passes")]
        if divergence.step and _adds_previous_gradient(
            bound.of(ours.gradients, model), theirs, second.steps[divergence.step - 1], name
        ):
            return [Where(*back, what, "the port's gradients add up: nothing clears them")]
        owner = self.ports.owner(sides.theirs, bound.pair.theirs[0])
        if not any(source.requires_grad for source in bound.sources):
            cause = f"{name} is not trained in the original, and is in the port"
            made = next(iter(self.births.lines(owner)[::-1]), back[0])
            return [Where(str(made), "", what, cause)]
        gradients = NotedGradients(self.ports)
        self._again(divergence.step, divergence.what, gradients)
        if found := gradients.places(self.births):
            return found
        mine, other = bound.of(ours.gradients, model), theirs.gradients.get(name)
        if (mine is None) is not (other is None):
            reached, not_reached = ("port", "original") if mine is None else ("original", "port")
            cause = f"a gradient reaches {name} in the {reached}, and none in the {not_reached}:"
            return [Where(*back, what, f"{cause} check what is detached before")]
        return [Where(str(self.births.of(owner) or back[0]), "", what)]


def _copied(model: Any) -> Any:
    """Return a copy to try out, as models may count calls; the model if copying fails."""
    try:
        return deepcopy(model)
    except Exception:  # a computed tensor, as weight normalization has, cannot be copied
        return model


def _first_of(names: set[str], other: Port) -> tuple[str, Sides, Bound]:
    """Return the last of the named pairs in the model: the first in a backward pass."""
    return next(one for one in reversed(other.bound()) if one[0] + one[2].pair.name in names)


def _other_mode(ours: Step, theirs: Step, made: Callable[[int], Sequence[Place]]) -> list[Where]:
    """Locate the first call of a model whose mode differs from the original's.

    The line that set the mode is at fault, or the one that resets it and is not reached. `made`
    returns the lines that created a model, the innermost first.
    """
    for model in dict.fromkeys(call.model for call in theirs.modes):
        sides = ([one for one in step.modes if one.model == model] for step in (ours, theirs))
        for mine, other in zip(*sides, strict=False):
            if mine.training != other.training:
                cause = f"the port's model is in {_MODES[other.training]}, the original's in"
                cause += f" {_MODES[mine.training]}"
                lines = _lines_of_mode(mine, other, made(model))
                original = str(mine.switched[not mine.training] or mine.line or "")
                what = "the model's mode"
                return [Where(str(line or ""), original, what, cause) for line in lines]
    return []


def _other_model(ours: Step, theirs: Step) -> Where | None:
    """Locate the first call of another model than the original's, if the counts of calls differ."""
    sides = [call.model for call in ours.modes], [call.model for call in theirs.modes]
    if sorted(sides[0]) == sorted(sides[1]):
        return None
    for mine, other in zip(ours.modes, theirs.modes, strict=False):
        if mine.model != other.model:
            what = "another model is called than in the original"
            return Where(str(other.line or ""), str(mine.line or ""), what)
    return None


def _lines_of_mode(mine: CalledIn, other: CalledIn, made: Sequence[Place]) -> list[Place | None]:
    """Return the lines responsible for the mode of a call; the port may never reset it.

    The original then resets it after the line that set it, or before the call; or it sets the mode
    once, while the port only creates the model.
    """
    (back, there), (own, beyond) = (
        call.switched if mine.training else call.switched[::-1] for call in (other, mine)
    )
    lines = [back, there]
    if back is None and there is None and own is not None and own != mine.line and made:
        lines = [made[0], other.line]
    if back is None and own is not None and beyond is not None and mine.line is not None:
        before = abs(own.line - mine.line.line) < abs(own.line - beyond.line)
        lines = [other.line, there] if before else [there]
    return [line for line in lines if line is not None] or [other.line]


def _line_of_change(step: Step) -> str:
    """Return the line between the backward pass and the step that mentions gradients, or the
    step's.
    """
    back, made = step.lines.get("backward"), step.lines["step"]
    between = line_between(back, made, "grad") if back is not None and made is not None else None
    return str(between or made or "")


def _previous_step(
    divergence: StepDivergence, first: Following, second: Following, what: str
) -> Where:
    lines = [side.steps[max(0, divergence.step - 1)].lines for side in (second, first)]
    key = "step" if divergence.step else "call"
    return Where(str(lines[0].get(key) or ""), str(lines[1].get(key) or ""), what)


def _adds_previous_gradient(
    wanted: torch.Tensor | None, theirs: Step, before: Step, name: str
) -> bool:
    """Return whether a gradient is the expected one plus (a share of) that of the step before."""
    now, earlier = theirs.gradients.get(name), before.gradients.get(name)
    if wanted is None or now is None or earlier is None:
        return False
    left = now - wanted
    share = (left * earlier).sum() / earlier.square().sum()
    close = torch.allclose(left, share * earlier, rtol=0, atol=1e-3 * float(left.abs().max()))
    return close and 0 < float(share) < 1 + 1e-3


def _curves(ours: list[Step], moved: list[Step], theirs: list[Step]) -> list[Curve]:
    """Return the losses of both sides, and the original's drift from one rounding."""
    sides = [_losses(steps) for steps in (ours, moved, theirs)]
    count = min(map(len, sides))
    a, near, b = (tuple(losses[:count]) for losses in sides)
    drift = tuple(abs(x - y) for x, y in zip(a, near, strict=True))
    return [Curve("loss", a, b, drift)]


def _losses(steps: list[Step]) -> list[float]:
    return [sum(float(loss.double().mean()) for loss in step.losses.values()) for step in steps]


def _not_compared(names: Collection[str]) -> Check:
    """Report copies of weights in lists, such as an average, as not compared."""
    summary = (
        f"{', '.join(names)}: lists of tensors like those of a model are not compared; keep"
        " them in a copy of the model, copy.deepcopy(model), to compare them"
    )
    return Check("copies of weights", Outcome.REPORTED, summary)
