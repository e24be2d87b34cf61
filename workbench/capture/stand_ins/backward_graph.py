"""A backward pass as a graph, traced together with the graph around it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch._subclasses import FakeTensor
from torch.fx.experimental.proxy_tensor import get_proxy_mode, has_proxy_slot, make_fx
from torch.utils._python_dispatch import _disable_current_modes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from torch.fx import GraphModule

_COPY = torch.ops.aten.lift_fresh_copy.default


def traced(
    backward: Callable[..., Any], saved: Sequence[torch.Tensor], results: Sequence[torch.Tensor]
) -> tuple[GraphModule, list[torch.Tensor]]:
    """Return the graph of a function of saved tensors and of the gradients of some results.

    Returns:
        The graph, and its inputs before the gradients: the saved tensors, and others that the
        function refers to.

    Raises:
        NotImplementedError: the function holds or modifies a value unknown to the outer graph.
        Exception: any error of its code.
    """
    mode = get_proxy_mode()
    assert mode is not None
    # A backward pass that calls `torch.autograd.grad` itself is visible only below that level.
    for above in (True, False):
        with _disable_current_modes():
            stand_ins = [torch.empty_like(each) for each in (*saved, *results)]
            graph = make_fx(
                backward, tracing_mode="fake", pre_dispatch=above, record_stack_traces=True
            )(*stand_ins)
            lifted = _lifted(graph, len(saved), mode.tracer)
        if lifted is not None:
            return graph, [*saved, *lifted]
    raise NotImplementedError("it contains or changes a value that is not in the outer graph")


def _lifted(module: GraphModule, place: int, around: Any) -> list[torch.Tensor] | None:
    """Turn the tensors that a graph holds into inputs at this position, and return them.

    Returns None if one of them belongs to a value unknown to the outer graph, or to a weight whose
    gradient the backward pass sets by calling `backward()`.
    """
    graph = module.graph
    tensors: list[torch.Tensor] = []
    follows = [node for node in graph.nodes if node.op == "placeholder"][place]
    for node in list(graph.nodes):
        if node.target is torch._C._set_grad_enabled:
            graph.erase_node(node)
        if node.op != "get_attr":
            continue
        value = getattr(module, str(node.target))
        if not isinstance(value, FakeTensor) and value.numel() == 1:
            with graph.inserting_before(node):
                held = graph.call_function(
                    torch.ops.aten.full.default,
                    (list(value.shape), value.item()),
                    {"dtype": value.dtype, "device": value.device},
                )
        elif isinstance(value, FakeTensor) and (
            not has_proxy_slot(value, around) or value.grad is not None
        ):
            return None
        else:
            tensors.append(value)
            with graph.inserting_before(follows):
                held = graph.placeholder(f"constant_{len(tensors)}")
        held.meta.update(node.meta)
        for old in [*(n for n in node.users if n.target is _COPY), node]:
            old.replace_all_uses_with(held)
            graph.erase_node(old)
    module.recompile()
    return tensors
