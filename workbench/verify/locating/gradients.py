"""Location of a gradient's divergence while values agree.

Both sides run once and record the gradient of every value. Going backwards from the loss, the first
value that both sides have and whose gradient differs is reported, with its operation.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import partial
from typing import Any

import torch

from workbench.targets.port import Ports
from workbench.verify.locating.lines import differing_lines, own_line
from workbench.verify.locating.matching import marks
from workbench.verify.locating.tracing import Step, Trace, port_trace, torch_trace
from workbench.verify.result import Where
from workbench.verify.sides.places import Births
from workbench.verify.sides.sides import Sides

Gradients = dict[int, torch.Tensor]
_CLOSE = {torch.float64: 1e-8, torch.float32: 3e-6}
# Gradients accumulate more rounding than values.
_CLOSE_GRADIENTS = {torch.float64: 1e-6, torch.float32: 1e-3}
_STOPS = "the gradient stops here, and not in the original"
_COMES_BACK = "a gradient reaches this operation, and none in the original: check what is detached"


def locate_gradients(sides: Sides, births: Births) -> list[Where]:
    """Locate the port's operation whose backward pass differs from the original's."""
    traces = Trace("torch"), Trace(sides.ports.package)
    noted = NotedGradients(sides.ports)
    noted.of_original(traces[0])
    noted.of_port(traces[1])
    with sides.restored(parameters=False):
        around = lambda: torch_trace(traces[0])  # noqa: E731
        stream = sides.torch_pass(training=True, backward=True, around=around).stream
    port = lambda: port_trace(traces[1], sides.ports)  # noqa: E731
    sides.port_pass(stream, training=True, backward=True, around=port)
    if sides.has_weights:
        sides.ports.clear_gradients(sides.theirs)
    sides.carry()
    return noted.places(births)


class NotedGradients:
    """Gradients of the values of two traces, received in the backward pass."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports
        self._ours, self._theirs = Trace("torch"), Trace(ports.package)
        self._mine: Gradients = {}
        self._other: Gradients = {}

    def of_original(self, trace: Trace) -> None:
        """Record the gradients of torch's values; call it before the trace is filled."""

        def note(tensor: torch.Tensor, number: int) -> None:
            if tensor.requires_grad:
                keep = partial(_keep, self._mine, number)
                tensor.register_hook(keep)  # type: ignore[no-untyped-call]

        self._ours = trace
        trace.each = note

    def of_port(self, trace: Trace) -> None:
        """Record the gradients of the port's values; call it before the trace is filled."""

        def note(tensor: Any, number: int) -> None:
            self._ports.note_gradient(tensor, partial(_keep, self._other, number))

        self._theirs = trace
        trace.each = note

    def places(self, births: Births) -> list[Where]:
        """Return the port's operation whose backward pass differs from the original's."""
        compared = _compared(self._ours, self._theirs, self._mine, self._other)
        compared = _without_copies(self._theirs, compared)
        if not self._ports.hooks:
            compared = {n: found for n, found in compared.items() if n not in self._theirs.leaves}
        return _divergence(self._ours, self._theirs, compared, (self._mine, self._other), births)


def _keep(found: Gradients, number: int, gradient: torch.Tensor | None) -> None:
    if gradient is not None:  # torch passes None if no gradient arrives
        found[number] = gradient.detach().clone()


def _compared(
    ours: Trace, theirs: Trace, mine: Gradients, other: Gradients
) -> dict[int, tuple[bool, int]]:
    """Return, for the port's values that the original has, whether gradients agree, and its
    partner.
    """
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
            reached = [n for n in partners if n in mine]
            found[number] = bool(agreeing), (agreeing or reached or partners)[-1]
    return found


def _without_copies(
    trace: Trace, compared: dict[int, tuple[bool, int]]
) -> dict[int, tuple[bool, int]]:
    """Drop results of operations that return an input unchanged: their gradients are partial."""
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


def _divergence(
    ours: Trace,
    theirs: Trace,
    compared: dict[int, tuple[bool, int]],
    gradients: tuple[Gradients, Gradients],
    births: Births,
) -> list[Where]:
    """Return the divergence; a value with several consumers comes last, as any of them may be
    wrong.

    If the same line is right in another call, the caller's line comes first.
    """
    mine, other = gradients
    made = theirs.makers()
    takers = Counter(number for step in theirs.steps for number in set(step.inputs))
    found: dict[tuple[bool, bool], list[Where]] = {}
    # Inputs of operations with a wrong gradient that the original does not have.
    wrong: set[int] = set()
    for step in reversed(theirs.steps):
        if wrong & set(step.outputs) or not _all_agree(step.outputs, compared):
            wrong |= {number for number in step.inputs if number not in compared}
            continue
        for number in step.inputs:
            agrees, partner = compared.get(number, (True, 0))
            shared = takers[number] > 1
            order = partner in mine, shared
            if agrees or order in found:
                continue
            place, cause, extra = step, "", partner not in mine
            if number not in other:
                lost = {n for n, (agrees, _) in compared.items() if not agrees and n not in other}
                place, cause = _source(number, step, made, lost), _STOPS
            if extra:
                cause = _COMES_BACK
            what = f"the values agree, and the gradient back through {place.name} does not"
            right = [
                one
                for one in theirs.steps
                if one.name == place.name
                and compared.keys() & set(one.inputs)
                and _all_agree(one.inputs, compared)
            ]
            lines = differing_lines(place, right, births)
            if extra and number in made:  # detached where it is consumed, or where it is computed
                maker = made[number]
                cut = any(compared.get(n, (True, -1))[1] in mine for n in maker.inputs)
                lines.insert(0 if cut else len(lines), own_line(maker))
            if place is not step:  # it may also be detached where it is consumed
                lines.append(own_line(step))
            original = own_line(_behind(ours, partner))
            found[order] = [Where(line, original, what, cause) for line in dict.fromkeys(lines)]
    return next((found[order] for order in sorted(found)), [])


def _source(number: int, taker: Step, made: dict[int, Step], lost: set[int]) -> Step:
    """Return the first of the chained operations that no gradient reaches, or the consumer."""
    while number in made:
        taker = made[number]
        before = [n for n in taker.inputs if n in lost]
        if not before:
            return taker
        number = before[0]
    return taker


def _all_agree(numbers: tuple[int, ...], compared: dict[int, tuple[bool, int]]) -> bool:
    return all(compared[number][0] for number in numbers if number in compared)


def _behind(trace: Trace, number: int) -> Step | None:
    """Return the last operation that takes a value, or None."""
    return next((step for step in reversed(trace.steps) if number in step.inputs), None)
