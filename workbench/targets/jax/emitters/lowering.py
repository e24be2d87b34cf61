"""JAX's implementation of `workbench.lower.backend.Backend`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
from jax._src.xla_bridge import backends_are_initialized  # nothing public asks without starting one

from workbench.lower.writing.emission import unsupported
from workbench.lower.writing.module import ModuleWriter
from workbench.targets.jax.carry import devices
from workbench.targets.jax.emitters import exporting, loading, weights
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
    """A backend that writes graphs as `nnx.Module` and runs them."""

    name = "jax"

    def devices(self) -> list[Device]:
        """Return the devices that JAX can use here."""
        return devices.devices()

    def on_device(self, word: str) -> AbstractContextManager[None]:
        """While open, create new values on the device with this torch name."""
        return devices.on_device(word)

    def can_fork(self) -> bool:
        """Return whether JAX has not yet run here: a fork would wait for threads that it lacks."""
        return not backends_are_initialized()

    def unsupported(self, node: torch.fx.Node) -> str | None:
        """Return the reason why JAX cannot compute a node exactly, or None if it can."""
        return unsupported(node, DIALECT)

    def write(self, graph: Graph, islands: Sequence[Island]) -> Written:
        """Return the source of a module that computes the graph."""
        return ModuleWriter(graph, islands, DIALECT).write()

    def settle(self) -> None:
        """Turn on 64 bits for the whole process, as generated source does at its top."""
        jax.config.update("jax_enable_x64", True)

    def load(self, graph: Graph, written: Written, *, share: bool) -> Any:
        """Return an `nnx.Module` with copies of the graph's weights."""
        return loading.load(graph, written)

    def session(self, module: Any, written: Written) -> Session:
        """Return a session that runs the module statement by statement."""
        return loading.BlockingSession(module, written)

    def from_torch(self, value: torch.Tensor, *, share: bool = False) -> Any:
        """Return a torch tensor as an array with its own memory."""
        return loading.from_torch(value)

    def export(
        self, graph: Graph, module: Any, path: Path, examples: Sequence[Any]
    ) -> tuple[Path, ...]:
        """Save a module with `jax.export`, and check that it loads and matches."""
        return exporting.export(graph, module, path, examples)

    def training(
        self,
        graph: Graph,
        written: Written,
        optimizer: torch.optim.Optimizer,
        schedule: LRScheduler | None = None,
    ) -> Training:
        """Return the training of a module whose result is a loss, with optax."""
        return JaxTraining(graph, written, optimizer, schedule)

    def places(self, module: Any) -> dict[str, Callable[[torch.Tensor], str]]:
        """Return functions that set each weight of a live module, by torch's name."""
        return weights.places(module)

    def layers(self, code: Path, name: str) -> Layers:
        """Return the layers of a program, which have torch's names and layouts."""
        return weights.SameLayers()

    def load_state(self, path: Path) -> Any:
        """Return the contents of an orbax folder, with its arrays as torch tensors."""
        return weights.read(path)

    def save_state(self, state: Mapping[str, Any], path: Path) -> Path:
        """Write a state dict as an orbax folder."""
        return weights.save(state, path)

    def to_torch(self, value: Any) -> Any:
        """Return a JAX value as a torch value with its own memory."""
        return loading.to_torch(value)
