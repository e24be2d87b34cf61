"""Spells out operators that a target lacks in those that torch itself defines them by."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import torch
from torch.export.decomp_utils import CustomDecompTable

from workbench.capture.checks.assumptions import decomposed
from workbench.capture.provenance import Origins, user_traces
from workbench.capture.read import read_program
from workbench.lower.partition import refusals

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch.fx import Node

    from workbench.capture.graph import Graph

# A definition can use operators that are lacking as well; none is nested deeper than this.
_ROUNDS = 4


def refined(graph: Graph, unsupported: Callable[[Node], str | None]) -> Graph:
    """The graph with refused operators replaced by torch's own definitions of them.

    A round that leaves as many refused nodes as there were is undone: running the operator
    itself in torch is better than running its pieces there.
    """
    refused = refusals(graph.program.graph, unsupported)
    for _ in range(_ROUNDS):
        table = _definitions(refused)
        if not table:
            return graph
        with user_traces():
            program = decomposed(graph.program, table)
        again = refusals(program.graph, unsupported)
        if not all(_runs_in_torch(node) for node in again):
            # Some definitions hold side effects, which no island can run.
            return graph
        if _real(again) >= _real(refused) and _targets(again) >= _targets(refused):
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


def _definitions(refused: dict[Node, str]) -> dict[Any, Any]:
    targets = {node.target for node in refused if isinstance(node.target, torch._ops.OpOverload)}
    if not targets:
        return {}
    known: CustomDecompTable | dict[Any, Any] = torch.export.default_decompositions()
    return {target: known[target] for target in targets if target in known}


def _runs_in_torch(node: Node) -> bool:
    return isinstance(node.target, torch._ops.OpOverload) or node.target is operator.getitem


def _targets(refused: dict[Node, str]) -> set[Any]:
    return {node.target for node in refused}


def _real(refused: dict[Node, str]) -> int:
    return sum(bool(reason) for reason in refused.values())
