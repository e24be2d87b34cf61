"""Result of lowering: source, a loadable module, and the nodes that stay in torch."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from workbench.capture.graph import Graph, Location

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import torch
    from torch.optim.lr_scheduler import LRScheduler

    from workbench.lower.backend import Backend, Line, Session, Training, Written
    from workbench.lower.partition import Island


@dataclass(frozen=True)
class Fallback:
    """One node that runs in torch: which, why, its source line, and its island.

    `bytes` is the size of the values at the island's border. DLPack copies none of them, but the
    target cannot fuse operations across the border.
    """

    node: str
    op: str
    reason: str
    location: Location | None
    island: str
    bytes: int


@dataclass
class Lowered:
    """A graph lowered to a target.

    `source` is a module that computes the graph; `load()` returns it with its weights.
    """

    graph: Graph
    target: str
    backend: Backend
    written: Written
    islands: tuple[Island, ...]

    @property
    def source(self) -> str:
        """Readable source of the generated module, which needs only the target."""
        return self.written.source

    @property
    def lines(self) -> tuple[Line, ...]:
        """The generated statements, one per node, with their lines in `source`."""
        return self.written.lines

    @property
    def caveats(self) -> dict[str, tuple[str, ...]]:
        """Caveats of nodes that were converted, by node name."""
        return dict(self.written.caveats)

    @cached_property
    def fallbacks(self) -> tuple[Fallback, ...]:
        """The nodes that run in torch, with reasons."""
        found = []
        for island in self.islands:
            crossing = [*island.inputs, *island.outputs]
            size = sum(
                value.nbytes
                for node in crossing
                for value in self.graph.node(node.name).values
                if value is not None
            )
            for name, reason in island.reasons.items():
                node = self.graph.node(name)
                found.append(Fallback(name, node.op, reason, node.location, island.name, size))
        return tuple(found)

    def load(self, *, share: bool | None = None) -> Any:
        """Return a module with the graph's weights, in a process with the settings of its source.

        For JAX, these are 64 bits.

        Args:
            share: let the weights share torch's memory (through DLPack, nothing is copied), so that
                a change on one side affects the other. By default shared for a graph captured in
                eval mode, and copied for one captured in training mode.

        Returns:
            The target's module, in the mode in which the graph was captured.
        """
        self.backend.settle()
        return self.loaded(share=not self.graph.training if share is None else share)

    def loaded(self, *, share: bool) -> Any:
        """Return a module as `load` does, for a comparison: the process keeps its settings."""
        return self.backend.load(self.graph, self.written, share=share)

    def export(
        self,
        path: str | Path,
        args: Sequence[Any] | torch.Tensor,
        kwargs: Mapping[str, Any] | None = None,
    ) -> tuple[Path, ...]:
        """Save the module in the target's format for serving (for Paddle: `paddle.jit.save`).

        Args:
            path: the output, with the suffix that the target needs (`.json` for Paddle).
            args: torch inputs for which the saved module must agree with this one.
            kwargs: keyword inputs.

        Returns:
            The files that were written.

        Raises:
            LowerError: the target cannot save it, or the saved module differs.
        """
        from pathlib import Path

        from workbench.capture.checks.assumptions import assumptions
        from workbench.lower.backend import LowerError

        if self.islands:
            away = ", ".join(sorted({fallback.op for fallback in self.fallbacks}))
            raise LowerError(
                f"{self.graph.name} runs {away} in torch, which {self.target} cannot save; remove"
                " that"
                " from the model, or keep the module and its state dict"
            )
        program = self.graph.program
        for each in assumptions(program):
            raise LowerError(
                f"{self.graph.name} assumes that {each}, which a saved program would not check;"
                " write the choice with torch.where or torch.cond, or keep the module and its"
                " state dict"
            )
        args = (args,) if not isinstance(args, (tuple, list)) else tuple(args)
        flat = program._graph_module_flat_inputs(args, dict(kwargs or {}))
        examples = list(flat)[-len(self.graph.inputs) :] if self.graph.inputs else []
        module = self.loaded(share=False)
        return self.backend.export(self.graph, module, Path(path), examples)

    def session(self, module: Any = None) -> Session:
        """Return a session that runs the module (loaded by default) statement by statement."""
        module = module or self.loaded(share=not self.graph.training)
        return self.backend.session(module, self.written)

    def training(
        self, optimizer: torch.optim.Optimizer, schedule: LRScheduler | None = None
    ) -> Training:
        """Return an object that trains the module, whose only output is a loss, as torch's
        optimizer does.

        Args:
            optimizer: torch's, for the captured model's parameters, before its first step.
            schedule: its learning-rate schedule, which steps after each of the optimizer's steps.

        Raises:
            LowerError: the output is not a loss, or the target has no exact form of the optimizer
                or of its schedule.
        """
        from workbench.lower.backend import LowerError

        outputs = [self.graph.node(name).values[0] for name in self.graph.outputs]
        if len(outputs) != 1 or outputs[0] is None or tuple(outputs[0].shape) != ():
            raise LowerError(
                f"{self.graph.name} gives no loss: capture workbench.lower.with_loss(model, loss)"
            )
        return self.backend.training(self.graph, self.written, optimizer, schedule)

    @property
    def caveat_lines(self) -> list[str]:
        """The differences that lowering reports, each with its node."""
        return [f"{node}: {text}" for node, texts in self.caveats.items() for text in texts]
