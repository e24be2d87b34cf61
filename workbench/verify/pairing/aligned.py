"""Pairing of tensors by the order of use, where one side may fuse several into one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import product

from workbench.verify.pairing.bound import Pair
from workbench.verify.pairing.layout import SAME, Layout
from workbench.verify.pairing.names import projections
from workbench.verify.pairing.singly import MOST_PARTS

Shape = tuple[int, ...]
# Returns the layout in which two tensors are equal, or None if they cannot be.
LayoutOf = Callable[[str, str], "Layout | None"]
# Costs of two pairs in swapped order, and of pairing a query projection with a key or value
# projection (by their names). A pair of several tensors costs 1.
_SWAPPED = 2
_OTHERWISE = 4
_At = tuple[int, int]
# Possible next pairs, as offsets and counts of either side: direct ones, or the next two of one
# side in swapped order, such as keys and values before queries.
_DIRECT = [
    (1, 1),
    *((n, 1) for n in range(2, MOST_PARTS + 1)),
    *((1, n) for n in range(2, MOST_PARTS + 1)),
]
_STEPS = [
    *([(0, a, 0, b)] for a, b in _DIRECT),
    *([(0, a, 1, 1), (a, b, 0, 1)] for a, b in product(range(1, MOST_PARTS), repeat=2)),
    *([(1, 1, 0, a), (0, 1, a, b)] for a, b in product(range(1, MOST_PARTS), repeat=2)),
]
# Limit of the product of the two sequences' lengths.
_LONGEST = 100_000


def aligned(
    left: Mapping[str, Shape], right: Mapping[str, Shape], layout_of: LayoutOf
) -> list[Pair]:
    """Return pairs of both sides' matrices, and of their vectors, each in the order of use.

    All tensors of a kind are paired, or none: each corresponds to one tensor, or adjacent tensors
    concatenated along the first dimension correspond to one. The cheapest alignment is chosen.
    """
    found: list[Pair] = []
    for matrices in (True, False):
        mine, other = (
            [name for name, shape in side.items() if (len(shape) > 1) is matrices]
            for side in (left, right)
        )
        if len(mine) * len(other) <= _LONGEST:
            found += _aligned(mine, other, left, right, layout_of)
    return found


def _aligned(
    mine: Sequence[str],
    other: Sequence[str],
    left: Mapping[str, Shape],
    right: Mapping[str, Shape],
    layout_of: LayoutOf,
) -> list[Pair]:
    def pair(ours: tuple[str, ...], theirs: tuple[str, ...]) -> Pair | None:
        if len(ours) == len(theirs) == 1:
            layout = layout_of(ours[0], theirs[0])
            return None if layout is None else Pair(ours, theirs, layout, "order")
        fits = (
            _are_one(right, theirs, left[ours[0]])
            if len(theirs) > 1
            else _are_one(left, ours, right[theirs[0]])
        )
        return Pair(ours, theirs, SAME, "parts") if fits else None

    pair = cache(pair)
    # By the counts of paired tensors: the cost, the last pairs, and the previous counts.
    best: dict[_At, tuple[int, list[Pair], _At]] = {(0, 0): (0, [], (0, 0))}
    for at in product(range(len(mine) + 1), range(len(other) + 1)):
        if at not in best:
            continue
        i, j = at
        for step in _STEPS:
            end = i + sum(a for _, a, _, _ in step), j + sum(b for _, _, _, b in step)
            if end[0] > len(mine) or end[1] > len(other):
                continue
            pairs = [
                pair(tuple(mine[i + at_a : i + at_a + a]), tuple(other[j + at_b : j + at_b + b]))
                for at_a, a, at_b, b in step
            ]
            found = [one for one in pairs if one is not None]
            if len(found) == len(pairs):
                cost = best[at][0] + _SWAPPED * (len(step) - 1) + sum(map(_cost, found))
                if end not in best or cost < best[end][0]:
                    best[end] = cost, found, at
    result: list[Pair] = []
    at = len(mine), len(other)
    while at in best and at != (0, 0):
        result = [*best[at][1], *result]
        at = best[at][2]
    return result


def _cost(pair: Pair) -> int:
    ours, theirs = (
        frozenset().union(*map(projections, names)) for names in (pair.ours, pair.theirs)
    )
    return _OTHERWISE * bool(ours and theirs and ours != theirs) + (pair.how == "parts")


def _are_one(shapes: Mapping[str, Shape], names: Sequence[str], whole: Shape) -> bool:
    parts = [shapes[name] for name in names]
    if not whole or not all(parts):  # a scalar is not a part of another tensor
        return False
    behind = {part[1:] for part in parts}
    return behind == {whole[1:]} and sum(part[0] for part in parts) == whole[0]
