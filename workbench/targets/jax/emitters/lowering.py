"""JAX's side of `workbench.lower.backend.Backend`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.lower.writing.emission import unsupported
from workbench.lower.writing.module import ModuleWriter
from workbench.targets.jax.emitters import devices, exporting, loading, weights
from workbench.targets.jax.emitters.dialect import DIALECT
from workbench.targets.jax.emitters.training import JaxTraining

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    import torch
    from torch.optim.lr_scheduler import LRScheduler

    from workbench.capture.graph import Graph
    from workbench.lower.backend import Layers, Session, Training, Written
    from workbench.lower.partition import Island
    from workbench.targets.bridge import Device


class JaxBackend:
    """Writes graphs as `nnx.Module` and runs them."""

    name = "jax"

    def devices(self) -> list[Device]:
        """The devices that JAX can use here."""
        return devices.devices()

    def on_device(self, word: str) -> AbstractContextManager[None]:
        """While open, new values are made on the device named in torch's words."""
        return devices.on_device(word)

    def unsupported(self, node: torch.fx.Node) -> str | None:
        """Why JAX cannot do a node exactly; None where it can."""
        return unsupported(node, DIALECT)

    def write(self, graph: Graph, islands: Sequence[Island]) -> Written:
        """The source of a module that computes the graph."""
        return ModuleWriter(graph, islands, DIALECT).write()

    def load(self, graph: Graph, written: Written, *, share: bool) -> Any:
        """An `nnx.Module` holding the graph's weights, always as copies."""
        return loading.load(graph, written)

    def session(self, module: Any, written: Written) -> Session:
        """The module, run statement by statement."""
        return loading.BlockingSession(module, written)

    def from_torch(self, value: torch.Tensor, *, share: bool = False) -> Any:
        """A torch tensor as an array of its own memory."""
        return loading.from_torch(value)

    def export(
        self, graph: Graph, module: Any, path: Path, examples: Sequence[Any]
    ) -> tuple[Path, ...]:
        """Save a module with `jax.export`, checked to load and match."""
        return exporting.export(graph, module, path, examples)

    def training(
        self,
        graph: Graph,
        written: Written,
        optimizer: torch.optim.Optimizer,
        schedule: LRScheduler | None = None,
    ) -> Training:
        """A module whose result is a loss, with what trains it by optax."""
        return JaxTraining(graph, written, optimizer, schedule)

    def places(self, module: Any) -> dict[str, Callable[[torch.Tensor], str]]:
        """What sets each weight of a live module, by torch's name."""
        return weights.places(module)

    def layers(self, code: Path, name: str) -> Layers:
        """The layers of a program, whose names and layouts are torch's already."""
        return weights.SameLayers()

    def load_state(self, path: Path) -> Any:
        """What a folder of orbax's holds, its arrays as torch's tensors."""
        return weights.read(path)

    def save_state(self, state: Mapping[str, Any], path: Path) -> Path:
        """Write a state dict as a folder of orbax's."""
        return weights.save(state, path)

    def to_torch(self, value: Any) -> Any:
        """A value of JAX's as torch's, of its own memory."""
        return loading.to_torch(value)
