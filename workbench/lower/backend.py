"""Interface that a target implements so that graphs can be lowered to it.

A target plugs in by a module `workbench.targets.<name>.emitters` whose `backend()` returns an
object of this kind. Nothing in this package refers to a target by name.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from workbench.errors import TorchferryError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    import torch
    from torch.optim.lr_scheduler import LRScheduler

    from workbench.capture.graph import Graph
    from workbench.lower.partition import Island
    from workbench.streams.draws import Stream
    from workbench.targets.bridge import Device


class Unsupported(Exception):  # noqa: N818  a refusal, not an error: the node runs in torch
    """Raised if a target cannot compute a node exactly; the user reads the reason."""


class LowerError(TorchferryError):
    """A graph cannot be lowered; the message names the node, its line and the next step."""


@dataclass(frozen=True, slots=True)
class Line:
    """One statement of generated code: `name = expression`, for one node of the graph.

    `number` is its 1-based line in the generated source. `grad` is False if the original ran under
    `no_grad`. A statement with an empty `name` has only a side effect.
    """

    node: str
    name: str
    expression: str
    number: int = 0
    grad: bool = True

    @property
    def code(self) -> str:
        """The statement's source, without its indentation."""
        return f"{self.name} = {self.expression}" if self.name else self.expression


@dataclass(frozen=True)
class Written:
    """Generated code of a whole graph.

    Attributes:
        source: the source.
        class_name: the name of the generated module's class.
        lines: its statements.
        parameters: the name in the generated module for every qualified torch name of a weight.
        variables: the variable that holds each node's value.
        caveats: the caveats by node.
    """

    source: str
    class_name: str
    lines: tuple[Line, ...]
    parameters: Mapping[str, str]
    variables: Mapping[str, str]
    caveats: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


class Session(Protocol):
    """A loaded module that runs statement by statement, exactly as in its source.

    `compiles` is true if a statement's first run takes longer than later ones.
    """

    compiles: bool

    def bind(self, name: str, value: Any) -> None:
        """Set a node's value, which has the target's own type."""

    def step(self, line: Line) -> Any:
        """Execute one statement and return the value that it assigns."""

    def read(self, name: str) -> Any:
        """Return a node's value, which has the target's own type."""

    def forget(self, name: str) -> None:
        """Release a node's value."""


class Training(Protocol):
    """A lowered module whose result is a loss, with its optimizer."""

    source: str

    def step(self, batch: Sequence[torch.Tensor], draws: Stream | None = None) -> torch.Tensor:
        """Run one training step on a batch and return its loss.

        Args:
            batch: inputs, then targets.
            draws: torch's random draws of this step, to be replayed; None uses the target's own.
        """

    def weights(self) -> dict[str, torch.Tensor]:
        """Return the present weights and buffers, by torch's names."""


class Layers(Protocol):
    """The layers of a program, which determine the meaning of a state dict's entries."""

    def knows(self, state: Mapping[str, torch.Tensor]) -> bool:
        """Return whether any of these weights belongs to one of the layers."""

    def to_target(self, state: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """Return a torch state dict under the names and in the layouts of the target's layers."""

    def to_torch(self, state: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """Return a state dict of the target's layers under torch's names and in torch's layouts."""


class Backend(Protocol):
    """A target for whole graphs."""

    name: str

    def devices(self) -> list[Device]:
        """Return the devices that the installed target can use, the CPU first."""

    def on_device(self, word: str) -> AbstractContextManager[None]:
        """Create new values on a device, which is named as in torch, while open."""

    def can_fork(self) -> bool:
        """Return whether the target can run in a fork of this process."""

    def unsupported(self, node: torch.fx.Node) -> str | None:
        """Return why the target cannot compute this node exactly, or None if it can."""

    def write(self, graph: Graph, islands: Sequence[Island]) -> Written:
        """Return the source of a module that computes the graph; its islands run in torch."""

    def settle(self) -> None:
        """Make the settings of the process that generated source makes where it is imported."""

    def load(self, graph: Graph, written: Written, *, share: bool) -> Any:
        """Return a module with the graph's weights, which share torch's memory or are copies.

        The settings of the process stay as they are.
        """

    def session(self, module: Any, written: Written) -> Session:
        """Return a session that runs the module statement by statement."""

    def from_torch(self, value: torch.Tensor, *, share: bool = False) -> Any:
        """Return a torch tensor as one of the target's."""

    def export(
        self, graph: Graph, module: Any, path: Path, examples: Sequence[Any]
    ) -> tuple[Path, ...]:
        """Save the module in the target's format for serving, check it, and return the files."""

    def training(
        self,
        graph: Graph,
        written: Written,
        optimizer: torch.optim.Optimizer,
        schedule: LRScheduler | None = None,
    ) -> Training:
        """Return an object that trains a module whose result is a loss as torch's optimizer does.

        Raises:
            LowerError: the target has no exact form of the optimizer, of its learning-rate
                schedule, or of training.
        """

    def places(self, module: Any) -> dict[str, Callable[[torch.Tensor], str]]:
        """Return, by torch's name, a setter of each weight of a live module.

        A setter returns "" or the reason why it cannot set the value.
        """

    def layers(self, code: Path, name: str) -> Layers:
        """Return the layers of a converted program, from its text or from a live layer that it
        names.
        """

    def load_state(self, path: Path) -> Any:
        """Return the contents of a file in the target's format, its tensors as torch's.

        Reading never runs code.
        """

    def save_state(self, state: Mapping[str, Any], path: Path) -> Path:
        """Write a state dict of the target's tensors in the target's own format, and return the
        path.
        """

    def to_torch(self, value: Any) -> Any:
        """Return a value of the target (tensor or tuple of them) as torch's, sharing memory."""


def find(target: str) -> Backend:
    """Return the backend of a target.

    Raises:
        LowerError: there is no such target, or it does not lower graphs.
    """
    module = f"workbench.targets.{target.partition('==')[0]}.emitters"
    try:
        found: Backend = import_module(module).backend()
    except ModuleNotFoundError as error:
        if error.name is not None and not module.startswith(error.name):
            raise LowerError(f"{target} cannot be used here: {error}") from error
        raise LowerError(f"graphs cannot be lowered to {target!r}: no such target") from None
    return found
