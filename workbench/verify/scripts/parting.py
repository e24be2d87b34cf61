"""The first step in which two scripts part, and what parts in it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch

from workbench.verify.checks.judging import figures
from workbench.verify.pairing.bound import Bound
from workbench.verify.result import Figure
from workbench.verify.scripts.following import Step

START = "weights at its start"
Values = Mapping[str, torch.Tensor | None]


@dataclass(frozen=True, slots=True)
class Parted:
    """What parts first.

    Attributes:
        step: the step, from 0.
        what: `weights at its start`, `batch`, `outputs`, `loss`, `gradients`, `rate` or `weights`.
        figures: the values that differ.
    """

    step: int
    what: str
    figures: list[Figure]


def first_parted(
    ours: Sequence[Step],
    moved: Sequence[Step],
    theirs: Sequence[Step],
    bound: Sequence[tuple[str, Bound]],
    called_later: Collection[str] = (),
) -> Parted | None:
    """What parts first; None where every step agrees.

    Args:
        ours: what the original did.
        moved: the same with its weights moved by a rounding.
        theirs: what the port did, each step from the original's weights.
        bound: the pairs of the models' tensors with the names of their models, but those that are
            kept in another way.
        called_later: the names of models that the port calls after steps in which it has not.
    """
    standing = _standing(ours, theirs, bound, called_later)
    for number, (a, near, b) in enumerate(zip(ours, moved, theirs, strict=False)):
        for what, found in _looks(a, near, b, bound, standing[number]):
            off = [figure for figure in found if not figure.same]
            if off:
                return Parted(number, what, off)
    return None


def _looks(
    ours: Step,
    moved: Step,
    theirs: Step,
    bound: Sequence[tuple[str, Bound]],
    standing: Collection[str],
) -> Iterator[tuple[str, list[Figure]]]:
    """What is looked at in a step, in the order in which one thing leads to the next."""
    began = [(name, one) for name, one in bound if name not in standing]
    wanted, near = (_by_pair(step.start, began) for step in (ours, moved))
    known = {name: value for name, value in wanted.items() if value is not None}
    both = {name: value for name, value in known.items() if name in theirs.start}
    yield START, figures(both, theirs.start, [near])
    yield "batch", figures(ours.inputs, theirs.inputs, [moved.inputs])
    yield "outputs", figures(ours.outputs, theirs.outputs, [moved.outputs])
    yield "loss", figures(ours.losses, theirs.losses, [moved.losses])
    wanted, near = (_by_pair(step.gradients, bound) for step in (ours, moved))
    yield "gradients", figures(wanted, theirs.gradients, [near], "gradient of ")
    if ours.rate is not None and theirs.rate is not None:
        yield "rate", figures({"learning rate": ours.rate}, {"learning rate": theirs.rate}, [])
    wanted, near = (_by_pair(step.after, bound) for step in (ours, moved))
    yield "weights", figures(wanted, theirs.after, [near])


def _by_pair(values: Values, bound: Sequence[tuple[str, Bound]]) -> dict[str, torch.Tensor | None]:
    return {name + one.pair.name: one.of(values, name) for name, one in bound}


def _standing(
    ours: Sequence[Step],
    theirs: Sequence[Step],
    bound: Sequence[tuple[str, Bound]],
    called_later: Collection[str],
) -> list[set[str]]:
    """By step, the models that stand still in the port while the original's move.

    Those alone that move in other steps or are called later, as an average that a script keeps
    elsewhere and copies into a model before it is evaluated.
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
