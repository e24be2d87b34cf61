"""Pairing of single tensors: alone, as parts of a fused one, as lists, or by shape."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, islice

from workbench.verify.pairing.bound import Pair
from workbench.verify.pairing.layout import (
    COLUMNS,
    RESHAPED,
    SAME,
    STACKED,
    STACKED_TRANSPOSED,
    TRANSPOSED,
    Layout,
)
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
# Limit of adjacent tensors that one fused tensor corresponds to; lists may be longer.
MOST_PARTS = 4
# Tensors that one tensor consists of, and their layout.
Parts = tuple[tuple[str, ...], Layout]
# Yields the tensors of the other side that a tensor may consist of, the likeliest first.
PartsOf = Callable[[str, Shape, Mapping[str, Shape]], Iterator[Parts]]
# Returns how near a tensor of the original is to one of the port, by the pairs so far; 0 if
# unrelated.
Nearness = Callable[[str, str], int]


def alone(
    left: Mapping[str, Shape], right: Mapping[str, Shape], order: str, *, uneven: bool = False
) -> Iterator[tuple[str, str]]:
    """Yield pairs of tensors whose shape is equally frequent on both sides, in order.

    With `uneven`, also yields those with unequal counts, by name. A convolution of patches may
    match a matrix.
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
    """Yield pairs of a tensor of one side with several of the other, from what is left at that
    moment.

    Shapes that are equally frequent on both sides are left out: they are paired one by one.
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


def nearest_pairs(
    left: Mapping[str, Shape], right: Mapping[str, Shape], parts_of: PartsOf, near: Nearness
) -> list[Pair]:
    """Return such pairs whose parts and whole lie in modules that are paired, the nearest first.

    For parts found by size alone, leaves out those that an equally near single tensor matches.
    """

    def depth(pair: Pair) -> int:
        return min(near(mine, other) for mine in pair.ours for other in pair.theirs)

    def alone(pair: Pair) -> bool:
        sides = (left, right) if len(pair.theirs) > 1 else (right, left)
        (whole, parts), (others, own) = sorted((pair.ours, pair.theirs), key=len), sides
        near_to = near if own is right else lambda a, b: near(b, a)

        def single(name: str) -> int:
            """Return how many tensors of the other side match this one alone."""
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


def _made_of(name: str, found: Iterator[Parts], turned: bool) -> Iterator[Pair]:
    for parts, layout in found:
        if turned and layout not in (SAME, COLUMNS):  # layouts describe the port's tensors
            continue
        ours, theirs = (parts, (name,)) if turned else ((name,), parts)
        yield Pair(ours, theirs, layout, "parts")


def in_blocks(left: Mapping[str, Shape], right: Mapping[str, Shape], near: Nearness) -> list[Pair]:
    """Return matrices that the port keeps in blocks of rows or columns, the nearest first.

    Attention with one matrix per head does.
    """
    found = [
        (near(a, b), Pair((a,), (b,), layout, "parts"))
        for a, mine in left.items()
        for b, other in right.items()
        if len(mine) == 2 and len(other) == 3 and (layout := _block_layout(mine, other)) is not None
    ]
    return [pair for depth, pair in sorted(found, key=lambda one: -one[0]) if depth]


def _block_layout(ours: Shape, theirs: Shape) -> Layout | None:
    count, rows, columns = theirs
    if (columns, count * rows) == ours:
        return TRANSPOSED
    if (count * columns, rows) == ours:
        return STACKED_TRANSPOSED
    return RESHAPED if (count * rows, columns) == ours else None


def nearness(pairs: Sequence[Pair]) -> Nearness:
    """Return a function that measures how near two tensors are: the depth of the modules that
    match.

    Two modules match if most of the pairs in one are pairs with the other, and vice versa.
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
    """Return the paths of the modules that contain a tensor, except the model itself."""
    steps = name.split(".")
    return [".".join(steps[:count]) for count in range(1, len(steps))]


