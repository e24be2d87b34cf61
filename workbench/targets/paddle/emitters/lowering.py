"""Paddle's implementation of `workbench.lower.backend.Backend`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.lower.backend import LowerError
from workbench.lower.writing.emission import unsupported
from workbench.lower.writing.module import ModuleWriter
from workbench.targets.paddle.carry import devices
from workbench.targets.paddle.emitters import exporting, loading, weights
from workbench.targets.paddle.emitters.dialect import DIALECT
from workbench.targets.paddle.saved import live, reading, states
from workbench.weights.sources import open_source

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


class PaddleBackend:
    """A backend that writes graphs as `paddle.nn.Layer` and runs them."""

    name = "paddle"

    def devices(self) -> list[Device]:
        """Return the devices that Paddle can use here."""
        return devices.devices()

    def on_device(self, word: str) -> AbstractContextManager[None]:
        """While open, create new values on the device with this torch name."""
        return devices.on_device(word)

    def can_fork(self) -> bool:
        """Return True: a fork may go on with what ran before."""
        return True

    def unsupported(self, node: torch.fx.Node) -> str | None:
        """Return the reason why Paddle cannot compute a node exactly, or None if it can."""
        return unsupported(node, DIALECT)

    def write(self, graph: Graph, islands: Sequence[Island]) -> Written:
        """Return the source of a layer that computes the graph."""
        return ModuleWriter(graph, islands, DIALECT).write()

    def settle(self) -> None:
        """Do nothing: generated source has no settings."""

    def load(self, graph: Graph, written: Written, *, share: bool) -> Any:
        """Return a `paddle.nn.Layer` with the graph's weights, in the graph's mode."""
        return loading.load(graph, written, share=share)

    def session(self, module: Any, written: Written) -> Session:
        """Return a session that runs the layer statement by statement."""
        return loading.session(module, written)

    def from_torch(self, value: torch.Tensor, *, share: bool = False) -> Any:
        """Return a torch tensor as a Paddle tensor."""
        return loading.from_torch(value, share=share)

    def export(
        self, graph: Graph, module: Any, path: Path, examples: Sequence[Any]
    ) -> tuple[Path, ...]:
        """Save a layer with `paddle.jit.save`, and check that it loads and matches."""
        return exporting.export(graph, module, path, examples)

    def training(
        self,
        graph: Graph,
        written: Written,
        optimizer: torch.optim.Optimizer,
        schedule: LRScheduler | None = None,
    ) -> Training:
        """Raise an error, since training is converted from its source.

        Raises:
            LowerError: always.
        """
        raise LowerError(
            "a training in Paddle is converted from its source code: torchferry convert"
        )

    def places(self, module: Any) -> dict[str, Callable[[torch.Tensor], str]]:
        """Return functions that set each weight of a live layer, by torch's name."""
        return weights.places(module)

    def layers(self, code: Path, name: str) -> Layers:
        """Return the layers of a converted program, by its text or of a live one if `name` is
        given.
        """
        return live.layers(code, name) if name else states.from_text(code)

    def load_state(self, path: Path) -> Any:
        """Return the contents of a Paddle file, read as data only, with torch tensors."""
        if path.suffix == ".safetensors":
            opened = open_source(path)
            return {name: opened.tensor(name) for name in opened.names}
        return reading.read(path)

    def save_state(self, state: Mapping[str, Any], path: Path) -> Path:
        """Write a state dict as `.pdparams` or `.safetensors`."""
        return weights.save(state, path)

    def to_torch(self, value: Any) -> Any:
        """Return a Paddle value as a torch value with shared memory."""
        return loading.to_torch(value)
