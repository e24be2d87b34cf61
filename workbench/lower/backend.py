"""What a target declares so that graphs can be lowered to it: a small interface.

A target plugs in by a module `workbench.targets.<name>.emitters` whose `backend()` returns an
object of this kind. Nothing here, and nothing else in this package, knows a target by name.
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
    """A target cannot do a node exactly; the reason is what the user reads."""


class LowerError(TorchferryError):
    """A graph cannot be lowered; the message names the node, its line and the next step."""


@dataclass(frozen=True, slots=True)
class Line:
    """One statement of generated code: `name = expression`, for one node of the graph.

    `number` is its 1-based line in the generated source. `grad` is False where the original ran
    under `no_grad`. An empty `name` is a statement for its effect.
    """

    node: str
    name: str
    expression: str
    number: int = 0
    grad: bool = True

    @property
    def code(self) -> str:
        """The statement as it stands in the source, without its indentation."""
        return f"{self.name} = {self.expression}" if self.name else self.expression


@dataclass(frozen=True)
class Written:
    """Generated code of a whole graph.

    `parameters` gives, for every qualified torch name of a weight, the name it has in the
    generated module; `variables` the variable that holds each node's value.
    """

    source: str
    class_name: str
    lines: tuple[Line, ...]
    parameters: Mapping[str, str]
    variables: Mapping[str, str]
    caveats: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


class Session(Protocol):
    """A loaded module that runs statement by statement, the very ones that its source holds.

    `compiles` says that a statement's first run is longer than the next ones.
    """

    compiles: bool

    def bind(self, name: str, value: Any) -> None:
        """Let a node's value be this one (of the target's own type)."""

    def step(self, line: Line) -> Any:
        """Execute one statement and return the value that it assigns."""

    def read(self, name: str) -> Any:
        """The value of a node, of the target's own type."""

    def forget(self, name: str) -> None:
        """Let go of a node's value."""


class Training(Protocol):
    """A lowered module whose result is a loss, with what trains it."""

    source: str

    def step(self, batch: Sequence[torch.Tensor], draws: Stream | None = None) -> torch.Tensor:
        """The loss of a batch, after which the weights have made a step.

        Args:
            batch: inputs, then targets.
            draws: what torch drew in this step, which is drawn again; none: the target's own draws.
        """

    def weights(self) -> dict[str, torch.Tensor]:
        """Every weight and buffer as it is now, by torch's names."""


class Layers(Protocol):
    """The layers of a program, which tell what each entry of a state dict is."""

    def knows(self, state: Mapping[str, torch.Tensor]) -> bool:
        """Whether any of these weights belongs to one of the layers."""

    def to_target(self, state: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """A state dict of torch under the names and in the layouts of the target's layers."""

    def to_torch(self, state: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """A state dict of the target's layers under torch's names and in torch's layouts."""


class Backend(Protocol):
    """A target for whole graphs."""

    name: str

    def devices(self) -> list[Device]:
        """The devices that the installed target can use, the CPU first."""

    def on_device(self, word: str) -> AbstractContextManager[None]:
        """While open, new values are made on the device named in torch's words."""

    def unsupported(self, node: torch.fx.Node) -> str | None:
        """Why the target cannot do this node exactly; None where it can."""

    def write(self, graph: Graph, islands: Sequence[Island]) -> Written:
        """The source of a module that computes the graph; the islands of it run in torch."""

    def load(self, graph: Graph, written: Written, *, share: bool) -> Any:
        """A ready module that holds the graph's weights: torch's own memory, or copies."""

    def session(self, module: Any, written: Written) -> Session:
        """A way to run the module statement by statement."""

    def from_torch(self, value: torch.Tensor, *, share: bool = False) -> Any:
        """A torch tensor as one of the target's."""

    def export(
        self, graph: Graph, module: Any, path: Path, examples: Sequence[Any]
    ) -> tuple[Path, ...]:
        """Save the module in the target's own form for serving, checked to load and match."""

    def training(
        self,
        graph: Graph,
        written: Written,
        optimizer: torch.optim.Optimizer,
        schedule: LRScheduler | None = None,
    ) -> Training:
        """What trains a module whose result is a loss as torch's optimizer does.

        Raises:
            LowerError: the target has no exact form of the optimizer, of the schedule of its rate,
                or of training.
        """

    def places(self, module: Any) -> dict[str, Callable[[torch.Tensor], str]]:
        """By torch's name, what sets each weight of a live module; it returns why it cannot."""

    def layers(self, code: Path, name: str) -> Layers:
        """The layers of a converted program: by its text, or those of a live one that it names."""

    def load_state(self, path: Path) -> Any:
        """What a file in the target's format holds, read as data alone, its tensors as torch's."""

    def save_state(self, state: Mapping[str, Any], path: Path) -> Path:
        """Write a state dict of the target's tensors in the target's own format."""

    def to_torch(self, value: Any) -> Any:
        """A value of the target (tensor or tuple of them) as torch's, sharing memory."""


def find(target: str) -> Backend:
    """The backend of a target.

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
