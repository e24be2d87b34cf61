"""A graph operator for functions that define their own backward pass.

`own_backward(backward, name, results, saved, inputs)` returns the results, or the only result.
Gradients reach the inputs only through `backward`: a graph of the saved tensors and of the
gradients of the results. torch has no such operator; `torch.export` keeps only the forward pass of
a `torch.autograd.Function`.
"""

# torch leaves its machinery of such operators untyped.
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch._C import DispatchKey
from torch._higher_order_ops.utils import (
    _maybe_run_with_interpreter,
    reenter_make_fx,
    register_fake,
)
from torch._ops import HigherOrderOperator
from torch.fx.experimental.proxy_tensor import (
    ProxyTorchDispatchMode,
    disable_proxy_modes_tracing,
    track_tensor_tree,
)
from torch.fx.traceback import preserve_node_meta
from torch.utils import _pytree as pytree

if TYPE_CHECKING:
    from collections.abc import Callable

    Tensors = tuple[torch.Tensor, ...]
    Backward = Callable[..., tuple[torch.Tensor | None, ...]]


class _OwnBackward(HigherOrderOperator):
    def __init__(self) -> None:
        super().__init__("own_backward")

    def __call__(
        self, backward: Backward, name: str, results: Tensors, saved: Tensors, inputs: Tensors
    ) -> Any:
        return super().__call__(backward, name, results, saved, inputs)


own_backward = _OwnBackward()


class _Recorded(torch.autograd.Function):
    """The operator while torch records for a backward pass."""

    @staticmethod
    def forward(ctx: Any, backward: Backward, counts: tuple[int, int], *tensors: Any) -> Any:
        results, saved = counts
        ctx.own, ctx.before = backward, results + saved
        ctx.save_for_backward(*tensors[results : results + saved])
        given = tuple(each.clone() for each in tensors[:results])
        ctx.mark_non_differentiable(*(x for x in given if not has_gradient(x)))
        return given if results > 1 else given[0]

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return (None,) * (2 + ctx.before) + tuple(ctx.own(*ctx.saved_tensors, *gradients))


def has_gradient(x: torch.Tensor) -> bool:
    """Return whether the tensor's dtype can have gradients."""
    return x.is_floating_point() or x.is_complex()


@own_backward.py_autograd_impl
def _autograd(
    backward: Backward, name: str, results: Tensors, saved: Tensors, inputs: Tensors
) -> Any:
    if torch.is_grad_enabled() and any(x.requires_grad for x in inputs):
        return _Recorded.apply(backward, (len(results), len(saved)), *results, *saved, *inputs)
    with torch._C._AutoDispatchBelowAutograd():
        return own_backward(backward, name, results, saved, inputs)


@own_backward.py_impl(DispatchKey.CompositeExplicitAutograd)
def _run(backward: Backward, name: str, results: Tensors, saved: Tensors, inputs: Tensors) -> Any:
    given = tuple(each.clone() for each in results)
    return given if len(given) > 1 else given[0]


register_fake(own_backward, _run, skip_cache=True)


@own_backward.py_functionalize_impl
def _functional(ctx: Any, backward: Backward, name: str, *tensors: Tensors) -> Any:
    plain = ctx.unwrap_tensors(tensors)
    with ctx.redispatch_to_next():
        given = own_backward(ctx.functionalize(_maybe_run_with_interpreter(backward)), name, *plain)
    return ctx.wrap_tensors(given)


@own_backward.py_impl(ProxyTorchDispatchMode)
def _traced(
    mode: Any, backward: Backward, name: str, results: Tensors, saved: Tensors, inputs: Tensors
) -> Any:
    tracer = mode.tracer
    with disable_proxy_modes_tracing():
        gradients = [torch.empty_like(each) for each in results]
    with preserve_node_meta():  # keeps the lines that its nodes come from
        graph = reenter_make_fx(backward)(*saved, *gradients)
    tracer.root.register_module(tracer.get_fresh_qualname(f"{name}_backward"), graph)
    args = pytree.tree_map(tracer.unwrap_proxy, (graph, name, results, saved, inputs))
    proxy = tracer.create_proxy("call_function", own_backward, args, {}, name=name)
    given = own_backward(backward, name, results, saved, inputs)
    return track_tensor_tree(given, proxy, constant=None, tracer=tracer)
