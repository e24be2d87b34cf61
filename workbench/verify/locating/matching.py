"""Where two traces part: the first operations whose result the other side does not have.

The two models need not be written alike: a value is known again by what does not depend on layout
(its size, its moments), and an operation is right if its result is known on the other side, or
leads to one that is. Where operations that take the same values in the same order give others, or
none does, the values themselves are held together: then one side puts them elsewhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from workbench.verify.locating.tracing import Step, Trace

# What is masked by adding a large number says nothing but that it is masked.
_MASKED = 1e4
_SMALL = 8  # numbers that agree by chance
_CLOSE = {torch.float64: 1e-8, torch.float32: 3e-6}


@dataclass(frozen=True, slots=True)
class Parting:
    """The first operation of each side whose result the other does not have.

    `moved` says that the values are the same, and that their places in the tensors differ;
    `all_known` that no other values differ either.
    """

    ours: Step | None
    theirs: Step | None
    moved: bool = False
    all_known: bool = False


def part(ours: Trace, theirs: Trace) -> Parting:
    """Where the sides part."""
    known = known_in(theirs, ours), known_in(ours, theirs)
    found = Parting(_first(ours, set(known[0])), _first(theirs, set(known[1])))
    if (found.ours is None) is not (found.theirs is None):
        return found
    exact = _exact_in(theirs, ours, known[0]), _exact_in(ours, theirs, known[1])
    if found.ours is None or found.theirs is None:
        moved = _first(ours, exact[0]), _first(theirs, exact[1])
        return Parting(*moved, moved=True, all_known=True)
    other = _other_than(found.ours, found.theirs, ours, theirs)
    if other is None:
        return found
    before = _leading_to(other[0], ours), _leading_to(other[1], theirs)
    moved = _first(ours, exact[0], before[0]), _first(theirs, exact[1], before[1])
    return found if moved[1] is None else Parting(*moved, moved=True)


def _other_than(mine: Step, other: Step, ours: Trace, theirs: Trace) -> tuple[int, int] | None:
    """Values of one shape that two operations take, and that differ, if there are such."""
    for number in other.inputs:
        value = theirs.values[number]
        alike = [n for n in mine.inputs if _bare(ours.values[n].shape) == _bare(value.shape)]
        equal = any(same_places(value, ours.values[n]) for n in alike)
        if value.is_floating_point() and alike and not equal:
            return alike[0], number
    return None


def _leading_to(number: int, trace: Trace) -> set[int]:
    """The values that one is computed from, and itself."""
    found = {number}
    for step in reversed(trace.steps):
        if found & set(step.outputs):
            found |= set(step.inputs)
    return found


def _exact_in(other: Trace, trace: Trace, known: set[int]) -> set[int]:
    """Those known values of a trace that the other has with every number in its place."""
    shelf: dict[tuple[int, ...], list[torch.Tensor]] = defaultdict(list)
    for value in other.values:
        for piece in (value, *_pieces(value)):
            shelf[_bare(piece.shape)].append(piece)
    values = ((number, trace.values[number]) for number in known)
    return {
        n for n, value in values if any(same_places(value, v) for v in shelf[_bare(value.shape)])
    }


def _bare(shape: Sequence[int]) -> tuple[int, ...]:
    return tuple(size for size in shape if size != 1)


def same_places(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Whether tensors of as many numbers hold the same ones in the same order."""
    first, second = (
        one.detach().reshape(-1).to(torch.float64).nan_to_num(0.0, _MASKED, -_MASKED)
        for one in (a, b)
    )
    largest = float(first.abs().max()) if first.numel() else 0.0
    # One number may be rounded by more than a mean of them is.
    close = 10 * max(_CLOSE.get(one.dtype, 1e-5) for one in (a, b))
    return bool(((first - second).abs() <= close * largest).all())


def rearranges(trace: Trace, step: Step) -> bool:
    """Whether an operation gives what it took, elsewhere."""
    given = trace.values[step.outputs[0]]
    taken = [trace.values[number] for number in step.inputs]
    close = _CLOSE.get(given.dtype, 1e-5)
    return any(
        one.numel() == given.numel() and torch.allclose(marks(one), marks(given), rtol=close)
        for one in taken
    )


