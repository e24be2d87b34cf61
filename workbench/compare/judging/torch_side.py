"""Recording of torch's losses, gradients and module calls while a statement runs."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import torch
from torch.nn.modules.lazy import LazyModuleMixin
from torch.nn.parameter import is_lazy
from torch.nn.utils import get_total_norm
from torch.nn.utils.parametrize import ParametrizationList
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

from workbench.compare.carry.identity import IdentityMap
from workbench.compare.carry.versions import version
from workbench.compare.judging.tensors import CANCELLED, short
from workbench.compare.judging.tolerance import Tolerance
from workbench.streams.torch_recorder import FreshWeights, patched


@dataclass(slots=True)
class Snapshot:
    """The fresh weights of a module at its first call, before any training."""

    module: torch.nn.Module
    values: dict[int, torch.Tensor]


@dataclass(slots=True)
class Heard:
    """Records of one side: losses and gradient norms by line of the cell, fresh modules, texts.

    `snapshots` has the fresh modules in call order.
    """

    losses: dict[int, list[torch.Tensor]] = field(default_factory=dict)
    gradients: dict[int, list[torch.Tensor]] = field(default_factory=dict)
    snapshots: list[Snapshot] = field(default_factory=list)
    described: set[str] = field(default_factory=set)  # the texts of modules that were printed
    listening: float = 0.0  # seconds for norms, to be subtracted from the side's time
    # Tensors created without values, with their versions.
    _empty: IdentityMap = field(default_factory=IdentityMap)

    def note_empty(self, tensor: torch.Tensor) -> None:
        """Record a tensor whose memory was given no value."""
        self._empty[tensor] = version(tensor)

    @contextmanager
    def not_counted(self) -> Iterator[None]:
        """Measure time that the side would not spend by itself."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.listening += time.perf_counter() - start

    def counts(self) -> tuple[dict[int, int], ...]:
        """Return the numbers of losses and of gradient norms by line."""
        records = self.losses, self.gradients
        return tuple({line: len(each) for line, each in record.items()} for record in records)

    def drop_after(self, counts: tuple[dict[int, int], ...]) -> None:
        """Drop the losses and gradient norms that were recorded after a count."""
        for record, known in zip((self.losses, self.gradients), counts, strict=True):
            for line, values in record.items():
                del values[known.get(line, 0) :]

    def holds_nothing(self, value: object) -> bool:
        """Return whether a tensor was created empty and has not been written to."""
        if not isinstance(value, torch.Tensor) or (known := self._empty.get(value)) is None:
            return False
        return bool(known == version(value))


