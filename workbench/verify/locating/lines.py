"""The line that is responsible for an operation: its own, a caller's, or a layer's creation."""

from __future__ import annotations

from collections.abc import Sequence
from types import FrameType
from typing import Any

import torch

from workbench.targets.port import Ports
from workbench.verify.locating.matching import masks_in, rearranged, rearranges
from workbench.verify.locating.tracing import Step, Trace
from workbench.verify.sides.attributes import line_of_attribute
from workbench.verify.sides.literals import is_repeated, line_of_row, line_of_value
from workbench.verify.sides.places import Births


def own_line(step: Step | None) -> str:
    """Return the innermost user line of an operation, or ""."""
    return str(step.lines[0]) if step is not None and step.lines else ""


def line_as_deep(step: Step | None, other: Step | None) -> str:
    """Return the line of an operation at the call depth of another operation, or its own line."""
    if step is None or other is None or not step.lines:
        return own_line(step)
    return str(step.lines[max(0, len(step.lines) - max(1, len(other.lines)))])


def outer_line(step: Step) -> str:
    """Return the line that calls the innermost user module in which an operation runs."""
    levels = _levels(step.frames)
    return str(step.lines[levels.index(1) if 1 in levels else 0])


def lines_at_fault(
    step: Step,
    trace: Trace,
    known: set[int],
    births: Births,
    ports: Ports,
    *,
    masks_first: bool = False,
) -> list[str]:
    """Return the lines that may cause an operation's wrong result, the likeliest first.

    If the same line gives a right result for another layer or call, then the creation of that
    layer, or the call, differs. A table or integers that the original does not have come from
    elsewhere. So do masks, which correct ports may build differently: their lines come last unless
    `masks_first`. The first operation of a function may be right with a wrong argument, so the
    caller's line is included too.
    """
    if table := _table(step, trace, known, ports):
        return [table, own_line(step)]
    masks, numbers = _sources(step, trace, known)
    on_line = [other for other in trace.steps if other.lines[:1] == step.lines[:1]]
    right = [
        other for other in on_line if other.outputs[0] in known and _is_informative(trace, other)
    ]
    shown = {number for other in right for number in (*other.inputs, *other.outputs)}
    same = [other for other in on_line if other.name == step.name and other.outputs[0] in shown]
    if not same:  # operations that another layer runs on this line, such as its own activation
        own = {other.name for other in on_line if other.owner is step.owner}
        same = [other for other in right if other.name not in own]
    rest = [*differing_lines(step, same, births), *_caller(step, trace)]
    return [*masks, *numbers, *rest] if masks_first else [*numbers, *rest, *masks]


def _caller(step: Step, trace: Trace) -> list[str]:
    """Return the caller's line if the step is its function's first operation that computes
    anything.
    """
    if len(step.lines) < 2:
        return []
    own = (s for s in trace.steps if s.frames[:1] == step.frames[:1])
    first = next((s for s in own if s is step or not rearranges(trace, s)), None)
    return [str(step.lines[1])] if first is step else []


def line_that_passes(step: Step, number: int, trace: Trace) -> str:
    """Return the line that passes a value to the function whose operation takes it, in any layout.

    Returns "" if the function itself makes the value, or if nothing does.
    """
    makers = trace.makers()
    maker = makers.get(number)
    while maker is not None and maker.frames[:1] == step.frames[:1]:
        if (source := rearranged(trace, maker)) is None:
            break
        maker = makers.get(source)
    if maker is None:
        return ""
    within = _index(step.frames, maker.frames)
    shared = next((i for i, f in enumerate(step.frames) if f is maker.frames[within]), 0)
    return str(step.lines[shared]) if shared else ""


def _table(step: Step, trace: Trace, known: set[int], ports: Ports) -> str:
    """Return the line that sets a tensor of the step's module which the original does not have, or
    "".
    """
    if step.owner is None:
        return ""
    held = ports.held(step.owner)
    own = {id(t): name for name, one in held.items() for t in one.tensors}
    own |= {id(value): name for name, value in vars(step.owner).items() if ports.is_tensor(value)}
    names = trace.names(own)
    for number in step.inputs:
        if number in names and number not in known and trace.values[number].numel() > 1:
            *_, leaf = names[number].split(".")
            owner = ports.owner(step.owner, names[number]) if names[number] in held else step.owner
            return str(line_of_attribute(owner, leaf) or "")
    return ""


def _sources(step: Step, trace: Trace, known: set[int]) -> tuple[list[str], list[str]]:
    """Return the lines that make the unknown masks and the unknown integers of an operation.

    If a framework's function inverts its argument, the argument's line is included.
    """
    made = trace.makers()
    masks = masks_in(trace)
    whole = {n for n, value in enumerate(trace.values) if not value.is_floating_point()} | masks
    found: tuple[list[str], list[str]] = ([], [])
    for taken in step.inputs:
        number, source = taken, None
        while number in made and number in whole:
            inner = source is not None and own_line(source) == own_line(step)
            if number in known and not inner:
                break
            source = made[number]
            before = [n for n in source.inputs if n in whole]
            number = next((n for n in before if n not in known), before[0] if before else -1)
        is_mask = taken in masks or trace.values[taken].dtype is torch.bool
        if source is not None:
            found[not is_mask].append(own_line(source))
        elif is_mask and taken in made:  # the original has it as well, and uses its inverse
            found[0].append(line_that_passes(step, taken, trace) or own_line(made[taken]))
    return found


