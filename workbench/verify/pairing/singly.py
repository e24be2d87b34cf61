"""Tensors of two models that are paired one by one: alone, as parts, as lists, by shape."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, islice

from workbench.verify.pairing.bound import Pair
from workbench.verify.pairing.names import (
    attention_order,
    block_of,
    by_name,
    common_path,
    named_runs,
    projection,
    projects_to_several,
    role_of,
)

Shape = tuple[int, ...]
# So many tensors that follow each other may be one; those of a list may be more.
MOST_PARTS = 4
# What a tensor may be made of among those of the other side, the likeliest first, and the layout.
PartsOf = Callable[[str, Shape, Mapping[str, Shape]], Iterator[tuple[tuple[str, ...], str]]]
# How near a tensor of the original's lies to one of the port's, by what is paired; 0 for nowhere.
Nearness = Callable[[str, str], int]


def alone(
    left: Mapping[str, Shape], right: Mapping[str, Shape], order: str, *, uneven: bool = False
) -> Iterator[tuple[str, str]]:
    """Tensors that share a shape with as many of the other side, in order; then single ones.

    With `uneven`, those that share it with more or fewer of the other side, by their names. What
    convolves patches may be a matrix.
    """
    for roles, flat in ((True, False), (False, False), (False, True)):
        kinds: dict[object, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
        for index, names in enumerate((left, right)):
            for name, shape in names.items():
                bare = (shape[0], math.prod(shape[1:])) if flat and len(shape) > 2 else shape
                key = tuple(sorted(n for n in bare if n != 1))
                kinds[(role_of(name) if roles else "", key)][index].append(name)
        for mine, other in kinds.values():
            if len(mine) == len(other):
                in_order = roles or order == "used"
                yield from zip(mine, other, strict=True) if in_order else by_name(mine, other)
            elif uneven and not roles and not flat:
                yield from by_name(mine, other)


def fused(
    left: Mapping[str, Shape], right: Mapping[str, Shape], parts_of: PartsOf
) -> Iterator[Pair]:
    """One tensor of one side as several of the other, of what is left as it is asked.

    None where both sides have as many of each: these are paired one by one.
    """

    def even(pair: Pair) -> bool:
        counts = [
            Counter((role_of(n), *sorted(s)) for n, s in side.items()) for side in (left, right)
        ]
        shapes = [(role_of(n), *sorted(left[n])) for n in pair.ours]
        shapes += [(role_of(n), *sorted(right[n])) for n in pair.theirs]
        return all(counts[0][one] == counts[1][one] for one in shapes)

    for several in _options(left, right, parts_of):
        yield from islice((pair for pair in several if not even(pair)), 1)


def near_ones(
    left: Mapping[str, Shape], right: Mapping[str, Shape], parts_of: PartsOf, near: Nearness
) -> list[Pair]:
    """The same where the parts lie in what is paired with where the whole lies, the nearest first.

    Of parts by their size alone, none that would be paired with a single one as near.
    """

    def depth(pair: Pair) -> int:
        return min(near(mine, other) for mine in pair.ours for other in pair.theirs)

    def alone(pair: Pair) -> bool:
        sides = (left, right) if len(pair.theirs) > 1 else (right, left)
        (whole, parts), (others, own) = sorted((pair.ours, pair.theirs), key=len), sides
        near_to = near if own is right else lambda a, b: near(b, a)

        def single(name: str) -> int:
            """How many of the other side may as well be this one alone."""
            return sum(others[a] == own[name] and near_to(a, name) >= depth(pair) for a in others)

        if any(others[whole[0]] == own[b] and near_to(whole[0], b) >= depth(pair) for b in own):
            return True
        return any(single(name) >= len(parts) for name in parts)

    options = [pair for several in _options(left, right, parts_of) for pair in several]
    found = [p for p in options if depth(p) and not (parts_of is by_size and alone(p))]
    return sorted(found, key=lambda pair: -depth(pair))


def _options(
    left: Mapping[str, Shape], right: Mapping[str, Shape], parts_of: PartsOf
) -> Iterator[Iterator[Pair]]:
    for mine, other, turned in ((left, right, False), (right, left, True)):
        for name, shape in sorted(mine.items(), key=lambda one: not projects_to_several(one[0])):
            if name in mine:
                yield _made_of(name, parts_of(name, shape, other), turned)


def _made_of(
    name: str, found: Iterator[tuple[tuple[str, ...], str]], turned: bool
) -> Iterator[Pair]:
    for parts, layout in found:
        if turned and layout not in ("", "columns"):  # layouts are those of the port's tensors
            continue
        ours, theirs = (parts, (name,)) if turned else ((name,), parts)
        yield Pair(ours, theirs, layout, "parts")


def in_blocks(left: Mapping[str, Shape], right: Mapping[str, Shape], near: Nearness) -> list[Pair]:
    """Matrices that the port keeps in blocks of rows or columns, the nearest first.

    As an attention does whose heads have a matrix each.
    """
    found = [
        (near(a, b), Pair((a,), (b,), layout, "parts"))
        for a, mine in left.items()
        for b, other in right.items()
        if len(mine) == 2 and len(other) == 3 and (layout := _block_layout(mine, other)) is not None
    ]
    return [pair for depth, pair in sorted(found, key=lambda one: -one[0]) if depth]


def _block_layout(ours: Shape, theirs: Shape) -> str | None:
    count, rows, columns = theirs
    if (columns, count * rows) == ours:
        return "T"
    if (count * columns, rows) == ours:
        return "stackT"
    return "view" if (count * rows, columns) == ours else None


def nearness(pairs: Sequence[Pair]) -> Nearness:
    """How near two tensors lie by what is paired already: how deep the parts are that match.

    Parts of two models match where most of what is paired in one is paired with what is in the
    other, and the other way round.
    """
    counts: Counter[tuple[str, str]] = Counter()
    totals: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    for pair in pairs:
        mine, other = _around(pair.ours[0]), _around(pair.theirs[0])
        counts.update((a, b) for a in mine for b in other)
        totals[0].update(mine)
        totals[1].update(other)
    match = {
        (a, b)
        for (a, b), count in counts.items()
        if 2 * count > totals[0][a] and 2 * count > totals[1][b]
    }

    def near(mine: str, other: str) -> int:
        both = ((a, b) for a in _around(mine) for b in _around(other))
        return max((a.count(".") + b.count(".") + 2 for a, b in both if (a, b) in match), default=0)

    return near


def _around(name: str) -> list[str]:
    """The parts that a tensor lies in, but for the model itself."""
    steps = name.split(".")
    return [".".join(steps[:count]) for count in range(1, len(steps))]


def stacked(lists: Mapping[str, Shape], stacks: Mapping[str, Shape]) -> Iterator[Pair]:
    """Lists of tensors, by names that differ in a number, beside what keeps each list as one."""
    kinds: dict[object, tuple[list[tuple[list[str], Shape]], list[str]]] = defaultdict(
        lambda: ([], [])
    )
    for count, names, shape in _lists(lists):
        kinds[(count, *sorted(n for n in shape if n != 1))][0].append((names, shape))
    for name, shape in stacks.items():
        if len(shape) > 1:
            kinds[(shape[0], *sorted(n for n in shape[1:] if n != 1))][1].append(name)
    for several, alone in kinds.values():
        if len(several) == len(alone):
            for (names, shape), name in zip(several, alone, strict=True):
                as_it_is = len(shape) < 2 or shape == stacks[name][1:]
                yield Pair(tuple(names), (name,), "stack" if as_it_is else "stackT", "parts")


def cut_and_stacked(lists: Mapping[str, Shape], stacks: Mapping[str, Shape]) -> Iterator[Pair]:
    """Lists of tensors beside several that each keep a piece of all of a list's, as one.

    Of two vectors in one for each head of an attention, the one is applied to what it looks from.
    """
    for count, names, listed in _lists(lists):
        shape = tuple(size for size in listed if size != 1)
        whole = (count, *shape)
        bare = {n: (*s[:1], *(size for size in s[1:] if size != 1)) for n, s in stacks.items()}
        rest = (count, *shape[1:])
        fits = [n for n, s in bare.items() if len(s) > 1 and (*s[:1], *s[2:]) == rest]
        for run in _runs(fits, bare, whole, 1) if shape else ():
            if _beside(run):
                yield Pair(tuple(names), run, "stack", "parts")


def _lists(named: Mapping[str, Shape]) -> Iterator[tuple[int, list[str], Shape]]:
    """Tensors by names that differ in a number: how many, their names, the shape of each.

    Also two such lists of the same parts as one, each of the first above one of the second.
    """
    groups: dict[str, list[str]] = defaultdict(list)
    for name in named:
        for number in re.finditer(r"\d+(?=\.)", name):
            groups[name[: number.start()] + "#" + name[number.end() :]].append(name)
    found = {
        pattern: names
        for pattern, names in groups.items()
        if len(names) > 1 and len({named[name] for name in names}) == 1
    }
    for names in found.values():
        yield len(names), names, named[names[0]]
    for (a, first), (b, second) in combinations(found.items(), 2):
        upper, lower = named[first[0]], named[second[0]]
        beside = a.partition("#")[0] == b.partition("#")[0] and len(first) == len(second)
        if beside and upper and upper[1:] == lower[1:]:
            both = [name for pair in zip(first, second, strict=True) for name in pair]
            yield len(first), both, (upper[0] + lower[0], *upper[1:])


def parts(
    name: str, shape: Shape, others: Mapping[str, Shape], *, in_order: bool = False
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Tensors of the same role that one is made of, laid along the first dimension.

    They belong to one part of a model: the likest by its path, or with `in_order` the first.
    """
    role = role_of(name).rpartition("_")[2]
    rest = _behind_first(shape)
    same = [
        n for n, s in others.items() if s and _behind_first(s) == rest and role_of(n).endswith(role)
    ]
    if not in_order:
        same = sorted(same, key=lambda n: -common_path(name, n))
    for run in (*named_runs(same), *_projections(same)):
        if sum(others[n][0] for n in run) == shape[0]:
            yield run, ""
    runs = _runs(same, others, shape, 0)
    yield from ((run, "") for run in runs if len({block_of(n) for n in run}) == 1)


