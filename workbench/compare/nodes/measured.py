"""Measurements of a graph's nodes from a comparison, for the figures of its boxes."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

from workbench.capture.figures import Measured

if TYPE_CHECKING:
    from workbench.compare.nodes.comparison import NodeComparison, NodeRow
    from workbench.lower import Lowered


def measured(lowered: Lowered, comparison: NodeComparison) -> dict[str, Measured]:
    """Return the measurements of the nodes on both sides, by name."""
    in_torch = {node.name for island in lowered.islands for node in island.nodes}
    return {
        name: Measured(row.verdict, row.excess, row.torch_ms, row.target_ms, name in in_torch)
        for name, row in rows_by_node(lowered, comparison).items()
    }


def rows_by_node(lowered: Lowered, comparison: NodeComparison) -> dict[str, NodeRow]:
    """Return the rows by node; a node with several results has the row of the worst one."""
    rows = {row.node: row for row in comparison.rows}
    for node in lowered.graph.program.graph.nodes:
        if node.target is not operator.getitem or node.name not in rows:
            continue
        whole, part = str(node.args[0]), rows[node.name]
        if whole not in rows or (rows[whole].equal and not part.equal):
            rows[whole] = part
    return rows
