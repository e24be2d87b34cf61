"""Search for an operation that the original runs and the port does not."""

from __future__ import annotations

from itertools import islice

import torch

from workbench.verify.locating.lines import differing_lines, line_behind, outer_line, own_line
from workbench.verify.locating.matching import (
    Divergence,
    alike,
    found_in,
    kind_of,
    rearranged,
    rearranges,
    same_places,
)
from workbench.verify.locating.tracing import Step, Trace
from workbench.verify.result import Where
from workbench.verify.sides.places import Births

_TELLING = 5  # letters of a name that is part of another name


def missing_behind(
    divergence: Divergence, ours: Step, theirs: Step, left: Trace, right: Trace, births: Births
) -> tuple[list[Where], bool]:
    """Return where the port lacks an operation of the original, and whether it surely does."""
    given = set(theirs.inputs)
    before = [step for step in right.steps if given & set(step.outputs)]
    floats = [s for s in before if right.values[s.outputs[0]].is_floating_point()]
    before = floats or before  # without labels
    if ours.name == theirs.name or not (before and ours.inputs):
        return [], False
    what = f"after {before[-1].name}, the original calls {ours.name}, which is missing here"
    taken = set(ours.outputs)
    missing = any(_same_name(s, theirs) and taken & set(s.inputs) for s in left.steps)
    # The port continues with it after an operation that is one too many.
    extra = set(theirs.outputs)
    missing &= not any(kind_of(s) == kind_of(ours) and extra & set(s.inputs) for s in right.steps)
    if divergence.all_known and rearranges(left, ours) and not rearranges(right, theirs):
        value = left.values[ours.inputs[0]]
        giving = (step for step in right.steps if _gives(step, value, right))
        before = [next(giving, before[-1])]
        missing = True
    last = _behind_rearranging(before[-1], theirs, right)
    here = (step for step in right.steps if step.lines[:1] == theirs.lines[:1])
    # The line is right for others.
    proven = any(step.outputs[0] in divergence.known for step in here)
    behind = [line_behind(last, theirs, ours, left, proven=proven)]
    called_so = (s for s in right.steps if s is not last and s.name == last.name)
    on_line = [step for step in called_so if step.lines[:1] == last.lines[:1]]
    ends = theirs.frames[:1] != last.frames[:1]  # the next operation is in another function
    shared = ends and any(
        step.owner is not last.owner and _is_left_so(step, ours, left, right) for step in on_line
    )
    if behind[0] == own_line(last):
        others = [step for step in on_line if _continues_as(step, ours, right)]
        behind = differing_lines(last, others, births)
        if shared and not others:  # other modules need that line unchanged
            behind = [outer_line(last), *behind]
    elif behind[0] != own_line(theirs):  # or at the end of the function that contains the operation
        behind = [*behind, own_line(last)] if shared else [own_line(last), *behind]
    if rearranges(right, last):  # the missing operation may belong before the rearranging one
        value = left.values[ours.inputs[0]]
        giving = (step for step in right.steps if alike(right.values[step.outputs[0]], value))
        behind = [*behind, *(own_line(step) for step in islice(giving, 1))]
    places = [Where(line, own_line(ours), what) for line in dict.fromkeys(behind)]
    return places, missing


def _behind_rearranging(step: Step, theirs: Step, trace: Trace) -> Step:
    """Return the operation that gives a value before an operation's own line rearranges it."""
    makers = trace.makers()
    while step.lines[:1] == theirs.lines[:1] and (source := rearranged(trace, step)) in makers:
        step = makers[source]
    return step


def _is_left_so(step: Step, ours: Step, left: Trace, right: Trace) -> bool:
    """Return whether the original has an operation's result and does not pass it to `ours`."""
    same = found_in(left, right.values[step.outputs[0]])
    return bool(same) and not any(s.name == ours.name and same & set(s.inputs) for s in left.steps)


def _same_name(step: Step, other: Step) -> bool:
    """Return whether two operations have similar names, as `conv2d` and `depthwise_conv2d` do."""
    shorter, longer = sorted((step.name.strip("_"), other.name.strip("_")), key=len)
    return shorter == longer or (len(shorter) > _TELLING and shorter in longer)


def _continues_as(step: Step, ours: Step, trace: Trace) -> bool:
    """Return whether a function continues after an operation as the original does."""
    given, name = set(step.outputs), ours.name.strip("_")
    return any(
        s.name.strip("_") == name and given & set(s.inputs) and s.frames[:1] == step.frames[:1]
        for s in trace.steps
    )


def _gives(step: Step, value: torch.Tensor, trace: Trace) -> bool:
    """Return whether an operation's result equals a value, element by element."""
    given = (trace.values[number] for number in step.outputs)
    return any(one.numel() == value.numel() and same_places(one, value) for one in given)
