"""Calls of nested graphs, such as those of a region without gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch.fx import Node as FxNode


def replace_call(node: FxNode, holder: FxNode, results: Sequence[FxNode]) -> None:
    """Replace the results of a call by nodes; remove the call, and its graph if nothing else uses
    it.

    Args:
        node: the call; each of its users takes one of its results.
        holder: the node that refers to the graph.
        results: the replacements, in the order of the results.
    """
    for user in list(node.users):
        user.replace_all_uses_with(results[user.args[1]])  # type: ignore[index]
        user.graph.erase_node(user)
    node.graph.erase_node(node)
    if not holder.users:
        holder.graph.erase_node(holder)