def stacked(lists: Mapping[str, Shape], stacks: Mapping[str, Shape]) -> Iterator[Pair]:
    """Yield lists of tensors whose names differ in a number, paired with stacked tensors."""
    kinds: dict[object, tuple[list[tuple[list[str], Shape]], list[str]]] = defaultdict(
        lambda: ([], [])
    )
    for count, names, shape in _lists(lists):
        kinds[(count, *sorted(n for n in shape if n != 1))][0].append((names, shape))
    for name, shape in stacks.items():
        if len(shape) > 1:
            kinds[(shape[0], *sorted(n for n in shape[1:] if n != 1))][1].append(name)
    for several, alone in kinds.values():
        for (names, shape), name in _named_alike(several, alone):
            as_it_is = len(shape) < 2 or shape == stacks[name][1:]
            layout = STACKED if as_it_is else STACKED_TRANSPOSED
            yield Pair(tuple(names), (name,), layout, "parts")


def _named_alike(
    several: list[tuple[list[str], Shape]], alone: list[str]
) -> Iterator[tuple[tuple[list[str], Shape], str]]:
    """Yield lists with the stacks of the same name without its number; pair the others in order.

    Others are paired only if there are equally many: by role and likeness, or in order.
    """
    named = {_with_role(name): name for name in alone}
    found = {_with_role(_unnumbered(names)): (names, shape) for names, shape in several}
    same = found.keys() & named.keys()
    yield from ((found[name], named[name]) for name in found if name in same)
    rest = [one for one in several if _with_role(_unnumbered(one[0])) not in same]
    left = [name for name in alone if _with_role(name) not in same]
    if len(rest) != len(left):
        return
    roles = {name: role_of(name) for name in left}
    own = {_unnumbered(names): (names, shape) for names, shape in rest}
    if len(own) < len(rest) or Counter(map(role_of, own)) != Counter(roles.values()):
        yield from zip(rest, left, strict=True)
        return
    for role in dict.fromkeys(roles.values()):
        mine = [name for name in own if role_of(name) == role]
        other = [name for name in left if roles[name] == role]
        yield from ((own[a], b) for a, b in by_name(mine, other))


def _with_role(name: str) -> str:
    return f"{name.rpartition('.')[0]}.{role_of(name)}"


def _unnumbered(names: Sequence[str]) -> str:
    """Return the common name of tensors whose names differ in one part, without that part."""
    parts = zip(*(name.split(".") for name in names), strict=False)
    return ".".join(same[0] for same in parts if len(set(same)) == 1)


def cut_and_stacked(lists: Mapping[str, Shape], stacks: Mapping[str, Shape]) -> Iterator[Pair]:
    """Yield lists of tensors paired with several tensors, each of which stacks a piece of all of
    them.

    Graph attention, for example, may keep one vector per head, or its two halves separately.
    """
    for count, names, listed in _lists(lists):
        shape = tuple(size for size in listed if size != 1)
        whole = (count, *shape)
        bare = {n: (*s[:1], *(size for size in s[1:] if size != 1)) for n, s in stacks.items()}
        rest = (count, *shape[1:])
        fits = [n for n, s in bare.items() if len(s) > 1 and (*s[:1], *s[2:]) == rest]
        for run in _runs(fits, bare, whole, 1) if shape else ():
            if _differ_in_one_part(run):
                yield Pair(tuple(names), run, STACKED, "parts")


def _lists(named: Mapping[str, Shape]) -> Iterator[tuple[int, list[str], Shape]]:
    """Yield tensors whose names differ in a number: their count, their names and their shape.

    Also yields two such lists of the same modules merged, with rows of the first above the second.
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
        alike = a.partition("#")[0] == b.partition("#")[0] and len(first) == len(second)
        if alike and upper and upper[1:] == lower[1:]:
            both = [name for pair in zip(first, second, strict=True) for name in pair]
            yield len(first), both, (upper[0] + lower[0], *upper[1:])


def parts(
    name: str, shape: Shape, others: Mapping[str, Shape], *, in_order: bool = False
) -> Iterator[Parts]:
    """Yield tensors of the same role whose concatenation along the first dimension has this shape.

    They belong to one module: the one with the most similar path, or with `in_order` the first.
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
            yield run, SAME
    runs = _runs(same, others, shape, 0)
    yield from ((run, SAME) for run in runs if len({block_of(n) for n in run}) == 1)


def _behind_first(shape: Shape) -> Shape:
    """Return all sizes but the first, without ones: a 1x1 convolution is a matrix."""
    return tuple(size for size in shape[1:] if size != 1)


