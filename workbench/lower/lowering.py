"""Lowering of a captured graph to a target's source and module."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.lower import backend as backends
from workbench.lower.backend import LowerError
from workbench.lower.forward_only import forward_only
from workbench.lower.lowered import Lowered
from workbench.lower.masked import as_choices
from workbench.lower.partition import islands, refusals
from workbench.lower.refining import refined
from workbench.lower.written_weights import with_gradients
from workbench.targets import DEFAULT

if TYPE_CHECKING:
    from workbench.capture.graph import Graph
    from workbench.lower.backend import Backend


def lower(
    graph: Graph, *, target: str = DEFAULT, fallback: bool = True, backend: Backend | None = None
) -> Lowered:
    """Return the graph as a module of the target.

    Args:
        graph: the result of `workbench.capture.capture`.
        target: the name of a target.
        fallback: run nodes that the target cannot compute exactly in torch, in as few islands as
            possible. If False, such a node is an error.
        backend: replaces the target's backend if given.

    Returns:
        The lowered graph, with its source; only `load()` accesses weights. Its `graph` is the
        given one, with operators that the target lacks decomposed if torch can do that.

    Raises:
        LowerError: there is no such target, or a node cannot be lowered; the message names the node
            and the user's line.
    """
    chosen = backend or backends.find(target)
    graph = refined(with_gradients(as_choices(graph)), chosen.unsupported)
    graph, caveats = forward_only(graph, chosen.unsupported)
    fx_graph = graph.program.graph
    refused = refusals(fx_graph, chosen.unsupported)
    if refused and not fallback:
        name, reason = next((n.name, r) for n, r in refused.items() if r)
        node = graph.node(name)
        place = f"{node.location}: " if node.location else ""
        raise LowerError(
            f"{place}{node.op} ({name}) cannot be lowered to {target}: {reason}; "
            "allow fallback=True to run it in torch"
        )
    parts = islands(fx_graph, refused)
    written = chosen.write(graph, parts)
    written = replace(written, caveats={**written.caveats, **caveats})
    return Lowered(graph, target, chosen, written, tuple(parts))
