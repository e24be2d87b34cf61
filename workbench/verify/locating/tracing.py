"""Traces: the inputs and outputs of every operation of a pass on either side, with user lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from workbench.streams.torch_recorder import patched
from workbench.targets.port import Called, Ports
from workbench.verify.locating.apart import apart
from workbench.verify.sides.places import Place, calls, package_of

# Queries about a tensor that compute nothing.
_SILENT = frozenset({"__get__", "size", "dim", "numel", "is_floating_point", "__len__", "__repr__"})

# A framework may return one of the last values as another object.
_JUST_NOW = 4


@dataclass(frozen=True, slots=True)
class Step:
    """One operation.

    Attributes:
        name: the framework's name of it.
        inputs: numbers of its input values.
        outputs: numbers of its output values.
        lines: the user's lines that led to it, the innermost first.
        part: the innermost framework module that it ran in, or None.
        owner: the innermost user module that it ran in, or None.
        frames: the function calls that the lines belong to.
        numbers: its arguments that are not tensors.
    """

    name: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    lines: tuple[Place, ...]
    part: Any = None
    owner: Any = None
    numbers: str = ""
    frames: tuple[FrameType, ...] = ()


@dataclass
class Trace:
    """The operations of a pass in order, and every value of it as a torch tensor.

    Attributes:
        package: the framework's package, which distinguishes its modules from the user's.
        steps: the operations.
        values: the values; their indices are their numbers.
        leaves: numbers of the values that no operation of the trace made.
        ends: numbers of the values that the pass returns, if known.
        parts: the modules that are being called, the innermost last.
        each: is called with every value as the framework has it, and its number.
        marked: cached marks of the values.
    """

    package: str
    steps: list[Step] = field(default_factory=list)
    values: list[torch.Tensor] = field(default_factory=list)
    leaves: set[int] = field(default_factory=set)
    ends: set[int] = field(default_factory=set)
    parts: list[Any] = field(default_factory=list)
    each: Callable[[Any, int], None] | None = None
    marked: list[list[list[tuple[torch.Tensor, torch.Tensor]]]] = field(default_factory=list)
    _paused: bool = False
    _numbers: dict[tuple[int, int], int] = field(default_factory=dict)
    _alive: list[Any] = field(default_factory=list)
    # Further objects of values, kept alive so that ids stay unique.
    _others: list[Any] = field(default_factory=list)

    def note(self, called: Called, read: Callable[[Any], torch.Tensor]) -> None:
        """Add an operation; a value written in place counts as a new one."""
        if self._paused:
            return
        inputs = tuple(self._number(t, read, leaf=True) for t in called.inputs)
        outputs = tuple(self._new(t, read) for t in called.outputs)
        if not outputs or any(not self.values[number].numel() for number in outputs):
            return
        inner = self.parts[::-1]
        part = next((p for p in inner if package_of(p) == self.package), None)
        owner = next((p for p in inner if package_of(p) != self.package), None)
        made = list(calls())
        lines, frames = tuple(line for line, _ in made), tuple(frame for _, frame in made)
        self.steps.append(
            Step(called.name, inputs, outputs, lines, part, owner, called.numbers, frames)
        )

    def end_with(self, given: Iterable[torch.Tensor]) -> None:
        """Record which values the pass returns."""
        for value in given:
            same = (n for n, v in enumerate(self.values) if v.shape == value.shape)
            self.ends.update(n for n in same if torch.equal(self.values[n], value))

    def makers(self) -> dict[int, Step]:
        """Return the operations by the numbers of the values that they return."""
        return {number: step for step in self.steps for number in step.outputs}

    def names(self, known: Mapping[int, str]) -> dict[int, str]:
        """Return names of known tensors by value number; `known` maps `id(tensor)` to a name."""
        found = ((number, known.get(id(one))) for number, one in enumerate(self._alive))
        return {number: name for number, name in found if name is not None}

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Record nothing while open, as Torchferry itself reads values."""
        before, self._paused = self._paused, True
        try:
            yield
        finally:
            self._paused = before

    @contextmanager
    def within(self, part: Any) -> Iterator[None]:
        """Record that a module is being called while open."""
        self.parts.append(part)
        try:
            yield
        finally:
            self.parts.pop()

    def _number(self, tensor: Any, read: Callable[[Any], torch.Tensor], *, leaf: bool) -> int:
        known = self._numbers.get((id(tensor), 0))
        if known is not None:
            return known
        if (known := self._recent_equal(read(tensor))) is not None:
            self._others.append(tensor)
            self._numbers[(id(tensor), 0)] = known
            return known
        known = self._new(tensor, read)
        if leaf:
            self.leaves.add(known)
        return known

    def _recent_equal(self, value: torch.Tensor) -> int | None:
        """Return the number of a recent value that equals this one, or None."""
        for number in range(len(self.values) - 1, max(-1, len(self.values) - 1 - _JUST_NOW), -1):
            same = self.values[number]
            alike = same.shape == value.shape and same.dtype == value.dtype
            if number not in self.leaves and alike and same.equal(value):
                return number
        return None

    def _new(self, tensor: Any, read: Callable[[Any], torch.Tensor]) -> int:
        self._alive.append(tensor)
        self.values.append(read(tensor).detach().clone())
        self._numbers[(id(tensor), 0)] = len(self.values) - 1
        if self.each is not None:
            self.each(tensor, len(self.values) - 1)
        return len(self.values) - 1


@contextmanager
def torch_trace(trace: Trace) -> Iterator[None]:
    """Record torch's operations while open."""

    def make(original: Any) -> Any:
        def call(module: Any, *args: Any, **kwargs: Any) -> Any:
            with trace.within(module):
                return original(module, *args, **kwargs)

        return call

    with patched(torch.nn.Module, "__call__", make), apart(), _Noting(trace):
        yield


@contextmanager
def port_trace(trace: Trace, ports: Ports) -> Iterator[None]:
    """Record the target's operations while open."""

    def note(called: Called) -> None:
        with torch.no_grad():
            trace.note(called, ports.to_torch)

    with ports.calls(trace.within), ports.noting(note):
        yield


class _Noting(TorchFunctionMode):
    """Mode that records every torch function; of nested calls only the outermost."""

    def __init__(self, trace: Trace) -> None:
        super().__init__()
        self._trace = trace
        self._quiet = False

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", str(func))
        if self._quiet or name in _SILENT:
            return func(*args, **kwargs)
        self._quiet = True
        try:
            given = [*args, *kwargs.values()]
            inputs = tuple(tensors_in(given))
            for tensor in inputs:  # before the call may write to it
                self._trace._number(tensor, _same, leaf=True)
            result = func(*args, **kwargs)
            into = args[0] if name == "__setitem__" else result
            plain = [v for v in given if isinstance(v, bool | int | float | str)]
            called = Called(name, inputs, tuple(tensors_in(into)), ", ".join(map(repr, plain)))
            self._trace.note(called, _same)
        finally:
            self._quiet = False
        return result


def _same(value: torch.Tensor) -> torch.Tensor:
    return value


def tensors_in(value: Any) -> Iterator[torch.Tensor]:
    """Yield the tensors of nested lists and tuples."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from tensors_in(item)
