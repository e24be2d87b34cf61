"""Rewriting of masked assignments: `x[mask] = y[mask]` as `where`, without data-dependent sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from workbench.capture.passes import apply

if TYPE_CHECKING:
    from torch.fx import GraphModule, Node

    from workbench.capture.graph import Graph

_aten = torch.ops.aten


def as_choices(graph: Graph) -> Graph:
    """Return the graph with such assignments as `where`; the given one is unchanged."""
    if not any(_parts(node) for node in graph.program.graph.nodes):
        return graph
    return apply(graph, _rewrite)


def _parts(node: Node) -> tuple[Any, Any, Any] | None:
    """Return the tensor, mask and source of such an assignment, or None for other nodes."""
    if node.target is not _aten.index_put.default or len(node.args) > 3:
        return None
    given: Any = node.args
    x, places, values = given
    if not isinstance(values, torch.fx.Node) or values.target is not _aten.index.Tensor:
        return None
    read: Any = values.args
    y, same = read
    if len(places) != 1 or list(places) != list(same):
        return None
    mask, held, new = (each.meta["val"] for each in (places[0], x, y))
    # As text, since a comparison of symbolic sizes would be kept as a guard.
    sizes = [[str(size) for size in each.shape] for each in (held, new)]
    fits = mask.dtype is torch.bool and held.dtype == new.dtype and sizes[0] == sizes[1]
    return (x, places[0], y) if fits else None


def _rewrite(module: GraphModule) -> None:
    for node in list(module.graph.nodes):
        parts = _parts(node)
        if parts is None:
            continue
        x, mask, y = parts
        with module.graph.inserting_before(node):
            for _ in range(x.meta["val"].dim() - mask.meta["val"].dim()):
                mask = module.graph.call_function(_aten.unsqueeze.default, (mask, -1))
            chosen = module.graph.call_function(_aten.where.self, (mask, y, x))
        chosen.meta = dict(node.meta)
        node.replace_all_uses_with(chosen)
        module.graph.erase_node(node)