class Updates:
    """Number of optimizer steps of each parameter, which determines its accumulated rounding.

    For vectors it also records which elements only rounding has moved. A bias before batch
    normalization, or of keys in attention, has gradients that cancel to zero up to rounding; Adam
    makes full steps of them in a random direction.
    """

    def __init__(self) -> None:
        self.steps = 0  # of all optimizers
        self._counts = IdentityMap()
        self._cancelled = IdentityMap()

    def of(self, parameter: torch.Tensor) -> int:
        """Return the number of steps so far."""
        return self._counts.get(parameter) or 0

    def cancelled(self, parameter: torch.Tensor) -> torch.Tensor | None:
        """Return a mask of the elements whose gradients were never more than rounding, or None."""
        mask: torch.Tensor | None = self._cancelled.get(parameter)
        return mask

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Count steps while open."""

        def count(optimizer: torch.optim.Optimizer, args: Any, kwargs: Any) -> None:
            self.steps += 1
            for group in optimizer.param_groups:
                for parameter in group["params"]:
                    self._counts[parameter] = self.of(parameter) + 1
                self._watch([p for p in group["params"] if p.dim() == 1 and p.grad is not None])

        handle = register_optimizer_step_post_hook(count)
        try:
            yield
        finally:
            handle.remove()

    def _watch(self, vectors: list[torch.Tensor]) -> None:
        gradients = [vector.grad.detach().abs() for vector in vectors if vector.grad is not None]
        if not gradients or gradients[0].layout is not torch.strided:
            return
        largest = max(float(gradient.max()) for gradient in gradients if gradient.numel())
        for vector, gradient in zip(vectors, gradients, strict=True):
            absolute = Tolerance().limit(short(gradient.dtype)).absolute
            mask = gradient <= CANCELLED * largest + absolute
            before = self._cancelled.get(vector)
            self._cancelled[vector] = mask if before is None else mask & before


@contextmanager
def watching(
    heard: Heard, fresh: FreshWeights, filename: str, line_of: Callable[[int], int]
) -> Iterator[None]:
    """Record losses, first calls of fresh modules and printed modules while open."""

    def backward(original: Any) -> Any:
        under_way = False

        def run(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
            nonlocal under_way
            if under_way:  # torch calls it by name again if a default device is set
                return original(tensor, *args, **kwargs)
            note_loss(heard, tensor.detach(), filename, line_of)
            under_way = True
            try:
                return original(tensor, *args, **kwargs)
            finally:
                under_way = False

        return run

    def call(original: Any) -> Any:
        def run(module: torch.nn.Module, *args: Any, **kwargs: Any) -> Any:
            if isinstance(module, LazyModuleMixin) and module.has_uninitialized_params():
                # As its own hook would do right after: what it draws is fresh as well.
                module._infer_parameters(module, args, kwargs)
            # A parametrization is called when its tensor is read, which no call of a layer is.
            if fresh and not isinstance(module, ParametrizationList):
                held = (*module.parameters(), *module.buffers())
                drawn = [p for p in held if p in fresh and not is_lazy(p)]
                if drawn:
                    values = {id(p): p.detach().clone() for p in drawn}
                    heard.snapshots.append(Snapshot(module, values))
                    for parameter in drawn:
                        fresh.discard(parameter)
            return original(module, *args, **kwargs)

        return run

    def empty(original: Any) -> Any:
        def make(*args: Any, **kwargs: Any) -> torch.Tensor:
            tensor: torch.Tensor = original(*args, **kwargs)
            heard.note_empty(tensor)
            return tensor

        return make

    def represent(original: Any) -> Any:
        def run(module: torch.nn.Module) -> str:
            text: str = original(module)
            heard.described.add(text)
            return text

        return run

    with (
        patched(torch.Tensor, "backward", backward),
        patched(torch.nn.Module, "__call__", call),
        patched(torch.nn.Module, "__repr__", represent),
        patched(torch, "empty", empty),
        patched(torch, "empty_like", empty),
        patched(torch.Tensor, "new_empty", empty),
        _hearing_steps(heard, filename, line_of),
    ):
        yield


@contextmanager
def _hearing_steps(heard: Heard, filename: str, line_of: Callable[[int], int]) -> Iterator[None]:
    """Record the gradients of optimizer steps while open."""

    def step(optimizer: torch.optim.Optimizer, *_: Any) -> None:
        with heard.not_counted():
            parameters = [p for group in optimizer.param_groups for p in group["params"]]
            note_gradients(heard, [p.grad for p in parameters], filename, line_of)

    handle = register_optimizer_step_pre_hook(step)
    try:
        yield
    finally:
        handle.remove()


def note_loss(
    heard: Heard, value: torch.Tensor, filename: str, line_of: Callable[[int], int]
) -> None:
    """Store a scalar on which backward was called, under the calling line of the cell."""
    if value.numel() == 1:
        line = _calling_line(filename, line_of)
        heard.losses.setdefault(line, []).append(value.reshape(()).clone())


def note_gradients(
    heard: Heard,
    gradients: Sequence[torch.Tensor | None],
    filename: str,
    line_of: Callable[[int], int],
) -> None:
    """Store the gradient norm of an optimizer step, under the calling line of the cell."""
    dense = [each.detach() for each in gradients if each is not None and not each.is_sparse]
    if dense:
        line = _calling_line(filename, line_of)
        heard.gradients.setdefault(line, []).append(get_total_norm(dense).reshape(()))


def _calling_line(filename: str, line_of: Callable[[int], int]) -> int:
    """Return the running line of the cell, from 0, or -1 outside the cell."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename != filename:
        frame = frame.f_back
    return -1 if frame is None else line_of(frame.f_lineno - 1)
