"""Decomposition of operators that a target lacks into those by which torch defines them."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import torch
from torch._export.verifier import SpecViolationError
from torch.export.decomp_utils import CustomDecompTable

from workbench.capture.checks.assumptions import decomposed
from workbench.capture.provenance import Origins, user_traces
from workbench.capture.read import read_program
from workbench.capture.stand_ins.own_backward import own_backward
from workbench.lower.partition import refusals
from workbench.streams.recurrent import KINDS, drops, layer_by_layer, projects

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch.fx import Node

    from workbench.capture.graph import Graph

_RECURRENT = {getattr(torch.ops.aten, kind).input for kind in KINDS}
# A decomposition may contain operators that are missing too; none is nested deeper than this.
_ROUNDS = 4


def refined(graph: Graph, unsupported: Callable[[Node], str | None]) -> Graph:
    """Return the graph with refused operators replaced by torch's own decompositions.

    A round that leaves as many refused nodes as before is undone: it is better to run the operator
    itself in torch than its parts.
    """
    refused = refusals(graph.program.graph, unsupported)
    for _ in range(_ROUNDS):
        table = _definitions(_targets(refused, unsupported))
        if not table:
            return graph
        with user_traces():
            try:
                program = decomposed(graph.program, table)
            except SpecViolationError:  # torch loses a tensor that was created in a nested graph
                outer = _definitions({node.target for node in refused})
                program = decomposed(graph.program, outer)
        again = refusals(program.graph, unsupported)
        if not all(_runs_in_torch(node) for node in again):
            # Some decompositions have side effects, which an island cannot run.
            return graph
        lacking = _targets(again, unsupported)
        if _real(again) >= _real(refused) and lacking >= _targets(refused, unsupported):
            return graph
        graph, refused = (
            read_program(
                program,
                name=graph.name,
                origins=Origins(),
                symbols=graph.symbols,
                training=graph.training,
            ),
            again,
        )
    return graph


def _definitions(targets: set[Any]) -> dict[Any, Any]:
    operators = {target for target in targets if isinstance(target, torch._ops.OpOverload)}
    if not operators:
        return {}
    known: CustomDecompTable | dict[Any, Any] = torch.export.default_decompositions()
    found = {target: known[target] for target in operators if target in known}
    recurrent = {
        target: _layer_by_layer(target, found[target]) for target in _RECURRENT & set(found)
    }
    return found | recurrent


def _layer_by_layer(target: Any, definition: Callable[..., Any]) -> Callable[..., Any]:
    """Return a decomposition with the dropout between recurrent layers, which torch's own omits.

    Layers without dropout are not decomposed.
    """

    def define(*args: Any) -> Any:
        if drops(*args[4:7]):
            return layer_by_layer(target, args[0], (), *args[1:])
        return definition(*args) if projects(args[2], args[3], args[4], args[7]) else NotImplemented

    return define


def _runs_in_torch(node: Node) -> bool:
    return isinstance(node.target, torch._ops.OpOverload) or node.target in (
        operator.getitem,
        own_backward,  # it is removed if it is refused
    )


def _targets(refused: dict[Node, str], unsupported: Callable[[Node], str | None]) -> set[Any]:
    """Return the refused operators, including those in nested graphs."""
    found = {node.target for node in refused}
    for node in refused:
        for holder in node.all_input_nodes:
            held = getattr(node.graph.owning_module, str(holder.target), None)
            if holder.op == "get_attr" and isinstance(held, torch.fx.GraphModule):
                inner = (each for each in held.graph.nodes if each.op == "call_function")
                found |= {each.target for each in inner if unsupported(each)}
    return found


def _real(refused: dict[Node, str]) -> int:
    return sum(bool(reason) for reason in refused.values())
