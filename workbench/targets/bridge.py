"""What a target offers so that live values can be carried into it and its runs be compared.

Each target package has a module `carry` with a class `Bridge` that satisfies the protocol below.
Everything outside `workbench/targets/<name>/` works with targets through this protocol alone.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    import torch

    from workbench.streams.draws import Stream


class CarryError(Exception):
    """A value has no counterpart in the target; the message is the reason."""


@dataclass(frozen=True, slots=True)
class Device:
    """A device that a framework really has: its own word for it, and torch's."""

    word: str
    torch_word: str
    what: str = ""


def _alone(value: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return (value,)


def _only(values: Sequence[torch.Tensor]) -> torch.Tensor:
    return values[0]


@dataclass(frozen=True, slots=True)
class Slot:
    """One tensor of a torch object and the places that hold it in the target's counterpart.

    `split` lays torch's value out for the places (one tensor each, in torch), `join` is its
    inverse; both are the identity where the two frameworks agree on the layout. `uncorrected` says
    of a running variance that the target keeps it without torch's factor m/(m-1).
    """

    name: str
    source: torch.Tensor
    places: tuple[Any, ...]
    split: Callable[[torch.Tensor], Sequence[torch.Tensor]] = _alone
    join: Callable[[Sequence[torch.Tensor]], torch.Tensor] = _only
    uncorrected: bool = False

    def read(self, bridge: Bridge) -> torch.Tensor:
        """The target's value in torch's layout."""
        return self.join([bridge.to_torch(place) for place in self.places])

    def write(self, bridge: Bridge, value: torch.Tensor) -> None:
        """Set the target's value in place."""
        for place, part in zip(self.places, self.split(value.detach()), strict=True):
            bridge.write(place, part)

    def gradient(self, bridge: Bridge) -> torch.Tensor | None:
        """The target's gradient in torch's layout; None where any part has none."""
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
    """What a run wants to hear about while the target executes."""

    loss: Callable[[Any], None]  # a scalar tensor on which backward was called
    fresh_call: Callable[[Any], None]  # an outermost module with fresh weights, before its call
    step: Callable[[list[Any]], None]  # the parameters of an optimizer, before its step


class Bridge(Protocol):
    """Carrying, reading and running for one target; see the package's docstring."""

    name: str
    module: str

    def names(self) -> Mapping[str, Any]:
        """Names that every converted cell may rely on."""

    # Tensors

    def is_tensor(self, value: object) -> bool:
        """True for the target's tensors, parameters included."""

    def tensor(self, value: torch.Tensor) -> Any:
        """A new target tensor (a parameter for a parameter) with the value and its gradient."""

    def to_torch(self, value: Any) -> torch.Tensor:
        """The value as a detached torch tensor; memory may be shared."""

    def write(self, into: Any, value: torch.Tensor) -> None:
        """Set a target tensor's value in place, keeping its identity."""

    def gradient(self, value: Any) -> torch.Tensor | None:
        """The gradient that a backward pass left at a target tensor."""

    def write_gradient(self, into: Any, value: torch.Tensor | None) -> None:
        """Set or clear a target tensor's gradient."""

    def requires_grad(self, value: Any) -> bool:
        """True where the target records the tensor for a backward pass."""

    def is_leaf(self, value: Any) -> bool:
        """True for a tensor that nothing recorded has computed."""

    # Facts

    def dtype(self, value: torch.dtype) -> Any:
        """The target's dtype."""

    def is_dtype(self, value: object) -> bool:
        """True for the target's dtypes."""

    def device(self, word: str) -> Any:
        """The target's object for a device named in torch's words."""

    def devices(self) -> list[Device]:
        """The devices that the installed target can use, the CPU first."""

    def plain_text(self, text: str) -> str:
        """Printed text with the target's spellings of tensors, shapes and dtypes made torch's."""

    # Modules and optimizers

    def is_module(self, value: object) -> bool:
        """True for the target's modules."""

    def bare_module(self, kind: type) -> Any:
        """An instance of a target module class, initialised as a module but not by its own code."""

    def add_part(self, module: Any, name: str, part: Any, *, persistent: bool | None) -> None:
        """Set a parameter, child or (persistent is not None) buffer of a bare module."""

    def set_training(self, module: Any, training: bool) -> None:
        """Put one module, not its children, into training or evaluation mode."""

    def hook_count(self, module: Any) -> int:
        """How many hooks a module has of those that run when it is called."""

    def module_slots(self, module: torch.nn.Module, twin: Any) -> Iterable[Slot | Mismatch]:
        """Every parameter and buffer of a torch module beside its place in the twin."""

    def state_slots(
        self, module: torch.nn.Module, twin: Any, state: Mapping[str, Any]
    ) -> Iterable[Slot]:
        """What a torch module has in its state, in a state that the twin gave; none if it lacks."""

    def state_of(
        self, module: torch.nn.Module, twin: Any, state: Mapping[str, torch.Tensor]
    ) -> dict[str, Any]:
        """A state of a torch module under the names and in the layouts of the twin's."""

    def torch_state(self, module: Any) -> dict[str, torch.Tensor]:
        """The state of a module of the target's under the names and in the layouts of torch's."""

    def fill(self, module: Any, state: Mapping[str, torch.Tensor]) -> None:
        """Give a module of the target's the state of torch's; CarryError where one does not fit."""

    def children(self, module: torch.nn.Module, twin: Any) -> Iterable[tuple[str, Any, Any]]:
        """The submodules of both that correspond, by torch's name."""

    def is_optimizer(self, value: object) -> bool:
        """True for the target's optimizers."""

    def optimizer_slots(
        self,
        optimizer: torch.optim.Optimizer,
        twin: Any,
        partner: Callable[[torch.Tensor], Slot | None],
    ) -> Iterable[Slot | Mismatch]:
        """The state of a torch optimizer beside the twin's; `partner` finds a parameter's slot."""

    def prepare_optimizer(
        self,
        optimizer: torch.optim.Optimizer,
        twin: Any,
        partner: Callable[[torch.Tensor], Slot | None],
    ) -> None:
        """Give a new twin the settings and the state of torch's optimizer."""

    def prepare_scheduler(self, scheduler: Any, twin: Any, optimizer: Any) -> None:
        """Bring a new twin of a torch schedule, and its optimizer's rate, to where torch's are."""

    def learning_rate(self, optimizer: Any) -> float:
        """The learning rate that a target optimizer will use next."""

    # Running

    def seed(self, value: int) -> None:
        """Seed the target's random streams."""

    def synchronise(self) -> None:
        """Wait until everything that was launched has finished."""

    def replay(self, stream: Stream) -> AbstractContextManager[None]:
        """While open, the target's random draws take torch's values from the stream."""

    def watch(self, hooks: Hooks) -> AbstractContextManager[None]:
        """While open, report losses and first calls of modules with fresh weights."""

    def join_processes(self, rank: int, count: int, port: int) -> None:
        """Prepare this process to be one of several on the CPU; `port` and those after are free."""

    def launcher(self, count: int, logs: Path) -> list[str]:
        """The command by which the target starts so many processes on the CPU; a file comes last.

        Nothing is to be written but into the folder `logs`.
        """

    def launched(self) -> tuple[int, int]:
        """Which process this is, and of how many, in one that the target's launcher started."""

    def log_of(self, rank: int, logs: Path) -> str:
        """What a process that its launcher started has said; empty where there is nothing."""

    def on_device(self, word: str) -> AbstractContextManager[None]:
        """While open, new tensors are made on the device named in torch's words."""


def load_bridge(target: str) -> Bridge:
    """The bridge of a target named as the user names it, such as `paddle` or `paddle==3.1`."""
    from workbench import targets

    name = targets.load(target).name
    bridge: Bridge = import_module(f"workbench.targets.{name}.carry").Bridge()
    return bridge
