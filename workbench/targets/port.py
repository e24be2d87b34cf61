"""The interface through which a model written for a target by hand is compared with torch's.

Each target package has a module `carry.ports` with a class `Ports` that satisfies the protocol
below. It does not depend on conversions: a port consists only of its live modules.
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


class PortTensor(Protocol):
    """A tensor of torch's counterpart of a port's module, with the port's tensors that hold it."""

    @property
    def tensors(self) -> tuple[Any, ...]:
        """The port's own tensors."""

    @property
    def trained(self) -> bool:
        """Whether the port trains it."""

    def read(self) -> torch.Tensor:
        """Return the value in torch's layout."""

    def write(self, value: torch.Tensor) -> None:
        """Set the port's tensors to a value in torch's layout, of any float dtype."""

    def gradient(self) -> torch.Tensor | None:
        """Return the gradient in torch's layout, or None if a part has none."""

    def moment(self, optimizer: Any, name: str) -> torch.Tensor | None:
        """Return an optimizer's state for it by torch's name, such as `exp_avg`, or None."""


@dataclass(frozen=True, slots=True)
class Called:
    """One call of an operation while a port runs.

    Attributes:
        name: the operation's name.
        inputs: its tensor arguments.
        outputs: its results.
        numbers: its other arguments as text.
    """

    name: str
    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]
    numbers: str = ""


@dataclass(frozen=True, slots=True)
class Around:
    """Callbacks that run in place of four actions of a training script.

    Each receives the original action as a function without arguments, and returns its result.

    Attributes:
        call: the call of an outermost module, with its arguments.
        backward: the backward pass from a loss.
        step: the step of an optimizer.
        turn: the step of a schedule of the rate.
    """

    call: Callable[[Callable[[], Any], Any, tuple[Any, ...], dict[str, Any]], Any]
    backward: Callable[[Callable[[], Any], Any], Any]
    step: Callable[[Callable[[], Any], Any], Any]
    turn: Callable[[Callable[[], Any], Any], Any]


class Ports(Protocol):
    """Reading and running models that were written for a target by hand.

    `package` is the package of the framework's own modules; `module_kind`, `optimizer_kind` and
    `schedule_kinds` are its base classes. `hooks` is true if every tensor can report its gradient,
    and not only results of operations while these are reported.
    """

    package: str
    module_kind: type
    optimizer_kind: type
    schedule_kinds: tuple[type, ...]
    hooks: bool

    def needs(self, function: Any) -> dict[str, Any]:
        """Return required arguments of a module class that users do not name: a source of keys."""

    def is_tensor(self, value: object) -> bool:
        """Return whether a value is one of the target's tensors, including parameters."""

    def to_torch(self, value: Any) -> torch.Tensor:
        """Return the value as a detached torch tensor, which may share its memory."""

    def requires_grad(self, value: Any) -> bool:
        """Return whether the target records the tensor for a backward pass."""

    def records(self) -> bool:
        """Return whether operations are recorded for a backward pass, unlike in `no_grad`."""

    def seed(self, value: int) -> None:
        """Seed the target's random streams."""

    def replay(self, stream: Stream) -> AbstractContextManager[None]:
        """While open, let the target's random draws take torch's values from the stream."""

    def held(self, module: Any) -> Mapping[str, PortTensor]:
        """Return every tensor of a module, by the names in torch's counterpart."""

    def owner(self, module: Any, name: str) -> Any:
        """Return the part of a module that holds the tensor with this name."""

    def raw(self, module: Any, name: str) -> bool:
        """Return whether the layout of such a tensor is the port's own choice, not its class's."""

    def uncorrected(self, module: Any, name: str) -> bool:
        """Return whether this is a running variance stored without torch's factor m/(m-1)."""

    def parts(self, module: Any) -> Mapping[str, Any]:
        """Return a module's parts by dotted name, and the module itself as ""."""

    def settings(self, module: Any) -> dict[str, Any]:
        """Return the settings of a module of the target's own, in torch's terms."""

    def set_setting(self, module: Any, name: str, value: Any) -> bool:
        """Change a setting of a module of the target's own; return False if that is impossible."""

    def optimizer_settings(self, optimizer: Any) -> dict[str, Any]:
        """Return the settings of an optimizer, in torch's terms."""

    def schedule(self, optimizer: Any) -> Any:
        """Return the schedule of an optimizer's rate, or None if it is not an object."""

    def clips(self, optimizer: Any) -> bool:
        """Return whether an optimizer clips gradients."""

    def cast(self, module: Any, dtype: str) -> None:
        """Cast all floats of a module to `float32` or `float64`, in place."""

    def default_dtype(self, dtype: str) -> AbstractContextManager[None]:
        """While open, give new floats this dtype."""

    def without_gradients(self) -> AbstractContextManager[None]:
        """While open, record nothing for a backward pass."""

    def input(self, value: torch.Tensor, *, gradient: bool) -> Any:
        """Return an input with the value; with `gradient`, a backward pass reaches it."""

    def backward(
        self, module: Any, inputs: list[Any], run: Callable[[Any, list[Any]], tuple[Any, Any]]
    ) -> tuple[Any, list[torch.Tensor | None]]:
        """Run a function and differentiate the number that it returns.

        Args:
            module: the module whose parameters keep their gradients until they are cleared.
            inputs: tensors whose gradients are requested.
            run: a function of the module and the inputs that returns the number, or None if there
                is nothing to differentiate, and the result for the caller: tensors in dicts, tuples
                and lists.

        Returns:
            The result for the caller, and the inputs' gradients.
        """

    def noting(self, note: Callable[[Called], None]) -> AbstractContextManager[None]:
        """While open, report every operation of this thread."""

    def note_gradient(self, value: Any, note: Callable[[torch.Tensor], None]) -> None:
        """Register a callback for the gradient of a value in the next backward pass."""

    def calls(self, note: Callable[[Any], AbstractContextManager[None]]) -> Any:
        """Return a context in which every call of a module runs within `note(module)`."""

    def training(self, around: Around) -> AbstractContextManager[None]:
        """While open, run the actions of a script through `around`."""

    def set_training(self, module: Any, training: bool) -> None:
        """Set one module, not its parts, to training or evaluation mode."""

    def clear_gradients(self, module: Any) -> None:
        """Forget the gradients of a module's parameters."""

    def state(self, module: Any) -> dict[str, Any]:
        """Return the module's state."""

    def entries(self, module: Any) -> Mapping[str, Any]:
        """Return the tensors of the module's state themselves; `PortTensor.tensors` has the same
        objects.
        """

    def load_state(self, module: Any, state: Mapping[str, Any]) -> None:
        """Load such a state."""

    def step(self, optimizer: Any) -> None:
        """Make one step of an optimizer and clear the gradients."""

    def step_schedule(self, optimizer: Any) -> None:
        """Make one step of the schedule of an optimizer's rate, if it has one."""


def load_ports(target: str) -> Ports:
    """Return the `Ports` of a target, which is named as for `load_bridge`."""
    from workbench import targets

    name = targets.name_of(target)
    ports: Ports = import_module(f"workbench.targets.{name}.carry.ports").Ports()
    return ports
