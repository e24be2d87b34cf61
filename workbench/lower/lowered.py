"""The result of lowering: source, a ready module, and what stayed in torch."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from workbench.capture.graph import Graph, Location, Node

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import torch
    from torch.optim.lr_scheduler import LRScheduler

    from workbench.lower.backend import Backend, Line, Session, Training, Written
    from workbench.lower.partition import Island


@dataclass(frozen=True)
class Fallback:
    """One node that runs in torch: which, why, where it comes from, and in which island.

    `bytes` is what crosses the border of its island; through DLPack that moves nothing, but the
    target cannot fuse across it.
    """

    node: str
    op: str
    reason: str
    location: Location | None
    island: str
    bytes: int


@dataclass
class Lowered:
    """A graph in the target's terms.

    `source` is the text of a module that computes the graph; `load()` gives it with its weights.
    """

    graph: Graph
    target: str
    backend: Backend
    written: Written
    islands: tuple[Island, ...]

    @property
    def source(self) -> str:
        """Readable source of the generated module, which needs nothing but the target."""
        return self.written.source

    @property
    def lines(self) -> tuple[Line, ...]:
        """The generated statements, one for each node, with their places in `source`."""
        return self.written.lines

    @property
    def caveats(self) -> dict[str, tuple[str, ...]]:
        """What the user should know about nodes that converted, by node name."""
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
        """A ready module holding the graph's weights.

        Args:
            share: let the weights be torch's own memory (through DLPack, nothing is copied), so
                that a change on one side shows on the other. By default shared for a graph
                captured in eval mode, and copied for one captured in training mode.

        Returns:
            The target's module, in the mode that the graph was captured in.
        """
        share = not self.graph.training if share is None else share
        return self.backend.load(self.graph, self.written, share=share)

    def export(
        self,
        path: str | Path,
        args: Sequence[Any] | torch.Tensor,
        kwargs: Mapping[str, Any] | None = None,
    ) -> tuple[Path, ...]:
        """Save the module as the target serves it (for Paddle: `paddle.jit.save`).

        Args:
            path: where to, with the ending that the target wants (`.json` for Paddle).
            args: inputs in torch, on which the saved module has to compute what this one does.
            kwargs: keyword inputs.

        Returns:
            The files that were written.

        Raises:
            LowerError: the target cannot save it, or what was saved does not match.
        """
        from pathlib import Path

        from workbench.capture.checks.assumptions import assumptions
        from workbench.lower.backend import LowerError

        if self.islands:
            away = ", ".join(sorted({fallback.op for fallback in self.fallbacks}))
            raise LowerError(
                f"{self.graph.name} runs {away} in torch, which {self.target} cannot save; take"
                " that out of the model, or keep the module and its state dict"
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
        module = self.load(share=False)
        return self.backend.export(self.graph, module, Path(path), examples)

    def session(self, module: Any = None) -> Session:
        """The module, loaded unless given, ready to run statement by statement."""
        return self.backend.session(module or self.load(), self.written)

    def training(
        self, optimizer: torch.optim.Optimizer, schedule: LRScheduler | None = None
    ) -> Training:
        """What trains the module, whose one output is a loss, as torch's optimizer does.

        Args:
            optimizer: torch's, of the captured model's parameters; it has made no step yet.
            schedule: of its rate, which makes a step behind each of the optimizer's.

        Raises:
            LowerError: the output is no loss, or the target has no exact form of the optimizer or
                of its schedule.
        """
        from workbench.lower.backend import LowerError

        outputs = [self.graph.node(name).values[0] for name in self.graph.outputs]
        if len(outputs) != 1 or outputs[0] is None or tuple(outputs[0].shape) != ():
            raise LowerError(
                f"{self.graph.name} gives no loss: capture workbench.lower.with_loss(model, loss)"
            )
        return self.backend.training(self.graph, self.written, optimizer, schedule)

    def node_at(self, line: int) -> Node | None:
        """The node behind a 1-based line of `source`."""
        name = next((item.node for item in self.lines if item.number == line), None)
        return self.graph.node(name) if name is not None else None

    def to_netron(self) -> dict[str, object]:
        """The lowered side in Netron's JSON format; `pair` ids are those of `graph.to_netron`."""
        from workbench.lower.netron import document

        return document(self)

    def to_netron_bytes(self) -> bytes:
        """`to_netron` as the bytes of a `.netron` file."""
        from workbench.capture.netron import encode

        return encode(self.to_netron())
