"""The lowered graph as a Netron document, paired with the captured one node by node."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.capture.graph import Kind
from workbench.capture.netron import Builder, category

if TYPE_CHECKING:
    from workbench.lower.lowered import Lowered


def lowered_document(lowered: Lowered) -> dict[str, object]:
    """Return a document with one node per statement, and a coloured one per island of torch.

    Its nodes have the `pair` ids of `graph_document`.
    """
    graph, written = lowered.graph, lowered.written
    builder = Builder()
    for node in graph.nodes:
        if node.kind not in (Kind.CALL, Kind.SUBGRAPH):
            label = written.parameters.get(node.target, node.target)
            builder.value(node.name, node.values[0] if node.values else None, label=label)
    in_island = {n.name: island for island in lowered.islands for n in island.nodes}
    for island in lowered.islands:
        outputs = [builder.value(n.name, graph.node(n.name).values[0]) for n in island.outputs]
        reasons = "; ".join(f"{name}: {why}" for name, why in island.reasons.items())
        inputs = {"inputs": [n.name for n in island.inputs if graph.node(n.name).values]}
        facts: dict[str, object] = {
            "why": reasons,
            "nodes": ", ".join(n.name for n in island.nodes),
        }
        builder.node(island.name, "torch", inputs, outputs, facts, colour="Custom")
    for line in lowered.lines:
        if line.node in in_island or not line.name:
            continue
        node = graph.node(line.node)
        results = [n for n in graph.users(node.name) if n.op == "getitem"] or [node]
        names = line.name.split(", ")
        if len(names) == 1 and names[0] == written.variables.get(node.name):
            results = [node]
        facts = {"code": line.code, "line": line.number, "pair": node.name}
        if node.location:
            facts["source"] = str(node.location)
        if node.module:
            facts["module"] = node.module
        builder.node(
            node.name,
            _called(line.expression),
            {key: list(value) for key, value in node.arguments.items()},
            [builder.value(n.name, n.values[0] if n.values else None) for n in results],
            facts,
            colour=category(node.op.partition(".")[0]),
        )
    return builder.document(written.class_name, lowered.target, graph.inputs, graph.outputs)


def _called(expression: str) -> str:
    """Return the callee of a statement for the node's title: `F.conv2d`, `+`, `[...]`."""
    head = expression.partition("(")[0]
    if head and all(part.isidentifier() for part in head.split(".")):
        return head
    for sign in (" + ", " - ", " * ", " / ", " == ", " < ", " > "):
        if sign in expression:
            return sign.strip()
    return "[...]" if expression.endswith("]") else "="
