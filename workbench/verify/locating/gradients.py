"""Where gradients part while values agree: the operation through which they do not come back.

Both sides run once with the gradient of every value noted. From the loss backwards, the first value
that both sides have and whose gradient differs is told, with the operation behind it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import partial
from typing import Any

import torch

from workbench.verify.locating.matching import marks
from workbench.verify.locating.tracing import Step, Trace, port_trace, torch_trace
from workbench.verify.result import Where
from workbench.verify.sides.sides import Sides

Gradients = dict[int, torch.Tensor]
_CLOSE = {torch.float64: 1e-8, torch.float32: 3e-6}
# Of gradients, more rounding has come together.
_CLOSE_GRADIENTS = {torch.float64: 1e-6, torch.float32: 1e-3}


def locate_gradients(sides: Sides) -> list[Where]:
    """The operation of the port through which gradients do not come back as in the original."""
    ours, theirs = Trace("torch"), Trace(sides.ports.package)
    mine: Gradients = {}
    other: Gradients = {}
    ours.each = partial(_note_original, mine)
    theirs.each = partial(_note_port, sides, other)
    with sides.restored(parameters=False):
        around = lambda: torch_trace(ours)  # noqa: E731
        stream = sides.torch_pass(training=True, backward=True, around=around).stream
    port = lambda: port_trace(theirs, sides.ports)  # noqa: E731
    sides.port_pass(stream, training=True, backward=True, around=port)
    if sides.has_weights:
        sides.ports.clear_gradients(sides.theirs)
    sides.carry()
    compared = _without_copies(theirs, _compared(ours, theirs, mine, other))
    if not sides.ports.hooks:
        compared = {n: found for n, found in compared.items() if n not in theirs.leaves}
    return _parting(ours, theirs, compared, other)


def _note_original(found: Gradients, tensor: torch.Tensor, number: int) -> None:
    def note(gradient: torch.Tensor) -> None:
        found[number] = gradient.detach().clone()

    if tensor.requires_grad:
        tensor.register_hook(note)  # type: ignore[no-untyped-call]


def _note_port(sides: Sides, found: Gradients, tensor: Any, number: int) -> None:
    def note(gradient: torch.Tensor) -> None:
        found[number] = gradient.detach().clone()

    sides.ports.note_gradient(tensor, note)


def _compared(
    ours: Trace, theirs: Trace, mine: Gradients, other: Gradients
) -> dict[int, tuple[bool, int]]:
    """Of the port's values that the original has: whether a gradient agrees, and which that is."""
    shelf: dict[int, list[tuple[int, torch.Tensor]]] = defaultdict(list)
    for number, value in enumerate(ours.values):
        if value.is_floating_point() and value.numel():
            shelf[value.numel()].append((number, marks(value)))
    found = {}
    for number, value in enumerate(theirs.values):
        if not value.is_floating_point() or value.numel() <= 1:
            continue
        own = marks(value)
        partners = [n for n, one in shelf[value.numel()] if _close(own, one, _CLOSE, value.dtype)]
        if partners and not bool((value == value.flatten()[0]).all()):
            agreeing = [n for n in partners if _agree(mine.get(n), other.get(number))]
            found[number] = bool(agreeing), (agreeing or partners)[-1]
    return found


def _without_copies(
    trace: Trace, compared: dict[int, tuple[bool, int]]
) -> dict[int, tuple[bool, int]]:
    """The same but for what an operation gives as it took it: of several, each has a part."""
    copies = {
        number
        for step in trace.steps
        for number in step.outputs
        if number in compared
        and any(compared.get(n, (True, -1))[1] == compared[number][1] for n in step.inputs)
    }
    return {number: found for number, found in compared.items() if number not in copies}


def _close(
    own: torch.Tensor, one: torch.Tensor, limits: dict[torch.dtype, float], dtype: torch.dtype
) -> bool:
    return bool(((own - one).abs() <= limits.get(dtype, 1e-2) * (one[1].abs() + 1e-30)).all())


def _agree(mine: torch.Tensor | None, other: torch.Tensor | None) -> bool:
    if mine is None or other is None:
        return all(one is None or not bool(one.any()) for one in (mine, other))
    return _close(marks(other), marks(mine), _CLOSE_GRADIENTS, other.dtype)


def _parting(
    ours: Trace, theirs: Trace, compared: dict[int, tuple[bool, int]], other: Gradients
) -> list[Where]:
    """The place; what several operations take may be wrong by any of them, and comes last."""
    made = {number: step for step in theirs.steps for number in step.outputs}
    takers = Counter(number for step in theirs.steps for number in set(step.inputs))
    found: dict[bool, Where] = {}
    wrong: set[int] = set()  # what lies before a wrong gradient, with the values that ours lacks
    for step in reversed(theirs.steps):
        if wrong & set(step.outputs) or not _all_agree(step.outputs, compared):
            wrong |= {number for number in step.inputs if number not in compared}
            continue
        for number in step.inputs:
            agrees, partner = compared.get(number, (True, 0))
            shared = takers[number] > 1
            if agrees or shared in found:
                continue
            cut = number not in other
            place = made.get(number, step) if cut else step
            cause = "the gradient stops here, and not in the original" if cut else ""
            what = f"the gradient that comes back through {place.name} is another one"
            found[shared] = Where(_line(place), _line(_behind(ours, partner)), what, cause)
    return [found[shared] for shared in sorted(found)][:1]


def _all_agree(numbers: tuple[int, ...], compared: dict[int, tuple[bool, int]]) -> bool:
    return all(compared[number][0] for number in numbers if number in compared)


def _behind(trace: Trace, number: int) -> Step | None:
    """The last operation that takes a value."""
    return next((step for step in reversed(trace.steps) if number in step.inputs), None)


def _line(step: Step | None) -> str:
    return str(step.lines[0]) if step is not None and step.lines else ""
