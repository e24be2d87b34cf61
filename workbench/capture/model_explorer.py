"""A captured graph and its measurements as JSON for Google's Model Explorer.

Model Explorer folds nodes by namespace paths. These are those of the panel's boxes, so that modules
and stacks of blocks have the same names in both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.capture.figures import Verdict
from workbench.capture.hierarchy import hierarchy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from workbench.capture.figures import Measured
    from workbench.capture.graph import Graph, Value
    from workbench.capture.hierarchy import Box

_COLOURS = {
    Verdict.SAME: "#2e7d32",
    Verdict.ROUNDING: "#5f7d2e",
    Verdict.UNKNOWN: "#6b6b6b",
    Verdict.DIFFERENT: "#c62828",
}
# Model Explorer's font has only ASCII, and shows a question mark for other characters.
_ASCII = str.maketrans({"×": "x", "–": "-", "…": "..."})
# Replaces infinity, which JSON does not have, such as for different shapes.
_MOST = 1e9


def document(graph: Graph) -> dict[str, Any]:
    """Return the graph; its nodes have the ids of `node_data`."""
    tree = hierarchy(graph)
    reads: dict[str, list[str]] = {}
    for between in tree.edges.values():
        for giver, taker in (link for links in between.values() for link in links):
            reads.setdefault(taker, []).append(giver)
    nodes = [_node(graph, leaf, reads.get(leaf.id, [])) for leaf in tree.root.leaves()]
    return {"label": graph.name, "graphs": [{"id": graph.name, "nodes": nodes}]}


def node_data(graph: Graph, measured: Mapping[str, Measured]) -> dict[str, Any]:
    """Return, per call, the difference divided by what rounding explains, coloured by verdict."""
    leaves = [leaf for leaf in hierarchy(graph, measured).root.leaves() if leaf.figures.verdict]
    results = {
        leaf.id: {
            "value": min(leaf.figures.excess, _MOST),
            "bgColor": _COLOURS[leaf.figures.verdict or Verdict.UNKNOWN],
            "textColor": "#ffffff",
        }
        for leaf in leaves
    }
    return {graph.name: {"name": "difference by rounding", "results": results}}


def _node(graph: Graph, leaf: Box, givers: list[str]) -> dict[str, Any]:
    around = [box for box in leaf.above() if box is not leaf and box.parent is not None]
    first = graph.node(leaf.nodes[0])
    attributes = {
        "operator": leaf.op,
        "module": leaf.path,
        "line": f"{first.location}  {first.location.code}" if first.location else "",
        "FLOP": f"{leaf.figures.flops:,}" if leaf.figures.flops else "",
    }
    results = [value for value in first.values if value is not None]
    return {
        "id": leaf.id,
        "label": f"{leaf.name} {leaf.type}".strip(),
        "namespace": "/".join(_part(box) for box in reversed(around)),
        "attrs": [{"key": key, "value": text} for key, text in attributes.items() if text],
        "incomingEdges": [
            {"sourceNodeId": giver, "sourceNodeOutputId": "0", "targetNodeInputId": str(i)}
            for i, giver in enumerate(givers)
        ],
        "outputsMetadata": [_output(i, value) for i, value in enumerate(results)],
    }


def _part(box: Box) -> str:
    """Return the path element of a box; the second call of a module is another box."""
    times = f" × {box.repeat}" if box.repeat else ""
    _, again, number = box.id.rpartition("#")
    part = f"{box.name}{times} {box.type}".strip() + (f" #{number}" if again else "")
    return part.translate(_ASCII)


def _output(index: int, value: Value) -> dict[str, Any]:
    return {"id": str(index), "attrs": [{"key": "tensor_shape", "value": str(value)}]}
