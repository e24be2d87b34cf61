"""Removal of custom backward passes that a target cannot compute."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.capture import passes
from workbench.capture.held_calls import replace_call
from workbench.capture.stand_ins.own_backward import own_backward
from workbench.lower.partition import refusals

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch.fx import GraphModule, Node

    from workbench.capture.graph import Graph


def forward_only(
    graph: Graph, unsupported: Callable[[Node], str | None]
) -> tuple[Graph, dict[str, tuple[str, ...]]]:
    """Return the graph without the backward passes that are refused, and a caveat for each."""
    refused = {
        node.name: reason
        for node, reason in refusals(graph.program.graph, unsupported).items()
        if node.target is own_backward
    }
    caveats: dict[str, tuple[str, ...]] = {}
    if not refused:
        return graph, caveats

    def leave_out(module: GraphModule) -> None:
        for node in list(module.graph.nodes):
            if node.name not in refused:
                continue
            holder, name, results, *_ = node.args
            caveats[results[0].name] = (
                f"its function states its own backward pass ({name}), which is left out:"
                f" {refused[node.name]}; gradients are those of its forward pass",
            )
            if len(results) == 1:
                node.replace_all_uses_with(results[0])
            replace_call(node, holder, results)

    return passes.apply(graph, leave_out), caveats
