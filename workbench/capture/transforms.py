"""Graphs of transformed functions: gradients, and the joint graph of a training step.

`torch.export` supports `vmap` and `jvp`, but not `torch.func.grad`, whose tape it cannot see, nor
`backward()`. Those are traced by `make_fx` first, into a plain graph of operators, which is then
captured like any function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
from torch._functorch._aot_autograd.logging_utils import setup_stacktrace_preservation_hooks
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils import _pytree as pytree

from workbench.capture import provenance
from workbench.capture.callables import as_module, distinct_inputs
from workbench.capture.explain import explain
from workbench.capture.export import capture

if TYPE_CHECKING:
    from workbench.capture.graph import Graph


def capture_transformed(function: Callable[..., Any], args: Sequence[Any] | torch.Tensor) -> Graph:
    """Return the graph of a function that contains transforms of `torch.func`.

    Args:
        function: such as `torch.func.grad(loss)` or `vmap(grad(loss))`, of tensors.
        args: example inputs, tensors or nested containers of them.

    Returns:
        The graph of everything that the transforms compute; its inputs are the tensors in
        `args`.

    Raises:
        CaptureError: it cannot be traced; the message has the user's line.
    """
    args = (args,) if isinstance(args, torch.Tensor) else tuple(args)
    args, _ = distinct_inputs(args, {})
    leaves, tree = pytree.tree_flatten(args)

    def flat(*tensors: Any) -> Any:
        return function(*pytree.tree_unflatten(list(tensors), tree))

    return _traced(flat, leaves, getattr(function, "__name__", "transformed"))


def capture_training_step(
    model: torch.nn.Module,
    loss: Callable[..., torch.Tensor],
    args: Sequence[Any] | torch.Tensor,
    targets: Sequence[Any] | torch.Tensor = (),
    kwargs: Mapping[str, Any] | None = None,
) -> Graph:
    """Return the joint graph of one training step, forward and backward.

    Args:
        model: the module, in its training mode.
        loss: takes the model's outputs, then `targets`, and returns a scalar.
        args: the model's example inputs.
        targets: further arguments of the loss.
        kwargs: keyword inputs of the model.

    Returns:
        A graph whose inputs are the parameters by name order, the buffers, `args` and
        `targets`, and whose outputs are the loss and then the gradient of every trainable
        parameter in that order.

    Raises:
        CaptureError: the step cannot be traced.
    """
    args = (args,) if isinstance(args, torch.Tensor) else tuple(args)
    targets = (targets,) if isinstance(targets, torch.Tensor) else tuple(targets)
    fixed = dict(kwargs or {})
    parameters = {
        n: p.detach().requires_grad_() for n, p in model.named_parameters() if p.requires_grad
    }
    others = {n: p.detach() for n, p in model.named_parameters() if not p.requires_grad}
    others |= {n: b.detach() for n, b in model.named_buffers()}

    def step(trained: Any, held: Any, inputs: Any, wanted: Any) -> Any:
        def objective(values: Any) -> torch.Tensor:
            # Statistics that the forward pass changes are changed on copies.
            state = {**values, **{n: t.clone() for n, t in held.items()}}
            result = torch.func.functional_call(model, state, inputs, fixed)
            return loss(result, *wanted)

        with _lines_of_backward():
            value = objective(trained)
            weights = [trained[name] for name in parameters]
            gradients: Sequence[torch.Tensor | None] = [None] * len(weights)
            if weights and value.grad_fn is not None:
                setup_stacktrace_preservation_hooks([value.grad_fn])
                with torch.fx.traceback.preserve_node_meta():
                    gradients = torch.autograd.grad(value, weights, allow_unused=True)
        filled = (
            torch.zeros_like(weight) if gradient is None else gradient
            for weight, gradient in zip(weights, gradients, strict=True)
        )
        return (value.detach(), *filled)

    leaves, tree = pytree.tree_flatten((parameters, others, args, targets))

    def flat(*tensors: Any) -> Any:
        return step(*pytree.tree_unflatten(list(tensors), tree))

    return _traced(flat, leaves, f"{type(model).__name__}_training_step")


def _traced(function: Callable[..., Any], leaves: list[Any], name: str) -> Graph:
    with provenance.user_traces():
        try:
            traced = make_fx(function, record_stack_traces=True)(*leaves)
        except Exception as error:
            raise explain(error, as_module(function, tuple(leaves), {})) from error
    for node in traced.graph.nodes:
        if node.stack_trace:
            node.stack_trace = provenance.users_part(node.stack_trace)
    plain = [leaf.detach() if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
    graph = capture(_Interpreted(traced), tuple(plain))
    graph.name = name
    return graph


@contextmanager
def _lines_of_backward() -> Iterator[None]:
    """Make autograd record the line of each of its nodes while open."""
    with torch.autograd.set_detect_anomaly(True, check_nan=False):
        yield


class _Interpreted(torch.nn.Module):
    """Module that runs a traced graph node by node, so that each keeps its provenance."""

    def __init__(self, traced: torch.fx.GraphModule) -> None:
        super().__init__()
        self.traced = traced

    def forward(self, *inputs: Any) -> Any:
        with torch.fx.traceback.preserve_node_meta():
            return torch.fx.Interpreter(self.traced).run(*inputs)
