"""The pairing of two live models: of those that can be, the one under which both agree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import torch

from workbench.verify.checks.passes import forward_figures
from workbench.verify.locating.locate import traces
from workbench.verify.locating.matching import count_known
from workbench.verify.order_of_use import orders_of_use
from workbench.verify.pairing.bound import Pair
from workbench.verify.pairing.candidates import (
    Pairing,
    Side,
    candidates,
    embeddings_among,
    flattened_last,
    held_once,
    side_of_original,
    tensors_of,
)
from workbench.verify.pairing.equal_values import equal_values
from workbench.verify.pairing.maps import DoubtError
from workbench.verify.sides.shelf import OnDemand
from workbench.verify.sides.sides import Sides

# A bug of the port moves outputs less than a pairing that is wrong: by this factor it is clear.
_CLEARLY = 100.0
# So many times as many operations agree under a pairing that is right.
_FOLLOWED = 1.2


def paired(sides: Sides, maps: tuple[Pair, ...]) -> Pairing:
    """The pairing under which outputs agree; else that under which they differ far less.

    Raises:
        DoubtError: there are two, and running them does not decide.
    """
    ours = side_of_original(sides.ours)
    held = held_once(sides.ports.held(sides.theirs))
    raw = frozenset(name for name in held if sides.ports.raw(sides.theirs, name))
    theirs = Side(
        {name: tuple(one.read().shape) for name, one in held.items()},
        raw,
        embeddings_among({name: sides.ports.owner(sides.theirs, name) for name in held}),
    )
    values = OnDemand({name: one.read for name, one in held.items()})
    known = {name for pair in maps for name in (*pair.ours, *pair.theirs)}
    equal = [
        pair
        for pair in equal_values(tensors_of(sides.ours), values, raw)
        if not known & {*pair.ours, *pair.theirs}
    ]
    tried: list[tuple[float, Pairing]] = []
    with sides.unlike():
        for pairing in _candidates(sides, ours, theirs, (*maps, *equal)):
            sides.pairs = pairing.pairs
            sides.fold()
            sides.carry()
            tried.append((_apart(sides), pairing))
            if tried[-1][0] == 0:
                break
        fewest = min(pairing.left for _, pairing in tried)
        tried = [pair for pair in tried if not pair[0] or pair[1].left == fewest]
        best = _nearest(sides, tried)
    best = best or _decided(sides, [pairing for _, pairing in tried])
    sides.pairs = best.pairs
    sides.carry()
    return best


def _candidates(
    sides: Sides, ours: Side, theirs: Side, given: tuple[Pair, ...]
) -> Iterator[Pairing]:
    """Possible pairings; both sides run for the order of use once the others do not agree."""
    seen = []
    for pairing in _flattened(sides, ours, candidates(ours, theirs, given)):
        seen.append(set(map(str, pairing.pairs)))
        yield pairing
    first, second = orders_of_use(sides)
    used = replace(ours, used=first), replace(theirs, used=second), given
    for pairing in _flattened(sides, ours, candidates(*used)):
        if set(map(str, pairing.pairs)) not in seen:
            yield pairing


def _flattened(sides: Sides, ours: Side, found: Iterator[Pairing]) -> Iterator[Pairing]:
    """Pairings, each also for a port that flattens images as it takes them."""
    for pairing in found:
        yield pairing
        other = flattened_last(pairing, ours) if sides.task.channels_last else None
        if other is not None:
            yield other


def _nearest(sides: Sides, tried: list[tuple[float, Pairing]]) -> Pairing | None:
    """The pairing that is clearly the nearest, or under which most operations agree."""
    (off, best), *others = sorted(tried, key=lambda pair: pair[0])
    if off == 0 or not others or others[0][0] >= _CLEARLY * off:
        return best
    return _followed(sides, [best, *(pairing for _, pairing in others)])


def _decided(sides: Sides, tried: list[Pairing]) -> Pairing:
    """Of pairings that running does not tell apart, the one that keeps parts of parts together."""
    if all(_carries_alike(sides, tried[0], other) for other in tried[1:]):
        return tried[0]
    whole, *rest = sorted(tried, key=lambda pairing: pairing.spread)
    if whole.spread < rest[0].spread:
        return whole
    raise DoubtError(tried[0].pairs, tried[1].pairs)


def _followed(sides: Sides, tried: list[Pairing]) -> Pairing | None:
    """The pairing under which clearly more operations of the port give what the original's do.

    A port goes along with its original up to its bug; under a wrong pairing hardly at all.
    """
    if sides.large:
        return None
    counts = []
    for pairing in tried:
        sides.pairs = pairing.pairs
        sides.carry()
        try:
            counts.append(count_known(*traces(sides, training=False)))
        except Exception:  # told by the check itself
            counts.append(0)
        sides.carry()
    best, second = sorted(counts, reverse=True)[:2]
    clearly = best > second and best >= _FOLLOWED * second
    return tried[counts.index(best)] if clearly else None


def _carries_alike(sides: Sides, first: Pairing, second: Pairing) -> bool:
    """Whether a port gets the same values by either: fresh norms are all ones and zeros."""
    live = tensors_of(sides.ours)
    other = {pair.theirs: pair.ours for pair in second.pairs}
    pairs = [(pair.ours, other.get(pair.theirs, ())) for pair in first.pairs]
    return all(
        len(a) == len(b) and all(torch.equal(live[x], live[y]) for x, y in zip(a, b, strict=True))
        for a, b in pairs
        if a != b
    )


def _apart(sides: Sides) -> float:
    """How far the outputs lie apart; infinitely where they cannot be compared."""
    try:
        figures = forward_figures(sides, training=False)
    except Exception:  # told by the check itself
        return float("inf")
    return sum((f.difference or 1e9) for f in figures if not f.same)