def _behind_first(shape: Shape) -> Shape:
    """All sizes but the first, without ones: a convolution of single points is a matrix."""
    return tuple(size for size in shape[1:] if size != 1)


def by_size(
    name: str, shape: Shape, others: Mapping[str, Shape]
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Tensors of any role that one is made of, laid along the first or the second dimension.

    They lie beside each other: their names differ in one word. Batches of one are none. A port's
    own matrices may be transposed, each, or keep blocks of rows.
    """
    yield from _of_kinds(shape, others)
    bare = _without_batch(shape)
    rows = {n: _as_rows(s, len(bare)) for n, s in others.items()}
    for axis, layout in ((0, ""), (1, "columns"))[: len(shape)]:
        whole, sizes = (shape, others) if axis else (bare, rows)
        rest = (*whole[:axis], *whole[axis + 1 :])
        same = [
            n
            for n, s in sizes.items()
            if len(s) == len(whole) and (*s[:axis], *s[axis + 1 :]) == rest
        ]
        runs = _runs(same, sizes, whole, axis)
        yield from ((run, layout) for run in runs if _beside(run))
    if len(shape) == 2 and shape[0] != shape[1]:
        same = [n for n, s in others.items() if len(s) == 2 and s[0] == shape[1]]
        runs = _runs(same, others, shape[::-1], 1)
        yield from ((run, "T") for run in runs if _beside(run))


def _of_kinds(whole: Shape, others: Mapping[str, Shape]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Tensors that are called as what torch keeps as one, in any layout that they may have."""
    for run in named_runs(list(others)):
        shapes = [others[name] for name in run]
        sizes = {tuple(n for n in shape if n != 1) for shape in shapes}
        if len(sizes) > 1 or sum(map(math.prod, shapes)) != math.prod(whole):
            continue
        size = sizes.pop()
        if len(whole) == 1 or size[1:] == whole[1:]:
            yield run, ""
        elif len(whole) == 2 and size[:1] == whole[1:] and len(size) == 2:
            yield run, "T"
        elif len(whole) == 2 and len(size) == 3 and whole[1] in size[1:]:
            yield run, "stack" if size[2] == whole[1] else "stackT"


def _as_rows(shape: Shape, dimensions: int) -> Shape:
    """A shape as that of rows of a tensor with so many dimensions, as a vector may be one."""
    if len(shape) == dimensions:
        return shape
    bare = _without_batch(shape)
    return (1, *bare) if len(bare) + 1 == dimensions else bare


def _without_batch(shape: Shape) -> Shape:
    """A shape of three dimensions or more without the ones that it begins with.

    One that is a vector but for ones is that vector.
    """
    bare = tuple(size for size in shape if size != 1)
    if len(bare) == 1:
        return bare
    return _without_batch(shape[1:]) if len(shape) > 2 and shape[0] == 1 else shape


def _beside(names: Sequence[str]) -> bool:
    paths = [name.split(".") for name in names]
    if len({len(path) for path in paths}) > 1:
        return False
    return sum(len(set(words)) > 1 for words in zip(*paths, strict=True)) == 1


def _runs(
    names: list[str], shapes: Mapping[str, Shape], whole: Shape, axis: int
) -> Iterator[tuple[str, ...]]:
    """Consecutive names, or a list, whose tensors are together as long as one along a dimension."""
    for count in range(2, MOST_PARTS + 1):
        for start in range(len(names) - count + 1):
            run = tuple(attention_order(names[start : start + count]))
            if whole and sum(shapes[n][axis] for n in run) == whole[axis]:
                yield run
    for count, several, shape in _lists({name: shapes[name] for name in names}):
        if count > MOST_PARTS and whole and count * shape[axis] == whole[axis]:
            yield tuple(several)


def _projections(names: list[str]) -> Iterator[tuple[str, ...]]:
    """Queries, keys and values of one attention, by their names; or queries, and both others."""
    owners: dict[str, dict[int, str]] = defaultdict(dict)
    for name in names:
        owners[block_of(name)].setdefault(projection(name), name)
    for parts in owners.values():
        if parts.keys() >= {0, 1}:
            yield tuple(parts[kind] for kind in (0, 1, 2) if kind in parts)