def differing_lines(step: Step, others: Sequence[Step], births: Births) -> list[str]:
    """Return the lines that distinguish an operation from those of other calls of its line.

    The operation's own line comes last.
    """
    others = [
        other
        for other in others
        if other.lines[:1] == step.lines[:1] and other.frames[:1] != step.frames[:1]
    ]
    found = [own_line(step)]
    if not others:
        return found
    if step.owner is not None and all(other.owner is not step.owner for other in others):
        return [*made_at(step.owner, [other.owner for other in others], births), *found]
    others = [other for other in others if other.owner is step.owner]
    for depth, line in enumerate(step.lines):
        if all(other.lines[: depth + 1] != step.lines[: depth + 1] for other in others):
            return [str(line), *found]
    return found


def made_at(part: Any, others: Sequence[Any], births: Births) -> list[str]:
    """Return the line that creates a module differently from others, or the table row that does.

    If the same lines create all of them, the line that a loop repeats is returned.
    """
    lines = births.lines(part)
    ways = [births.lines(other) for other in others]
    for depth in range(len(lines)):
        if all(way[: depth + 1] != lines[: depth + 1] for way in ways):
            return [str(lines[depth])]
    rows = (line_of_row(line, births.number(part)) for line in lines)
    row = next((str(row) for row in rows if row is not None), "")
    turn = next((str(line) for line in lines if is_repeated(line)), "")
    return list(dict.fromkeys(line for line in (row or turn, *map(str, lines[:1])) if line))


def line_of_number(theirs: Step, ours: Step, trace: Trace, known: set[int], births: Births) -> str:
    """Return the line that writes the single number in which an operation's call differs, or "".

    If another correct operation uses the same number, only the creation of the step's layer is
    considered.
    """
    own = set(numbers_of(theirs)) - set(numbers_of(ours))
    # Ignores an integer such as a seed.
    own = own if len(own) < 2 else {number for number in own if "." in number}
    if len(own) != 1:
        return ""
    value = float(next(iter(own)))
    same = [s for s in trace.steps if s.name == theirs.name and own <= set(numbers_of(s))]
    born = births.of(theirs.part) if theirs.part is not None else None
    made = [] if born is None else [born]
    shared = any(s.outputs[0] in known and _is_informative(trace, s) for s in same)
    found = (line_of_value(line, value) for line in (*made, *([] if shared else theirs.lines)))
    line = next((line for line in found if line is not None), None)
    if line is not None or shared:
        return str(line or "")
    held = vars(theirs.owner) if theirs.owner is not None else {}
    names = [name for name, one in held.items() if type(one) in (int, float) and one == value]
    return str(line_of_attribute(theirs.owner, names[0]) or "") if len(names) == 1 else ""


def numbers_of(step: Step) -> list[str]:
    """Return an operation's numeric arguments; its others have no counterpart."""
    return [n for n in step.numbers.split(", ") if n.lstrip("-")[:1].isdigit()]


def line_behind(before: Step, theirs: Step, ours: Step, left: Trace, *, proven: bool) -> str:
    """Return the line of the port where an operation of the original is missing, between two
    others.

    The missing operation belongs to the function whose counterpart continues in the original. With
    `proven`, another call has shown that the line of the second operation is right.
    """
    if not before.lines:
        return ""
    given, taken = set(ours.inputs), set(ours.outputs)
    next_ones = [step for step in left.steps if taken & set(step.inputs)]
    together = any(step.frames[:1] == ours.frames[:1] for step in next_ones)
    around = _index(theirs.frames[:1], before.frames)
    if together and around:
        return str(before.lines[around])
    on = any(step.name.strip("_") == theirs.name.strip("_") for step in next_ones)
    elsewhere = all(one is not theirs.frames[0] for one in before.frames)
    if together and on and elsewhere:
        return own_line(before) if proven else own_line(theirs)
    behind = [step for step in left.steps if given & set(step.outputs)]
    within = _index(ours.frames[:1], next_ones[0].frames) if next_ones else 0
    levels = _levels(theirs.frames)
    if within and behind and not any(ours.frames[0] is frame for frame in behind[-1].frames):
        # Before the call that leads to the next operation.
        level = _levels(next_ones[0].frames)[within]
        return str(theirs.lines[levels.index(level) if level in levels else 0])
    out = 0
    if behind and behind[-1].frames:
        out = _levels(behind[-1].frames)[_index(ours.frames, behind[-1].frames)]
    levels = _levels(before.frames)
    index = max((i for i, level in enumerate(levels) if level <= out), default=0) if out else 0
    return str(before.lines[index])


def _index(frames: Sequence[FrameType], among: Sequence[FrameType]) -> int:
    """Return the index of the innermost call that is in `frames`, or 0."""
    return next((i for i, one in enumerate(among) if any(one is f for f in frames)), 0)


def _levels(frames: Sequence[FrameType]) -> list[int]:
    """Return the module depth of each call; a helper function has its caller's depth."""
    found: list[int] = []
    level, current = 0, None
    for frame in frames:
        own = frame.f_locals.get("self")
        if own is not None and current is not None and own is not current:
            level += 1
        current = own if own is not None else current
        found.append(level)
    return found


def _is_informative(trace: Trace, step: Step) -> bool:
    value = trace.values[step.outputs[0]]
    return value.is_floating_point() and bool(value.min() < value.max())
