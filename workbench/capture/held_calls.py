"""Calls of graphs that a graph holds, such as those of a region without gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch.fx import Node as FxNode


def replace_call(node: FxNode, holder: FxNode, results: Sequence[FxNode]) -> None:
    """Put nodes in the place of what a call gives; the call goes, and its graph if none is left.

    Args:
        node: the call, each of whose users takes one of what it gives.
        holder: the node by which it has the graph.
        results: what its users take instead, in their order.
    """
    for user in list(node.users):
        user.replace_all_uses_with(results[user.args[1]])  # type: ignore[index]
        user.graph.erase_node(user)
    node.graph.erase_node(node)
    if not holder.users:
        holder.graph.erase_node(holder)
