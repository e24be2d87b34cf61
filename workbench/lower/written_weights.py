"""Trained weights that `forward` also modifies.

torch writes into the weight itself, so later reads pass gradients to it. In a graph the new value
is another tensor, created under `no_grad`, where gradients would end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.export.graph_signature import OutputKind

from workbench.capture.passes import apply
from workbench.capture.provenance import KEY
from workbench.lower.backend import LowerError
from workbench.lower.writing.running import held

if TYPE_CHECKING:
    from torch.fx import GraphModule, Node

    from workbench.capture.graph import Graph

_aten = torch.ops.aten


def with_gradients(graph: Graph) -> Graph:
    """Return the graph with the gradients of modified weights passed on to the weights.

    Raises:
        LowerError: a value that a weight has between two writes is read as well.
    """
    program = graph.program
    inputs = program.graph_signature.inputs_to_parameters
    places = {target: name for name, target in inputs.items()}
    written = {
        spec.arg.name: places[str(spec.target)]
        for spec in program.graph_signature.output_specs
        if spec.kind is OutputKind.PARAMETER_MUTATION
        and held(program, str(spec.target)).requires_grad
    }
    if not written:
        return graph
    nodes = {node.name: node for node in program.graph.nodes}
    for name, weight in written.items():
        for between in _values_between(nodes[weight], nodes[name]):
            if any(graph.node(user.name).grad for user in between.users if user.op != "output"):
                node = graph.node(between.name)
                raise LowerError(
                    f"{f'{node.location}: ' if node.location else ''}the model writes into its"
                    f" parameter {inputs[weight]} more than once, and reads it in between; let"
                    " forward compute with a changed copy"
                )

    def pass_on(module: GraphModule) -> None:
        own = {node.name: node for node in module.graph.nodes}
        for name, weight in written.items():
            _pass_on(module, own[name], own[weight])

    return apply(graph, pass_on)


def _values_between(weight: Node, new: Node) -> set[Node]:
    """Return the nodes that may be the weight's value between two writes, outside of gradients."""
    found: set[Node] = set()
    waiting = list(new.all_input_nodes)
    while waiting:
        node = waiting.pop()
        value = node.meta.get("val")
        alike = isinstance(value, torch.Tensor) and _kind(value) == _kind(weight.meta["val"])
        if node is weight or node in found or node.op != "call_function" or not alike:
            continue
        if not _record(node).get("grad", True):
            found.add(node)
            waiting += node.all_input_nodes
    return found


def _kind(value: torch.Tensor) -> tuple[Any, ...]:
    return value.dtype, *map(str, value.shape)


def _record(node: Node) -> dict[str, Any]:
    return dict((node.meta.get("custom") or {}).get(KEY, {}))


def _pass_on(module: GraphModule, new: Node, weight: Node) -> None:
    """Make readers of the new value pass gradients to the weight: `new + (w - w.detach())`."""
    readers = [user for user in new.users if user.op != "output"]
    if not readers:
        return
    call = module.graph.call_function
    with module.graph.inserting_before(readers[0]):
        nothing = call(_aten.sub.Tensor, (weight, call(_aten.detach.default, (weight,))))
        value = call(_aten.add.Tensor, (call(_aten.detach.default, (new,)), nothing))
    for node in (*nothing.all_input_nodes, nothing, *value.all_input_nodes, value):
        if node.op == "call_function" and node is not new:
            node.meta["custom"] = {KEY: {**_record(new), "grad": True}}
    for reader in readers:
        reader.replace_input_with(new, value)
