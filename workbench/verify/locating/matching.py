"""Where two traces part: the first operations whose result the other side does not have.

The two models need not be written alike: a value is known again by what does not depend on layout
(its size, its moments), and an operation is right if its result is known on the other side, or
leads to one that is.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import torch

from workbench.verify.locating.tracing import Step, Trace

# What is masked by adding a large number says nothing but that it is masked.
_MASKED = 1e4
_SMALL = 8  # numbers that agree by chance
_CLOSE = {torch.float64: 1e-8, torch.float32: 3e-6}


@dataclass(frozen=True, slots=True)
class Parting:
    """The first operation of each side whose result the other does not have."""

    ours: Step | None
    theirs: Step | None


def part(ours: Trace, theirs: Trace) -> Parting:
    """Where the sides part."""
    return Parting(_first(ours, known_in(theirs, ours)), _first(theirs, known_in(ours, theirs)))


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
    return bool(((stack - own).abs() <= close * (own[1].abs() + 1e-30)).all(1).any())


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


def _first(trace: Trace, known: set[int]) -> Step | None:
    right = _right(trace, known)
    frontier = [
        step
        for step in trace.steps
        if step.outputs[0] not in right and all(n in right for n in step.inputs)
    ]
    return frontier[0] if frontier else None


def _right(trace: Trace, known: set[int]) -> set[int]:
    """Values that are known on the other side, that say nothing, or that lead to a known one."""
    right = set(trace.leaves)
    for number, value in enumerate(trace.values):
        flat = value.reshape(-1)
        says_nothing = value.numel() <= 1 or bool((flat == flat[0]).all())
        # Integers show in what is computed from them.
        if number in known or says_nothing or not value.is_floating_point():
            right.add(number)
    for step in reversed(trace.steps):
        if any(n in known and trace.values[n].numel() > 2 for n in step.outputs):
            known |= set(step.inputs)
            right |= set(step.inputs)
    if trace.steps:  # what ends in a single number is judged by it
        last = trace.steps[-1].outputs
        if any(n not in known for n in last):
            right -= set(last)
    return right
