"""Corrections of a pairing with two parts swapped, found by the values they are used with."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace

import torch

from workbench.verify.locating.locate import traces
from workbench.verify.locating.matching import alike, known_in
from workbench.verify.locating.tracing import Step, Trace
from workbench.verify.pairing.bound import Bound, Pair
from workbench.verify.pairing.candidates import tensors_of
from workbench.verify.pairing.layout import (
    FLAT_TRANSPOSED,
    RESHAPED,
    SAME,
    TRANSPOSED,
    Kind,
    Layout,
)
from workbench.verify.sides.sides import Sides

_BLOCKS = 3  # dimensions
_TURNED = {RESHAPED: FLAT_TRANSPOSED, FLAT_TRANSPOSED: RESHAPED}


def exchanges(sides: Sides, pairs: list[Pair]) -> Iterator[list[Pair]]:
    """Yield pairings with two parts swapped, where a tensor is used with its partner's values.

    Also yields pairings with all tensors of one role in the other layout that fits.
    """
    yield from _in_the_other_layout(sides, pairs)
    sides.pairs = pairs
    sides.carry()
    try:
        ours, theirs = traces(sides, training=False)
    except Exception:  # the check itself reports it
        return
    bound = sides.bound()
    mine = _uses(ours, {id(t): b.pair.name for b in bound for t in b.sources})
    other = _uses(theirs, {id(t): b.pair.name for b in bound for h in b.held for t in h.tensors})
    by_name = {one.pair.name: one for one in bound}
    known = known_in(ours, theirs)
    taken = {name: [ours.values[n] for _, n in uses] for name, uses in mine.items()}
    for name, uses in other.items():
        for step, number in uses:
            value = theirs.values[number]
            if step.outputs[0] in known or number not in known or _takes(taken, name, value):
                continue
            for partner in taken:
                if _like(by_name[name], by_name[partner]) and _takes(taken, partner, value):
                    yield _exchanged(bound, by_name[name], by_name[partner])


def _in_the_other_layout(sides: Sides, pairs: list[Pair]) -> Iterator[list[Pair]]:
    """Yield the pairs with square blocks of heads transposed, one role at a time.

    When in_features == heads * head_dim, only usage shows which axis comes first.
    """
    shapes = {name: tuple(t.shape) for name, t in tensors_of(sides.ours).items()}
    roles: dict[str, set[Pair]] = defaultdict(set)
    for pair in pairs:
        shape = shapes.get(pair.ours[0], ())
        blocks = len(shape) == _BLOCKS and shape[0] == math.prod(shape[1:])
        if blocks and pair.layout in _TURNED and len(pair.ours) == len(pair.theirs) == 1:
            roles[pair.ours[0].rpartition(".")[2]].add(pair)
    for group in roles.values():
        yield [replace(p, layout=_TURNED[p.layout]) if p in group else p for p in pairs]


def turned(bound: Bound, sides: Sides) -> Pair | None:
    """Return a pair in the other layout that fits the port's tensor, or None if only one fits.

    A square matrix or a patch convolution's weight can be kept in two ways. Using it the wrong way
    round is a bug; only the port's author knows which layout is meant.
    """
    pair, shape = bound.pair, bound.shape
    if len(pair.ours) > 1 or len(pair.theirs) > 1:
        return None
    raw = sides.ports.raw(sides.theirs, pair.theirs[0])
    if raw and len(shape) == 2 and shape[0] == shape[1] and pair.layout in (SAME, TRANSPOSED):
        return replace(pair, layout=TRANSPOSED if pair.layout == SAME else SAME)
    patches = len(shape) > 2 and bound.held[0].read().dim() == 2
    if patches and pair.layout == RESHAPED:
        return replace(pair, layout=Layout(Kind.CHANNELS_LAST, channels=shape[1]))
    return None


def _uses(trace: Trace, known: Mapping[int, str]) -> dict[str, list[tuple[Step, int]]]:
    """Return the operations that use known tensors, by name, each with another input."""
    names = trace.names(known)
    found: dict[str, list[tuple[Step, int]]] = {}
    for step in trace.steps:
        own = [names[n] for n in step.inputs if n in names]
        values = [n for n in step.inputs if n not in names]
        if own and not values:  # a transposed or sliced tensor keeps its name
            names.update(dict.fromkeys(step.outputs, own[0]))
        for name in own:
            floats = (n for n in values if trace.values[n].is_floating_point())
            found.setdefault(name, []).extend((step, number) for number in floats)
    return found


def _takes(taken: Mapping[str, list[torch.Tensor]], name: str, value: torch.Tensor) -> bool:
    return any(alike(value, one) for one in taken.get(name, ()))


def _like(one: Bound, other: Bound) -> bool:
    """Return whether the tensors of two pairs have equal shapes on both sides."""
    kept = [[tuple(held.read().shape) for held in bound.held] for bound in (one, other)]
    return one is not other and one.shape == other.shape and kept[0] == kept[1]


def _exchanged(bound: list[Bound], one: Bound, other: Bound) -> list[Pair]:
    """Return the pairs with two of the port's tensors swapped, and the other tensors of their
    layers.
    """
    partners = {one.pair.theirs: other.pair, other.pair.theirs: one.pair}
    parts = [_owner(own.pair.theirs[0]) for own in (one, other)]
    found = {own.pair.theirs: own for own in bound}
    for own in bound if parts[0] != parts[1] else ():
        for here, there in (parts, parts[::-1]):
            names = tuple(there + name.removeprefix(here) for name in own.pair.theirs)
            if _owner(own.pair.theirs[0]) == here and names in found and _like(own, found[names]):
                partners[own.pair.theirs] = found[names].pair
    changed = {theirs: (pair.theirs, pair.layout) for theirs, pair in partners.items()}
    return [
        Pair(own.pair.ours, *changed[own.pair.theirs], "use")
        if own.pair.theirs in changed
        else own.pair
        for own in bound
    ]


def _owner(name: str) -> str:
    return name.rpartition(".")[0]
