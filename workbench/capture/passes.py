"""User-defined passes over a captured graph: plain `torch.fx`, with provenance kept."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import torch
from torch._guards import detect_fake_mode
from torch.fx.passes.infra.pass_base import PassResult

from workbench.capture.errors import CaptureError
from workbench.capture.provenance import KEY, Origins
from workbench.capture.read import read_program

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch.fx import GraphModule
    from torch.fx import Node as FxNode

    from workbench.capture.graph import Graph


def apply(graph: Graph, *passes: Callable[[GraphModule], Any]) -> Graph:
    """Return the graph after some passes; the given one is unchanged, and the weights are shared.

    Args:
        graph: a captured graph.
        passes: functions that modify a `torch.fx.GraphModule` in place (their results are ignored).
            The inputs and outputs must keep their number and order.

    Returns:
        The changed graph. A node without metadata gets its shape and dtype by running it on
        fake tensors, and the provenance of its first input.

    Raises:
        CaptureError: a pass left an invalid graph; the message names the pass.
    """
    program = graph.program
    for change in passes:
        title = getattr(change, "__name__", type(change).__name__)

        def run(module: GraphModule, change: Any = change) -> PassResult:
            module = copy.deepcopy(module)
            change(module)
            module.graph.lint()
            _complete(module)
            module.recompile()
            return PassResult(module, True)

        try:
            program = program._transform_do_not_use(run)
        except Exception as error:
            first = (str(error).strip().splitlines() or [type(error).__name__])[0]
            raise CaptureError(
                f"the pass {title} leaves an invalid graph: {first}",
                step="keep inputs and outputs, and replace a node before erasing it",
            ) from error
    return read_program(
        program, name=graph.name, origins=Origins(), symbols=graph.symbols, training=graph.training
    )


def _complete(module: GraphModule) -> None:
    """Add the metadata that lowering needs to nodes that a pass created."""
    values = [n.meta.get("val") for n in module.graph.nodes]
    mode = detect_fake_mode([v for v in values if isinstance(v, torch.Tensor)])
    for node in module.graph.nodes:
        if node.op != "call_function":
            continue
        if "val" not in node.meta and mode is not None:
            with mode, torch.no_grad():
                args, kwargs = torch.fx.node.map_arg((node.args, node.kwargs), _value)
                node.meta["val"] = node.target(*args, **kwargs)
        custom = node.meta.get("custom") or {}
        if KEY not in custom:
            node.meta["custom"] = {**custom, **_inherited(node)}


def _value(node: FxNode) -> Any:
    return node.meta["val"]


def _inherited(node: FxNode) -> dict[str, Any]:
    for source in node.all_input_nodes:
        record = (source.meta.get("custom") or {}).get(KEY)
        if record and source.op == "call_function":
            return {KEY: record}
    return {}
