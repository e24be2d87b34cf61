"""Models that compute gradients inside, traced into plain operators first.

`torch.export` cannot see the tape of `torch.func.grad` or `torch.autograd.grad`; `make_fx` can.
"""

from __future__ import annotations

import copy
import inspect
from contextlib import contextmanager
from types import MethodType
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import torch
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils import _pytree as pytree

from workbench.capture import provenance

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# Fragments of torch.export's errors for the tensors of a transform.
_FRAGMENTS = ("functorch", "no attribute 'constant'", "Tensor that doesn't have storage")


def failed_at_transform(error: BaseException | None) -> bool:
    """Return whether an export failed because of a transform of `torch.func`."""
    return error is not None and any(text in str(error) for text in _FRAGMENTS)


@contextmanager
def gradients_noted() -> Iterator[list[Any]]:
    """Record the inputs of calls of `torch.autograd.grad` while open."""
    original, asked = torch.autograd.grad, []

    def grad(outputs: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        asked.append(inputs)
        return original(outputs, inputs, *args, **kwargs)

    with patch.object(torch.autograd, "grad", grad):
        yield asked


def untransformed(
    module: torch.nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> torch.nn.Module:
    """Return a module with the same weights and arguments that runs the operators of one traced
    call.

    Its sizes are those of the examples. Errors of tracing propagate.
    """
    held = {**dict(module.named_parameters()), **dict(module.named_buffers())}
    names = list(held)
    leaves, tree = pytree.tree_flatten((args, dict(kwargs)))

    def flat(*values: Any) -> Any:
        state = dict(zip(names, values[: len(names)], strict=True))
        given, named = pytree.tree_unflatten(list(values[len(names) :]), tree)
        return torch.func.functional_call(module, state, given, named)

    start = [value.detach() for value in held.values()]
    traced = make_fx(flat, record_stack_traces=True)(*start, *leaves)
    for node in traced.graph.nodes:
        if node.stack_trace:
            node.stack_trace = provenance.users_part(node.stack_trace)

    def forward(self: torch.nn.Module, *args: Any, **kwargs: Any) -> Any:
        own = {**dict(self.named_parameters()), **dict(self.named_buffers())}
        given = pytree.tree_leaves((args, kwargs))
        with torch.fx.traceback.preserve_node_meta():
            return torch.fx.Interpreter(traced).run(*(own[name] for name in names), *given)

    parameters = [
        inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD),
        *inspect.signature(module.forward).parameters.values(),
    ]
    # torch names the inputs of a graph by the signature.
    forward.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    alone = copy.copy(module)
    alone.forward = MethodType(forward, alone)
    return alone
