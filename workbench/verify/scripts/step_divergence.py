"""Search for the first step in which two scripts diverge, and for what diverges in it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch

from workbench.verify.checks.judging import figures
from workbench.verify.pairing.bound import Bound
from workbench.verify.result import Figure
from workbench.verify.scripts.following import Step

START = "weights at its start"
Values = Mapping[str, torch.Tensor | None]
# Relative to the length of a step: the effect of gradients with other rounding, and of an
# optimizer's other formula, such as another place of its epsilon.
_ROUNDED = 4e-6
_OWN_FORM = 1e-2


@dataclass(frozen=True, slots=True)
class StepDivergence:
    """The first divergence.

    Attributes:
        step: the step, from 0.
        what: `weights at its start`, `batch`, `outputs`, `loss`, `gradients`, `rate` or `weights`.
        figures: the values that differ.
    """

    step: int
    what: str
    figures: list[Figure]


def first_step_divergence(
    ours: Sequence[Step],
    moved: Sequence[Step],
    theirs: Sequence[Step],
    bound: Sequence[tuple[str, Bound]],
    called_later: Collection[str] = (),
    own_form: Callable[[int], bool] = lambda step: False,
) -> StepDivergence | None:
    """Return the first divergence, or None if every step agrees.

    Args:
        ours: the original's steps.
        moved: the same steps from weights perturbed by a rounding.
        theirs: the port's steps, each from the original's weights.
        bound: the pairs of tensors to compare, with the names of their models.
        called_later: the names of models that the port first calls in a later step.
        own_form: returns whether both optimizers of a step have equal settings while the port's
            framework uses another formula, so that results may differ slightly.
    """
    standing = _standing(ours, theirs, bound, called_later)
    for number, (a, near, b) in enumerate(zip(ours, moved, theirs, strict=False)):
        last = (ours[number - 1], theirs[number - 1]) if number else (None, None)
        for what, found in _looks(a, near, b, bound, standing[number], *last):
            off = [figure for figure in found if not figure.same]
            led_to = {"weights": number, START: number - 1}.get(what, -1)
            if led_to >= 0 and own_form(led_to):
                way = ours[led_to]
                # A copy, such as a target network, moves only until the next step begins.
                after = a.start if what == START else way.after
                moves = _by_pair(way.start, bound), _by_pair(after, bound)
                off = [figure for figure in off if not _little(figure, *moves)]
            if off:
                return StepDivergence(number, what, off)
    return None


def _looks(
    ours: Step,
    moved: Step,
    theirs: Step,
    bound: Sequence[tuple[str, Bound]],
    standing: Collection[str],
    last: Step | None,
    last_of_port: Step | None,
) -> Iterator[tuple[str, list[Figure]]]:
    """Yield the comparisons of a step in the order of their dependence."""
    began = [(name, one) for name, one in bound if name not in standing]
    wanted, near = (_by_pair(step.start, began) for step in (ours, moved))
    known = {name: value for name, value in wanted.items() if value is not None}
    both = {name: value for name, value in known.items() if name in theirs.start}
    further = {} if last is None else _further(known, last, bound)
    yield START, figures(both, theirs.start, [near, further])
    yield "batch", figures(ours.inputs, theirs.inputs, [moved.inputs])
    yield "outputs", figures(ours.outputs, theirs.outputs, [moved.outputs])
    yield "loss", figures(ours.losses, theirs.losses, [moved.losses])
    stepped = {id(p) for group in ours.optimizer.param_groups for p in group["params"]}
    sides = [(name, one, not stepped.isdisjoint(map(id, one.sources))) for name, one in bound]
    own, rest = (
        [(n, one) for n, one, taken in sides if taken is wanted] for wanted in (True, False)
    )
    wanted, near = (_by_pair(step.gradients, own) for step in (ours, moved))
    found = figures(wanted, theirs.gradients, [near], "gradient of ")
    before = {} if last_of_port is None else last_of_port.gradients
    left = _by_pair(ours.gradients, rest)
    yield "gradients", [*found, *_reached(left, theirs.gradients, before)]
    if ours.rate is not None and theirs.rate is not None:
        yield "rate", figures({"learning rate": ours.rate}, {"learning rate": theirs.rate}, [])
    wanted, near = (_by_pair(step.after, bound) for step in (ours, moved))
    yield "weights", figures(wanted, theirs.after, [near, _further(wanted, ours, bound)])


def _reached(ours: Values, theirs: Values, before: Values) -> Iterator[Figure]:
    """Yield weights outside the optimizer that only the port's backward pass reaches.

    Gradients left from the step before, or cleared before they are used, do not count.
    """
    for name, gradient in theirs.items():
        old = before.get(name)
        new = gradient is not None and bool(gradient.any()) and not _same(old, gradient)
        if new and name in ours and ours[name] is None:
            yield Figure(f"gradient of {name}", False, reason="the original has none")


def _further(values: Values, step: Step, bound: Sequence[tuple[str, Bound]]) -> Values:
    """Return weights after a step, shifted by the rounding that their change in it may have."""
    start, after = _by_pair(step.start, bound), _by_pair(step.after, bound)
    return {
        name: value
        if value is None or (before := start.get(name)) is None or (now := after.get(name)) is None
        else value + _ROUNDED * (now - before)
        for name, value in values.items()
    }


def _little(figure: Figure, start: Values, after: Values) -> bool:
    """Return whether a weight's difference is small relative to its change."""
    before, now = start.get(figure.name), after.get(figure.name)
    if before is None or now is None or figure.difference is None:
        return False
    return figure.difference <= _OWN_FORM * float((now - before).abs().max())


def _by_pair(values: Values, bound: Sequence[tuple[str, Bound]]) -> dict[str, torch.Tensor | None]:
    return {name + one.pair.name: one.of(values, name) for name, one in bound}


def _standing(
    ours: Sequence[Step],
    theirs: Sequence[Step],
    bound: Sequence[tuple[str, Bound]],
    called_later: Collection[str],
) -> list[set[str]]:
    """Return, by step, the models that are constant in the port while the original's change.

    Only models that change in other steps or are called later, such as an average that a script
    keeps elsewhere and copies into a model before it is evaluated.
    """
    found: list[set[str]] = [set() for _ in ours]
    for model in dict.fromkeys(name for name, _ in bound):
        own = [(name, one) for name, one in bound if name == model]
        stood, moved = [], model in called_later
        for number, other in list(enumerate(theirs))[1:]:
            before, now = (_by_pair(ours[at].start, own) for at in (number - 1, number))
            names = [name for name in now if before[name] is not None and name in other.start]
            if all(_same(before[name], now[name]) for name in names):
                continue
            if all(_same(before[name], other.start[name]) for name in names):
                stood.append(number)
            else:
                moved = True
        for number in stood if moved else ():
            found[number].add(model)
    return found


def _same(one: torch.Tensor | None, other: torch.Tensor | None) -> bool:
    return one is other or (one is not None and other is not None and one.equal(other))