def by_size(name: str, shape: Shape, others: Mapping[str, Shape]) -> Iterator[Parts]:
    """Yield tensors of any role whose concatenation along dimension 0 or 1 has this shape.

    Their names differ in one word. Leading batch dimensions of size 1 are ignored. A port's own
    matrices may each be transposed, or hold blocks of rows.
    """
    yield from _of_kinds(shape, others)
    bare = _without_batch(shape)
    rows = {n: _as_rows(s, len(bare)) for n, s in others.items()}
    for axis, layout in ((0, SAME), (1, COLUMNS))[: len(shape)]:
        whole, sizes = (shape, others) if axis else (bare, rows)
        rest = (*whole[:axis], *whole[axis + 1 :])
        same = [
            n
            for n, s in sizes.items()
            if len(s) == len(whole) and (*s[:axis], *s[axis + 1 :]) == rest
        ]
        runs = _runs(same, sizes, whole, axis)
        yield from ((run, layout) for run in runs if _differ_in_one_part(run))
    if len(shape) == 2 and shape[0] != shape[1]:
        same = [n for n, s in others.items() if len(s) == 2 and s[0] == shape[1]]
        runs = _runs(same, others, shape[::-1], 1)
        yield from ((run, TRANSPOSED) for run in runs if _differ_in_one_part(run))


def _of_kinds(whole: Shape, others: Mapping[str, Shape]) -> Iterator[Parts]:
    """Yield tensors with the names of parts that torch keeps fused, in any possible layout."""
    for run in named_runs(list(others)):
        shapes = [others[name] for name in run]
        sizes = {tuple(n for n in shape if n != 1) for shape in shapes}
        if len(sizes) > 1 or sum(map(math.prod, shapes)) != math.prod(whole):
            continue
        size = sizes.pop()
        if len(whole) == 1 or size[1:] == whole[1:]:
            yield run, SAME
        elif len(whole) == 2 and size[:1] == whole[1:] and len(size) == 2:
            yield run, TRANSPOSED
        elif len(whole) == 2 and len(size) == 3 and whole[1] in size[1:]:
            yield run, STACKED if size[2] == whole[1] else STACKED_TRANSPOSED


def _as_rows(shape: Shape, dimensions: int) -> Shape:
    """Return the shape of a block of rows with this number of dimensions; a vector is one row."""
    if len(shape) == dimensions:
        return shape
    bare = _without_batch(shape)
    return (1, *bare) if len(bare) + 1 == dimensions else bare


def _without_batch(shape: Shape) -> Shape:
    """Return a shape without leading ones, if it has three dimensions or more.

    A shape with one size other than 1 becomes a vector.
    """
    bare = tuple(size for size in shape if size != 1)
    if len(bare) == 1:
        return bare
    return _without_batch(shape[1:]) if len(shape) > 2 and shape[0] == 1 else shape


def _differ_in_one_part(names: Sequence[str]) -> bool:
    paths = [name.split(".") for name in names]
    if len({len(path) for path in paths}) > 1:
        return False
    return sum(len(set(words)) > 1 for words in zip(*paths, strict=True)) == 1


def _runs(
    names: list[str], shapes: Mapping[str, Shape], whole: Shape, axis: int
) -> Iterator[tuple[str, ...]]:
    """Yield adjacent names, or a list, whose tensors together have the size of one along a
    dimension.
    """
    for count in range(2, MOST_PARTS + 1):
        for start in range(len(names) - count + 1):
            run = tuple(attention_order(names[start : start + count]))
            if whole and sum(shapes[n][axis] for n in run) == whole[axis]:
                yield run
    for count, several, shape in _lists({name: shapes[name] for name in names}):
        if count > MOST_PARTS and whole and count * shape[axis] == whole[axis]:
            yield tuple(several)


def _projections(names: list[str]) -> Iterator[tuple[str, ...]]:
    """Yield the queries, keys and values of one attention by name, or queries and a fused rest."""
    owners: dict[str, dict[int, str]] = defaultdict(dict)
    for name in names:
        owners[block_of(name)].setdefault(projection(name), name)
    for parts in owners.values():
        if parts.keys() >= {0, 1}:
            yield tuple(parts[kind] for kind in (0, 1, 2) if kind in parts)