def count_known(ours: Trace, theirs: Trace) -> int:
    """How many operations of the second side give what the first one has as well."""
    known = known_in(ours, theirs)
    return sum(step.outputs[0] in known for step in theirs.steps)


def known_in(other: Trace, trace: Trace) -> set[int]:
    """The numbers of a trace's values that the other trace has as well."""
    shelf: dict[int, list[torch.Tensor]] = defaultdict(list)
    for value in other.values:
        for piece in (value, *_pieces(value)):
            if piece.numel():
                shelf[piece.numel()].append(marks(piece))
    stacks = {size: torch.stack(held) for size, held in shelf.items()}
    found = set()
    for number, value in enumerate(trace.values):
        pieces = _pieces(value)
        if _among(value, stacks) or (pieces and all(_among(p, stacks) for p in pieces)):
            found.add(number)
    return found


def _among(value: torch.Tensor, stacks: dict[int, torch.Tensor]) -> bool:
    stack = stacks.get(value.numel())
    if stack is None or not value.numel():
        return False
    own = marks(value)
    close = _CLOSE.get(value.dtype, 1e-5)
    # One number, as the largest is, may be rounded by more than a mean of them is.
    largest = own[3:5].abs().max()
    scale = torch.stack([own[1], own[1], own[1], largest, largest, largest]) + 1e-30
    return bool(((stack - own).abs() <= close * scale).all(1).any())


def _pieces(value: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """The halves of a value: what one side keeps fused or twice, the other may keep apart."""
    halves = value.dim() > 1 and value.shape[-1] % 2 == 0 and value.numel() > _SMALL
    return value.chunk(2, dim=-1) if halves and value.is_floating_point() else ()


def marks(value: torch.Tensor) -> torch.Tensor:
    """What a value is known by, whatever its layout; the second is its scale."""
    flat = value.detach().reshape(-1).to(torch.float64).nan_to_num(0.0, _MASKED, -_MASKED)
    masked = flat.abs() >= _MASKED
    flat = flat if bool(masked.all()) else flat.masked_fill(masked, 0.0)
    size = flat.abs()
    root = flat.square().mean().sqrt()
    cube = flat.pow(3).mean()
    cube = cube.sign() * cube.abs() ** (1 / 3)
    return torch.stack([flat.mean(), root, size.mean(), flat.max(), flat.min(), cube])


def _first(trace: Trace, known: set[int], among: set[int] | None = None) -> Step | None:
    """The first operation, among those that give certain values, whose result is not right."""
    right = _right(trace, known)
    frontier = [
        step
        for step in trace.steps
        if step.outputs[0] not in right
        and all(n in right for n in step.inputs)
        and (among is None or step.outputs[0] in among)
    ]
    return frontier[0] if frontier else None


def _of_two(values: torch.Tensor) -> bool:
    return bool(((values == values.min()) | (values == values.max())).all())


def _right(trace: Trace, known: set[int]) -> set[int]:
    """Values that are known on the other side, that say nothing, or that lead to a known one."""
    right = set(trace.leaves)
    constant: set[int] = set()
    of_two: set[int] = set()  # what is masked or one-hot is as large wherever its ones are
    for number, value in enumerate(trace.values):
        flat = value.reshape(-1)
        if value.numel() <= 1 or bool((flat == flat[0]).all()):
            constant.add(number)
        elif value.numel() > _SMALL and value.is_floating_point() and _of_two(flat):
            of_two.add(number)
        # Integers show in what is computed from them.
        if number in known or number in constant or not value.is_floating_point():
            right.add(number)
    leading: set[int] = set()  # to what is known, however few numbers they are
    for step in reversed(trace.steps):
        telling = (n for n in step.outputs if n in known - constant - of_two)
        if any(trace.values[n].numel() > 2 or n in leading for n in telling):
            known |= set(step.inputs)
            leading |= set(step.inputs)
    right |= leading
    if trace.steps:  # what ends in a single number is judged by it
        last = trace.steps[-1].outputs
        if any(n not in known for n in last):
            right -= set(last)
    return right
