"""Tensors of two models that are paired one by one: alone, as parts, as lists, by shape."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations

from workbench.verify.pairing.bound import Pair
from workbench.verify.pairing.names import (
    attention_order,
    block_of,
    by_name,
    common_path,
    projection,
    projects_to_several,
    role_of,
)

Shape = tuple[int, ...]
# The parts of a tensor among those of the other side, and the layout that they are in.
PartsOf = Callable[[str, Shape, Mapping[str, Shape]], tuple[tuple[str, ...], str]]


def alone(
    left: Mapping[str, Shape], right: Mapping[str, Shape], order: str, *, uneven: bool = False
) -> Iterator[tuple[str, str]]:
    """Tensors that share a shape with as many of the other side, in order; then single ones.

    With `uneven`, those that share it with more or fewer of the other side, by their names.
    """
    for roles in (True, False):
        kinds: dict[object, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
        for index, names in enumerate((left, right)):
            for name, shape in names.items():
                key = tuple(sorted(n for n in shape if n != 1))
                kinds[(role_of(name) if roles else "", key)][index].append(name)
        for mine, other in kinds.values():
            if len(mine) == len(other):
                in_order = roles or order == "used"
                yield from zip(mine, other, strict=True) if in_order else by_name(mine, other)
            elif uneven and not roles:
                yield from by_name(mine, other)


def fused(
    left: Mapping[str, Shape], right: Mapping[str, Shape], parts_of: PartsOf
) -> Iterator[Pair]:
    """One tensor of one side as consecutive ones of the other, of what is left as it is asked."""
    for mine, other, turned in ((left, right, False), (right, left, True)):
        for name, shape in sorted(mine.items(), key=lambda one: not projects_to_several(one[0])):
            parts, layout = parts_of(name, shape, other) if name in mine else ((), "")
            if parts:
                ours, theirs = (parts, (name,)) if turned else ((name,), parts)
                yield Pair(ours, theirs, layout, "parts")


def stacked(lists: Mapping[str, Shape], stacks: Mapping[str, Shape]) -> Iterator[Pair]:
    """Lists of tensors, by names that differ in a number, beside what keeps each list as one."""
    kinds: dict[object, tuple[list[tuple[list[str], Shape]], list[str]]] = defaultdict(
        lambda: ([], [])
    )
    for count, names, shape in _lists(lists):
        kinds[(count, *sorted(shape))][0].append((names, shape))
    for name, shape in stacks.items():
        if len(shape) > 1:
            kinds[(shape[0], *sorted(shape[1:]))][1].append(name)
    for several, alone in kinds.values():
        if len(several) == len(alone):
            for (names, shape), name in zip(several, alone, strict=True):
                as_it_is = shape == stacks[name][1:]
                yield Pair(tuple(names), (name,), "stack" if as_it_is else "stackT", "parts")


def _lists(named: Mapping[str, Shape]) -> Iterator[tuple[int, list[str], Shape]]:
    """Tensors by names that differ in a number: how many, their names, the shape of each.

    Also two such lists of the same parts as one, each of the first above one of the second.
    """
    groups: dict[str, list[str]] = defaultdict(list)
    for name in named:
        for number in re.finditer(r"(?<=\.)\d+(?=\.)", name):
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
) -> tuple[tuple[str, ...], str]:
    """Tensors of the same role that one is made of, laid along the first dimension.

    They belong to one part of a model: the likest by its path, or with `in_order` the first.
    """
    role = role_of(name).rpartition("_")[2]
    same = [n for n, s in others.items() if s[1:] == shape[1:] and role_of(n).endswith(role) and s]
    if not in_order:
        same = sorted(same, key=lambda n: -common_path(name, n))
    for run in _projections(same):
        if sum(others[n][0] for n in run) == shape[0]:
            return run, ""
    runs = _runs(same, others, shape, 0)
    return next((run for run in runs if len({block_of(n) for n in run}) == 1), ()), ""


def by_size(name: str, shape: Shape, others: Mapping[str, Shape]) -> tuple[tuple[str, ...], str]:
    """Tensors of any role that one is made of, laid along the first or the second dimension."""
    for axis, layout in ((0, ""), (1, "columns"))[: len(shape)]:
        rest = (*shape[:axis], *shape[axis + 1 :])
        same = [
            n
            for n, s in others.items()
            if len(s) == len(shape) and (*s[:axis], *s[axis + 1 :]) == rest
        ]
        run = next(_runs(same, others, shape, axis), ())
        if run:
            return run, layout
    return (), ""


def _runs(
    names: list[str], shapes: Mapping[str, Shape], whole: Shape, axis: int
) -> Iterator[tuple[str, ...]]:
    """Consecutive names whose tensors are together as long as one along a dimension."""
    for count in (2, 3, 4):
        for start in range(len(names) - count + 1):
            run = tuple(attention_order(names[start : start + count]))
            if whole and sum(shapes[n][axis] for n in run) == whole[axis]:
                yield run


def _projections(names: list[str]) -> Iterator[tuple[str, ...]]:
    """Queries, keys and values of one attention, by their names; or queries, and both others."""
    owners: dict[str, dict[int, str]] = defaultdict(dict)
    for name in names:
        owners[block_of(name)].setdefault(projection(name), name)
    for parts in owners.values():
        if parts.keys() >= {0, 1}:
            yield tuple(parts[kind] for kind in (0, 1, 2) if kind in parts)
