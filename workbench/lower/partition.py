"""Partition of a graph between the target and torch, with as few islands of torch as possible."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.lower.liveness import live

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from torch.fx import Graph, Node


@dataclass(frozen=True, eq=False)
class Island:
    """Nodes that run in torch together, in the order of the graph.

    `inputs` come from outside the island, `outputs` are used outside it; `reasons` has the target's
    reason for each node that it refused.
    """

    name: str
    nodes: tuple[Node, ...]
    inputs: tuple[Node, ...]
    outputs: tuple[Node, ...]
    reasons: Mapping[str, str]


def refusals(graph: Graph, unsupported: Callable[[Node], str | None]) -> dict[Node, str]:
    """Return the nodes that must run in torch, with reasons; "" for nodes that only unpack such a
    node.
    """
    found: dict[Node, str] = {}
    needed = live(graph)
    for node in graph.nodes:
        if node.op != "call_function" or node not in needed:
            continue
        source = node.args[0] if node.args else None
        if getattr(node.target, "__name__", "") == "getitem" and source in found:
            found[node] = ""
        else:
            reason = unsupported(node)
            if reason is not None:
                found[node] = reason
    return found


def islands(graph: Graph, refused: Mapping[Node, str]) -> list[Island]:
    """Return the refused nodes in the smallest number of islands without a cycle.

    A refused node's level is the number of islands that have to run before it. All nodes of one
    level can run together, since none of them depends on another through the target.
    """
    before: dict[Node, int] = {}
    members: dict[int, list[Node]] = {}
    for node in graph.nodes:
        levels = [
            before[source] + (1 if node in refused and source not in refused else 0)
            for source in node.all_input_nodes
        ]
        # -1: no island comes before. A refused node starts at level 0.
        level = max(levels, default=-1)
        if node in refused:
            level = max(level, 0)
            members.setdefault(level, []).append(node)
        before[node] = level
    return [_island(f"island_{level}", nodes, refused) for level, nodes in sorted(members.items())]


def _island(name: str, nodes: Sequence[Node], refused: Mapping[Node, str]) -> Island:
    inside = set(nodes)
    inputs = dict.fromkeys(
        source for node in nodes for source in node.all_input_nodes if source not in inside
    )
    outputs = [node for node in nodes if any(user not in inside for user in node.users)]
    reasons = {node.name: refused[node] for node in nodes if refused[node]}
    return Island(name, tuple(nodes), tuple(inputs), tuple(outputs), reasons)


def schedule(graph: Graph, parts: Iterable[Island]) -> list[Node | Island]:
    """Return the order in which nodes and islands run: the graph's, with islands when needed."""
    home = {node: island for island in parts for node in island.nodes}
    done: set[Node | Island] = set()
    order: list[Node | Island] = []
    for first in graph.nodes:
        stack: list[Node | Island] = [home.get(first, first)]
        while stack:
            item = stack[-1]
            if item in done:
                stack.pop()
                continue
            sources = item.inputs if isinstance(item, Island) else item.all_input_nodes
            waiting = [home.get(s, s) for s in sources if home.get(s, s) not in done]
            if waiting:
                stack.extend(reversed(waiting))
            else:
                done.add(item)
                order.append(item)
                stack.pop()
    return order
