"""The interface through which live values are copied to a target and its runs are compared.

Each target package has a module `carry` with a class `Bridge` that satisfies the protocol below.
All code outside `workbench/targets/<name>/` uses targets only through this protocol.
"""

from __future__ import annotations

import logging
import random
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import torch

    from workbench.streams.draws import Stream


class CarryError(Exception):
    """An error for a value without a counterpart in the target; the message is the reason."""


@dataclass(frozen=True, slots=True)
class Device:
    """A device that a framework can use, with the framework's name of it and torch's."""

    word: str
    torch_word: str
    what: str = ""


def _alone(value: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return (value,)


def _only(values: Sequence[torch.Tensor]) -> torch.Tensor:
    return values[0]


@dataclass(frozen=True, slots=True)
class Slot:
    """A tensor of a torch object, with the tensors that hold it in the target's counterpart.

    `split` converts torch's value to one torch tensor per place; `join` is its inverse. Both are
    the identity if the two frameworks have the same layout. `uncorrected` is true for a running
    variance that the target stores without torch's factor m/(m-1).
    """

    name: str
    source: torch.Tensor
    places: tuple[Any, ...]
    split: Callable[[torch.Tensor], Sequence[torch.Tensor]] = _alone
    join: Callable[[Sequence[torch.Tensor]], torch.Tensor] = _only
    uncorrected: bool = False

    def read(self, bridge: Bridge) -> torch.Tensor:
        """Return the target's value in torch's layout."""
        return self.join([bridge.to_torch(place) for place in self.places])

    def write(self, bridge: Bridge, value: torch.Tensor) -> None:
        """Set the target's value in place."""
        for place, part in zip(self.places, self.split(value.detach()), strict=True):
            bridge.write(place, part)

    def follow_requires_grad(self, bridge: Bridge) -> None:
        """Set whether the target's tensors require gradients, as torch's does."""
        if self.source.is_leaf:
            for place in self.places:
                bridge.set_requires_grad(place, self.source.requires_grad)

    def gradient(self, bridge: Bridge) -> torch.Tensor | None:
        """Return the target's gradient in torch's layout, or None if a part has none."""
        parts = [bridge.gradient(place) for place in self.places]
        present = [part for part in parts if part is not None]
        return self.join(present) if len(present) == len(parts) else None

    def write_gradient(self, bridge: Bridge, value: torch.Tensor | None) -> None:
        """Set or clear the target's gradient."""
        parts = [None] * len(self.places) if value is None else self.split(value.detach())
        for place, part in zip(self.places, parts, strict=True):
            bridge.write_gradient(place, part)


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A part that only one of two counterparts has, or that has no known counterpart."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Hooks:
    """The callbacks of a run for events in the target."""

    loss: Callable[[Any], None]  # a scalar tensor on which backward was called
    fresh_call: Callable[[Any], None]  # an outermost module with fresh weights, before its call
    step: Callable[[list[Any]], None]  # the parameters of an optimizer, before its step
    load: Callable[[Any], Any]  # the counterpart of what torch wrote to a file, otherwise None


class Bridge(Protocol):
    """Copying, reading and running for one target; see the package's docstring."""

    name: str
    module: str
    # Whether tensors record operations and keep gradients, as torch's do.
    records_gradients: bool
    # Whether a cell is converted with those above it, as one program.
    by_program: bool

    def names(self) -> Mapping[str, Any]:
        """Return the names that every converted cell may use."""

    # Tensors

    def is_tensor(self, value: object) -> bool:
        """Return whether a value is one of the target's tensors, including parameters."""

    def tensor(self, value: torch.Tensor) -> Any:
        """Return a new tensor (a parameter for a parameter) with the value and its gradient."""

    def to_torch(self, value: Any) -> torch.Tensor:
        """Return the value as a detached torch tensor, which may share its memory."""

    def comparable(self, value: torch.Tensor) -> torch.Tensor:
        """Return a torch tensor in the dtype in which the target computes its counterpart."""

    def write(self, into: Any, value: torch.Tensor) -> None:
        """Set a target tensor's value in place, keeping its identity."""

    def gradient(self, value: Any) -> torch.Tensor | None:
        """Return the gradient that a backward pass stored in a target tensor, or None."""

    def write_gradient(self, into: Any, value: torch.Tensor | None) -> None:
        """Set or clear a target tensor's gradient."""

    def requires_grad(self, value: Any) -> bool:
        """Return whether the target records the tensor for a backward pass."""

    def set_requires_grad(self, value: Any, wanted: bool) -> None:
        """Set whether gradients reach a leaf."""

    def is_leaf(self, value: Any) -> bool:
        """Return whether a tensor is not the result of a recorded computation."""

    def reaches(self, value: Any, leaves: Sequence[Any]) -> bool:
        """Return whether a gradient of a tensor may reach one of these leaves."""

    # Facts

    def dtype(self, value: torch.dtype) -> Any:
        """Return the target's dtype."""

    def is_dtype(self, value: object) -> bool:
        """Return whether a value is one of the target's dtypes."""

    def device(self, word: str) -> Any:
        """Return the target's object for a device with a torch name."""

    def devices(self) -> list[Device]:
        """Return the devices that the installed target can use, the CPU first."""

    def plain_text(self, text: str) -> str:
        """Return printed text with torch's spellings of tensors, shapes and dtypes."""

    # Modules and optimizers

    def is_module(self, value: object) -> bool:
        """Return whether a value is one of the target's modules."""

    def bare_module(self, kind: type) -> Any:
        """Return an instance of a target module class, without a call of the class's own
        constructor.
        """

    def add_part(self, module: Any, name: str, part: Any, *, persistent: bool | None) -> None:
        """Set a parameter, child or (persistent is not None) buffer of a bare module."""

    def set_training(self, module: Any, training: bool) -> None:
        """Set one module, not its children, to training or evaluation mode."""

    def hook_count(self, module: Any) -> int:
        """Return the number of a module's hooks that run when it is called."""

    def module_slots(self, module: torch.nn.Module, twin: Any) -> Iterable[Slot | Mismatch]:
        """Yield every parameter and buffer of a torch module with its place in the twin."""

    def state_slots(
        self,
        module: torch.nn.Module,
        twin: Any,
        state: Mapping[str, Any],
        names: Collection[str],
    ) -> Iterable[Slot]:
        """Yield a torch module's tensors of these names with their places in a state of the twin,
        or nothing if one is missing there.
        """

    def state_of(
        self, module: torch.nn.Module, twin: Any, state: Mapping[str, torch.Tensor]
    ) -> dict[str, Any]:
        """Return a state of a torch module with the twin's names and layouts."""

    def torch_state(self, module: Any) -> dict[str, torch.Tensor]:
        """Return the state of a target module with torch's names and layouts."""

    def fill(self, module: Any, state: Mapping[str, torch.Tensor]) -> None:
        """Copy a torch state to a target module; raise CarryError if a tensor does not fit."""

    def children(self, module: torch.nn.Module, twin: Any) -> Iterable[tuple[str, Any, Any]]:
        """Yield the corresponding submodules of both, by torch's name."""

    def is_optimizer(self, value: object) -> bool:
        """Return whether a value is one of the target's optimizers."""

    def optimizer_slots(
        self,
        optimizer: torch.optim.Optimizer,
        twin: Any,
        partner: Callable[[torch.Tensor], Slot | None],
    ) -> Iterable[Slot | Mismatch]:
        """Yield a torch optimizer's state with the twin's; `partner` finds a parameter's slot."""

    def saved_slots(
        self,
        optimizer: torch.optim.Optimizer,
        state: Mapping[str, Any],
        held: Mapping[str, Any],
        partner: Callable[[torch.Tensor], Slot | None],
    ) -> Iterable[Slot]:
        """Yield the tensors of a torch optimizer's saved state with their places in the target's
        state dict, or nothing if one is missing there.
        """

    def in_torch_names(self, held: Mapping[str, Any]) -> dict[str, Any]:
        """Return the numbers that a schedule's, scaler's or optimizer's saved state has, under
        torch's names; `lr` is the learning rate.
        """

    def without_state(self, optimizer: Any) -> Any:
        """Return an optimizer of the same parameters that has taken no step."""

    def torch_settings(self) -> Mapping[str, Mapping[str, Any]]:
        """Return torch's settings by the helper classes that keep them in converted code."""

    def scheduled_rate(self, scheduler: Any) -> float | None:
        """Return the learning rate that a schedule has set last, or None for any other value."""

    def prepare_optimizer(
        self,
        optimizer: torch.optim.Optimizer,
        twin: Any,
        partner: Callable[[torch.Tensor], Slot | None],
    ) -> None:
        """Copy the settings and the state of torch's optimizer to a new twin."""

    def prepare_scheduler(self, scheduler: Any, twin: Any, optimizer: Any) -> None:
        """Set a new twin of a torch schedule, and its optimizer's rate, to the state of torch's."""

    def schedule_parts(self, twin: Any) -> Sequence[Any]:
        """Return the schedules that the twin of a sequence or a chain runs, in order."""

    def learning_rate(self, optimizer: Any) -> float | None:
        """Return the learning rate that a target optimizer will use next, or None if only its
        functions have it.
        """

    # Running

    def seed(self, value: int) -> None:
        """Seed the target's random streams."""

    def synchronise(self) -> None:
        """Wait until all launched work has finished."""

    def replay(self, stream: Stream) -> AbstractContextManager[None]:
        """While open, let the target's random draws take torch's values from the stream."""

    def watch(self, hooks: Hooks) -> AbstractContextManager[None]:
        """While open, report losses and first calls of modules with fresh weights."""

    def join_processes(self, rank: int, count: int, port: int) -> None:
        """Prepare this process to be one of several on the CPU; ports from `port` on are free."""

    def launcher(self, count: int, logs: Path) -> list[str]:
        """Return the command by which the target starts `count` processes on the CPU, without the
        file.

        The processes must write only to the folder `logs`.
        """

    def launched(self) -> tuple[int, int]:
        """Return rank and number of processes, in one that the target's launcher started."""

    def log_of(self, rank: int, logs: Path) -> str:
        """Return the output of a process that the launcher started, or "" if there is none."""

    def on_device(self, word: str) -> AbstractContextManager[None]:
        """While open, create new tensors on the device with this torch name."""


def load_bridge(target: str) -> Bridge:
    """Return the bridge of a target that is named as by the user: `paddle` or `paddle==3.1`."""
    from workbench import targets

    name = targets.load(target).name
    with _kept_settings():
        bridge: Bridge = import_module(f"workbench.targets.{name}.carry").Bridge()
    return bridge


@contextmanager
def _kept_settings() -> Iterator[None]:
    """Keep the process's logging and random numbers from an import of a framework.

    Paddle's gives the root logger a handler, which would show the messages of all packages.
    """
    root = logging.getLogger()
    handlers, level, state = list(root.handlers), root.level, random.getstate()
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
        random.setstate(state)
