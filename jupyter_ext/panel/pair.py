"""A traced call and its counterpart in the target, node by node."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..installed import installed_only
from .trace import Traced, cell_files, parts

if TYPE_CHECKING:
    from workbench.capture.figures import Measured
    from workbench.compare.nodes.comparison import NodeComparison, NodeRow
    from workbench.lower import Island, Lowered

    from .cells import Cells

Json = dict[str, Any]


@dataclass
class Paired:
    """Both graphs and what the comparison of their nodes found."""

    traced: Traced
    lowered: Lowered
    comparison: NodeComparison

    def content(self) -> Json:
        """Return facts about both sides; Netron's two files are sent separately as bytes."""
        first = self.comparison.first
        return {
            **self.traced.content(self.measured()),
            "target": self.lowered.target,
            "source": self.lowered.source,
            "rows": {name: _row(row) for name, row in self.rows().items()},
            "islands": {island.name: _island(island) for island in self.lowered.islands},
            "caveats": {name: list(texts) for name, texts in self.lowered.caveats.items()},
            "equal": self.comparison.equal,
            "summary": self.summary(),
            "first": first.node if first else None,
        }

    def rows(self) -> dict[str, NodeRow]:
        """Return the rows by node; a node of several results has the row that differs most."""
        from workbench.compare.nodes.measured import rows_by_node

        return rows_by_node(self.lowered, self.comparison)

    def measured(self) -> dict[str, Measured]:
        """Return the measurements that colour the graph's boxes."""
        from workbench.compare.nodes.measured import measured

        return measured(self.lowered, self.comparison)

    def summary(self) -> str:
        """Return the outcome in one line."""
        first, rows = self.comparison.first, self.rows()
        if first is None:
            unchecked = len({node.name for node in self.traced.graph.calls} - rows.keys())
            rest = f"; {unchecked} more were not compared" if unchecked else ""
            return f"All {len(rows)} nodes agree{rest}"
        wrong = sum(not row.equal for row in rows.values())
        return f"{wrong} of {len(rows)} nodes differ, first {first.node}"

    def files(self) -> list[bytes]:
        """Netron's files: torch's side, then the target's."""
        with installed_only():
            from workbench.capture.netron import encode
            from workbench.lower.netron import lowered_document

        return [self.traced.netron, encode(lowered_document(self.lowered))]


def pair_call(
    text: str,
    names: Mapping[str, object],
    cells: Cells,
    shell: Any,
    *,
    target: str,
    say: Callable[[str], None],
) -> Paired:
    """Capture a call, lower its graph to a target, and run both on the call's own inputs.

    They run in a separate process, so that the kernel survives a framework that crashes. `say` gets
    each step before it begins.

    Raises:
        TorchferryError: a statement of the converted code hung or crashed.
        ValueError: the text is not a call, or its parts cannot be evaluated.
        CaptureError: the model cannot be captured.
        LowerError: its graph cannot be written in the target.
    """
    with installed_only():
        from workbench.capture import capture
        from workbench.capture.netron import encode, graph_document
        from workbench.compare.nodes.comparison import compare_nodes_apart
        from workbench.lower import lower

    model, args, kwargs = parts(text, names)
    say("Tracing …")
    graph = capture(model, args, kwargs)
    say(f"Converting {len(graph.calls)} calls …")
    lowered = lower(graph, target=target)
    say("Running both sides, node by node …")
    comparison = compare_nodes_apart(lowered, args, kwargs)
    say("Drawing both graphs …")
    traced = Traced(text, graph, cell_files(cells, shell), encode(graph_document(graph)))
    return Paired(traced, lowered, comparison)


def _row(row: NodeRow) -> Json:
    return {
        "code": row.code,
        "line": row.line,
        "equal": row.equal,
        "reason": row.reason,
        "random": row.random,
        # JSON has no infinity and no NaN.
        "difference": _finite(row.difference),
        "limit": _finite(row.limit),
        "torchMs": row.torch_ms,
        "targetMs": row.target_ms,
    }


def _island(island: Island) -> Json:
    return {
        "nodes": [node.name for node in island.nodes],
        "reasons": {name: why for name, why in island.reasons.items() if why},
    }


def _finite(number: float) -> float | None:
    return number if abs(number) != float("inf") and number == number else None
