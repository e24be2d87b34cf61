"""A backward pass as a graph, traced while the graph around it is."""

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
    """The graph of a function of what was saved and of the gradients of some results.

    Returns:
        The graph, and the tensors that it takes before the gradients: what was saved, and others
        that the function holds itself.

    Raises:
        NotImplementedError: the function holds, or changes, a value that the graph around does not.
        Exception: whatever its code raises.
    """
    mode = get_proxy_mode()
    assert mode is not None
    # A backward pass that calls `torch.autograd.grad` itself is seen below that only.
    for above in (True, False):
        with _disable_current_modes():
            stand_ins = [torch.empty_like(each) for each in (*saved, *results)]
            graph = make_fx(
                backward, tracing_mode="fake", pre_dispatch=above, record_stack_traces=True
            )(*stand_ins)
            lifted = _lifted(graph, len(saved), mode.tracer)
        if lifted is not None:
            return graph, [*saved, *lifted]
    raise NotImplementedError("it holds a value, or changes one, that the graph around does not")


def _lifted(module: GraphModule, place: int, around: Any) -> list[torch.Tensor] | None:
    """The tensors that a graph holds itself, which become inputs of it from this place on.

    None where one of them is of a value that the graph around does not have, or a weight that the
    backward pass gives a gradient itself, by `backward()`.
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
