"""What a target offers so that a model written for it by hand can be held against torch's.

Each target package has a module `carry.ports` with a class `Ports` that satisfies the protocol
below. It knows nothing of conversions: of a port, all there is are its live modules.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import torch

    from workbench.streams.draws import Stream


class Held(Protocol):
    """A tensor as torch's counterpart of a port's module has it, and the port's that hold it."""

    @property
    def tensors(self) -> tuple[Any, ...]:
        """The port's own tensors."""

    @property
    def trained(self) -> bool:
        """Whether the port trains it."""

    def read(self) -> torch.Tensor:
        """The value in torch's layout."""

    def write(self, value: torch.Tensor) -> None:
        """Set the port's tensors to a value in torch's layout, of any float dtype."""

    def gradient(self) -> torch.Tensor | None:
        """The gradient in torch's layout; None where any part has none."""

    def moment(self, optimizer: Any, name: str) -> torch.Tensor | None:
        """What an optimizer keeps of it under a name of torch's, such as `exp_avg`, if it does."""


@dataclass(frozen=True, slots=True)
class Called:
    """One call of an operation while a port runs.

    Attributes:
        name: the operation's name.
        inputs: the tensors that it took.
        outputs: those that it gave.
        numbers: its arguments that are no tensors, in words.
    """

    name: str
    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]
    numbers: str = ""


@dataclass(frozen=True, slots=True)
class Around:
    """What happens in place of four things that a training script does.

    Each gets what it stands for as a function without arguments, and gives what that gives.

    Attributes:
        call: of a module that no other one calls, with its arguments.
        backward: from a loss.
        step: of an optimizer.
        turn: of a schedule of the rate.
    """

    call: Callable[[Callable[[], Any], Any, tuple[Any, ...], dict[str, Any]], Any]
    backward: Callable[[Callable[[], Any], Any], Any]
    step: Callable[[Callable[[], Any], Any], Any]
    turn: Callable[[Callable[[], Any], Any], Any]


class Ports(Protocol):
    """Reading and running models that were written for a target by hand.

    `package` is that of the framework's own modules; `module_kind`, `optimizer_kind` and
    `schedule_kinds` are its base classes. `hooks` says that any tensor can be asked for its
    gradient, and not only what an operation gives while operations are told.
    """

    package: str
    module_kind: type
    optimizer_kind: type
    schedule_kinds: tuple[type, ...]
    hooks: bool

    def needs(self, function: Any) -> dict[str, Any]:
        """Arguments that a class of modules takes and that nobody names: a source of keys."""

    def is_tensor(self, value: object) -> bool:
        """True for the target's tensors, parameters included."""

    def to_torch(self, value: Any) -> torch.Tensor:
        """The value as a detached torch tensor; memory may be shared."""

    def requires_grad(self, value: Any) -> bool:
        """True where the target records the tensor for a backward pass."""

    def records(self) -> bool:
        """True unless nothing is recorded for a backward pass now, as under `no_grad`."""

    def seed(self, value: int) -> None:
        """Seed the target's random streams."""

    def replay(self, stream: Stream) -> AbstractContextManager[None]:
        """While open, the target's random draws take torch's values from the stream."""

    def held(self, module: Any) -> Mapping[str, Held]:
        """Every tensor of a module, by the names that torch's counterpart would have."""

    def owner(self, module: Any, name: str) -> Any:
        """The part of a module that keeps what has this name among the held ones."""

    def raw(self, module: Any, name: str) -> bool:
        """Whether the layout of such a tensor is the port's own choice, not its class's."""

    def uncorrected(self, module: Any, name: str) -> bool:
        """Whether this is a running variance that is kept without torch's factor m/(m-1)."""

    def parts(self, module: Any) -> Mapping[str, Any]:
        """A module's parts by dotted name, itself under the empty one."""

    def settings(self, module: Any) -> dict[str, Any]:
        """What a module of the target's own was made with, in torch's words."""

    def set_setting(self, module: Any, name: str, value: Any) -> bool:
        """Give a module of the target's own another setting; False where that cannot be done."""

    def optimizer_settings(self, optimizer: Any) -> dict[str, Any]:
        """What an optimizer was made with, in torch's words."""

    def schedule(self, optimizer: Any) -> Any:
        """What sets an optimizer's rate from step to step, if that is an object of its own."""

    def clips(self, optimizer: Any) -> bool:
        """Whether an optimizer clips gradients by itself."""

    def cast(self, module: Any, dtype: str) -> None:
        """Make all floats of a module `float32` or `float64`, in place."""

    def default_dtype(self, dtype: str) -> AbstractContextManager[None]:
        """While open, new floats have this dtype."""

    def without_gradients(self) -> AbstractContextManager[None]:
        """While open, nothing is recorded for a backward pass."""

    def input(self, value: torch.Tensor, *, gradient: bool) -> Any:
        """An input with the value; `gradient` asks that a backward pass reaches it."""

    def backward(
        self, module: Any, inputs: list[Any], run: Callable[[Any, list[Any]], tuple[Any, Any]]
    ) -> tuple[Any, list[torch.Tensor | None]]:
        """Run something, and go back from a number that it gives.

        Args:
            module: whose parameters keep their gradients, until they are cleared.
            inputs: tensors whose gradients are asked for.
            run: takes the module and the inputs, and gives the number, or None where there is
                nothing to go back from, and what the caller wants of it: tensors in dicts, tuples
                and lists.

        Returns:
            What the caller wants, and the inputs' gradients.
        """

    def noting(self, note: Callable[[Called], None]) -> AbstractContextManager[None]:
        """While open, every operation of this thread is told."""

    def note_gradient(self, value: Any, note: Callable[[torch.Tensor], None]) -> None:
        """Have the gradient of a value told, once a backward pass reaches it."""

    def calls(self, note: Callable[[Any], AbstractContextManager[None]]) -> Any:
        """A context in which every call of a module happens within `note(module)`."""

    def training(self, around: Around) -> AbstractContextManager[None]:
        """While open, what `around` names happens in a script as it has it."""

    def set_training(self, module: Any, training: bool) -> None:
        """Put one module, not its parts, into training or evaluation."""

    def clear_gradients(self, module: Any) -> None:
        """Forget the gradients of a module's parameters."""

    def state(self, module: Any) -> dict[str, Any]:
        """The module's saved state."""

    def load_state(self, module: Any, state: Mapping[str, Any]) -> None:
        """Load such a state."""

    def step(self, optimizer: Any) -> None:
        """One step of an optimizer, after which gradients are cleared."""

    def step_schedule(self, optimizer: Any) -> None:
        """One step of the schedule of an optimizer's rate, if it has one."""


def load_ports(target: str) -> Ports:
    """What a target, named as for `load_bridge`, offers for ports."""
    from workbench import targets

    name = targets.name_of(target)
    ports: Ports = import_module(f"workbench.targets.{name}.carry.ports").Ports()
    return ports
