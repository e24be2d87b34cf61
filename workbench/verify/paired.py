"""The pairing of two live models: of those that can be, the one under which both agree."""

from __future__ import annotations

import torch

from workbench.verify.checks.passes import forward_figures
from workbench.verify.pairing.bound import Pair
from workbench.verify.pairing.candidates import (
    Pairing,
    Side,
    candidates,
    embeddings_among,
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
    tried = []
    for pairing in candidates(ours, theirs, (*maps, *equal)):
        sides.pairs = pairing.pairs
        sides.carry()
        tried.append((_apart(sides), pairing))
        if tried[-1][0] == 0:
            break
    best = _decided(sides, tried)
    sides.pairs = best.pairs
    sides.carry()
    return best


def _decided(sides: Sides, tried: list[tuple[float, Pairing]]) -> Pairing:
    """The pairing that is clearly the nearest, or that alone keeps parts of parts together."""
    (off, best), *others = sorted(tried, key=lambda pair: pair[0])
    if off == 0 or not others or others[0][0] >= _CLEARLY * off:
        return best
    if all(_carries_alike(sides, best, other) for _, other in others):
        return tried[0][1]
    whole, *rest = sorted((pairing for _, pairing in tried), key=lambda pairing: pairing.spread)
    if whole.spread < rest[0].spread:
        return whole
    raise DoubtError(best.pairs, others[0][1].pairs)


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
