"""Pairing of two live models: the one, of all possible ones, under which both agree."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

import torch

from workbench.verify.checks.passes import forward_figures
from workbench.verify.exchanges import exchanges
from workbench.verify.locating.locate import traces
from workbench.verify.locating.matching import Key, known_steps
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
from workbench.verify.pairing.layout import SAME, TRANSPOSED
from workbench.verify.sides.places import package_of
from workbench.verify.sides.shelf import OnDemand, Shelf
from workbench.verify.sides.sides import Sides

# A wrong pairing moves outputs more than a bug does; from this factor on it is unambiguous.
_CLEARLY = 100.0
# Under the right pairing at least this many times as many operations agree.
_FOLLOWED = 1.2
# The likeliest first.
_ORDERS = ("used", "defined", "names")
# Limit of attempts to swap two parts.
_EXCHANGES = 16


def paired(sides: Sides, maps: tuple[Pair, ...]) -> Pairing:
    """Return the pairing under which outputs agree, or under which most operations do.

    If two are equally likely and a run does not decide, the other one is in `instead`.
    """
    ours = side_of_original(sides.ours)
    held = held_once(sides.ports.held(sides.theirs))
    raw = frozenset(name for name in held if sides.ports.raw(sides.theirs, name))
    theirs = Side(
        {name: tuple(one.read().shape) for name, one in held.items()},
        raw,
        frozenset(name for name, one in held.items() if not one.trained),
        embeddings_among({name: sides.ports.owner(sides.theirs, name) for name in held}),
    )
    values = OnDemand({name: one.read for name, one in held.items()})
    known = {name for pair in maps for name in (*pair.ours, *pair.theirs)}
    equal = [
        pair
        for pair in equal_values(tensors_of(sides.ours), values, raw, ours.tables | theirs.tables)
        if not known & {*pair.ours, *pair.theirs}
    ]
    given = (*maps, *equal)
    made = Shelf((name, held[name].read()) for name in theirs.tables)
    best = _searched(sides, ours, theirs, given)
    alone = bool(sides.frozen.intersection(best.ours_left))
    tables = [
        pair for pair in best.pairs if pair not in given and theirs.tables.issuperset(pair.theirs)
    ]
    loose = [
        pair
        for pair in tables
        if (alone and sides.frozen.issuperset(pair.ours))
        or (sides.constants.issuperset(pair.ours) and not _made_alike(sides, pair, made))
    ]
    if not loose or not _apart(sides):
        return best
    # The port may represent the original's constants differently, such as a mask by its additive
    # form.
    follow = _Following(sides)
    before = follow.steps(best.pairs)
    mine = [name for pair in loose for name in pair.ours]
    others = [name for pair in loose for name in pair.theirs]
    for name in others:
        value = made[name]
        assert value is not None
        held[name].write(value)
    own = _searched(sides, _without(ours, mine), _without(theirs, others), given)
    if not _apart(sides) or len(follow.steps(own.pairs)) > len(before):
        own.ours_left += mine
        return own
    sides.pairs = best.pairs
    sides.carry()
    return best


def _made_alike(sides: Sides, pair: Pair, made: Shelf) -> bool:
    """Return whether the port initialized a table as the original did."""
    live = tensors_of(sides.ours)
    return all(
        value is not None and value.equal(live[own].to(value.dtype))
        for own, value in zip(pair.ours, map(made.get, pair.theirs), strict=False)
    )


def _without(side: Side, names: Collection[str]) -> Side:
    return replace(side, shapes={n: s for n, s in side.shapes.items() if n not in names})


def _searched(sides: Sides, ours: Side, theirs: Side, given: tuple[Pair, ...]) -> Pairing:
    """Return the best pairing of the given tensors of both sides."""
    tried: list[tuple[float, Pairing]] = []
    with sides.unlike(ours.shapes):
        for pairing in _candidates(sides, ours, theirs, given):
            sides.pairs = pairing.pairs
            sides.fold()
            sides.carry()
            tried.append((_apart(sides), pairing))
            if tried[-1][0] == 0:
                break
        fewest = min(pairing.left for _, pairing in tried)
        tried = [pair for pair in tried if not pair[0] or pair[1].left == fewest]
        best = _best(sides, tried)
    sides.pairs = best.pairs
    sides.carry()
    return best


def _best(sides: Sides, tried: list[tuple[float, Pairing]]) -> Pairing:
    (off, nearest), *others = sorted(tried, key=lambda pair: pair[0])
    if off == 0:
        return nearest
    if sides.large:
        alone = not others or others[0][0] >= _CLEARLY * off
        return nearest if alone else _decided(sides, [pairing for _, pairing in tried])
    follow = _Following(sides)
    if not others or others[0][0] >= _CLEARLY * off:
        best = nearest
    else:
        best = follow.furthest([nearest, *(pairing for _, pairing in others)])
    return follow.exchanged(best)


def _candidates(
    sides: Sides, ours: Side, theirs: Side, given: tuple[Pair, ...]
) -> Iterator[Pairing]:
    """Yield possible pairings; those by the order of use, which takes a run, come last."""
    seen: dict[frozenset[str], Pairing] = {}
    for pairing in _variants(sides, ours, theirs, candidates(ours, theirs, given)):
        seen[frozenset(map(str, pairing.pairs))] = pairing
        yield pairing
    first, second = orders_of_use(sides)
    used = replace(ours, used=first), replace(theirs, used=second), given
    again = []
    for pairing in _variants(sides, ours, theirs, candidates(*used)):
        earlier = seen.get(frozenset(map(str, pairing.pairs)))
        if earlier is None:
            yield pairing
        else:
            again.append((earlier, pairing))
    for earlier, pairing in again:
        earlier.order = pairing.order


def _variants(
    sides: Sides, ours: Side, theirs: Side, found: Iterator[Pairing]
) -> Iterator[Pairing]:
    """Yield each pairing, then its variants for a port that flattens channels last or has layers.

    A framework's layer may keep a square matrix transposed relative to an original that multiplies
    by its own parameter.
    """
    for pairing in found:
        yield pairing
        other = flattened_last(pairing, ours) if sides.task.channels_last else None
        if other is not None:
            yield other
        turned = [_as_layers(pair, sides, ours, theirs) for pair in pairing.pairs]
        if turned != pairing.pairs:
            yield replace(pairing, pairs=turned)


def _as_layers(pair: Pair, sides: Sides, ours: Side, theirs: Side) -> Pair:
    """Return a pair, transposed if the original has a raw square matrix and the port a layer."""
    shape = ours.shapes.get(pair.ours[0], ())
    square = len(shape) == 2 and shape[0] == shape[1] and pair.layout == SAME
    if not square or len(pair.theirs) > 1 or pair.theirs[0] in theirs.raw | theirs.embeddings:
        return pair
    owner = sides.ours.get_submodule(pair.ours[0].rpartition(".")[0])
    return pair if package_of(owner) == "torch" else replace(pair, layout=TRANSPOSED)


def _decided(sides: Sides, tried: list[Pairing]) -> Pairing:
    """Return the likeliest of pairings that a run cannot distinguish, the next one as `instead`.

    Prefers pairings that keep blocks together, then the order of use, then of definition.
    """
    if all(_carries_alike(sides, tried[0], other) for other in tried[1:]):
        return tried[0]
    fewest = min(pairing.block_pairs for pairing in tried)
    whole = [pairing for pairing in tried if pairing.block_pairs == fewest]
    best, *others = sorted(whole, key=lambda pairing: _ORDERS.index(pairing.order))
    if others:
        best.instead = others[0].pairs
    return best


class _Following:
    """How far a port agrees with its original under a pairing.

    Under the right pairing the port agrees up to its bug; under a wrong one, up to the first wrong
    tensor.
    """

    def __init__(self, sides: Sides) -> None:
        self._sides = sides

    def furthest(self, tried: list[Pairing]) -> Pairing:
        """Return the pairing under which most operations agree."""
        steps = [self.steps(pairing.pairs) for pairing in tried]
        most = max(steps, key=len)
        rest = [one for one in steps if one != most]
        as_far = [p for p, own in zip(tried, steps, strict=True) if own == most]
        clearly = all(one < most or _FOLLOWED * len(one) <= len(most) for one in rest)
        return _decided(self._sides, as_far if clearly else tried)

    def exchanged(self, pairing: Pairing) -> Pairing:
        """Return the pairing with parts swapped as long as swaps make more operations agree."""
        steps = self.steps(pairing.pairs)
        left = _EXCHANGES
        while left:
            for pairs in exchanges(self._sides, pairing.pairs):
                left -= 1
                followed = self.steps(pairs)
                if len(followed) > len(steps):
                    steps, pairing = followed, replace(pairing, pairs=pairs, instead=[])
                    break
                if not left:
                    break
            else:
                break
        return pairing

    def steps(self, pairs: list[Pair]) -> set[Key]:
        """Return the port's operations whose results the original has."""
        self._sides.pairs = pairs
        self._sides.carry()
        try:
            return known_steps(*traces(self._sides, training=False))
        except Exception:  # the check itself reports it
            return set()
        finally:
            self._sides.carry()


def _carries_alike(sides: Sides, first: Pairing, second: Pairing) -> bool:
    """Return whether two pairings give a port the same values, as for fresh norms of ones and
    zeros.
    """
    live = tensors_of(sides.ours)
    other = {pair.theirs: pair.ours for pair in second.pairs}
    pairs = [(pair.ours, other.get(pair.theirs, ())) for pair in first.pairs]
    return all(
        len(a) == len(b) and all(torch.equal(live[x], live[y]) for x, y in zip(a, b, strict=True))
        for a, b in pairs
        if a != b
    )


def _apart(sides: Sides) -> float:
    """Return the sum of the outputs' differences, or inf if they cannot be compared."""
    try:
        figures = forward_figures(sides, training=False)
    except Exception:  # the check itself reports it
        return float("inf")
    return sum((f.difference or 1e9) for f in figures if not f.same)
