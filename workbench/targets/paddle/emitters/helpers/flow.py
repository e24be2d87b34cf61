"""Control flow, and the way into torch and back."""

# Paddle types part of itself, which strict checking would have us say again at every call.
# mypy: disable-error-code="no-untyped-call, arg-type"

from __future__ import annotations

from typing import Any

import paddle


def _map(body: Any, over: list[Any]) -> Any:
    """The body's results for each row of the inputs, stacked."""
    rows = [body(*row) for row in zip(*(paddle.unbind(x) for x in over), strict=True)]
    return [paddle.stack(list(column)) for column in zip(*rows, strict=True)]


def _scan(body: Any, carried: list[Any], over: list[Any]) -> Any:
    """What a step hands to the next one at the end, and what each step yields, stacked."""
    count = len(carried)
    yielded = []
    for row in zip(*(paddle.unbind(x) for x in over), strict=True):
        result = list(body(*carried, *row))
        carried, rest = result[:count], result[count:]
        yielded.append(rest)
    return [*carried, *(paddle.stack(list(column)) for column in zip(*yielded, strict=True))]


class _TorchIsland(paddle.autograd.PyLayer):
    """Runs a function of torch tensors on Paddle's memory, forward and backward."""

    @staticmethod
    def forward(ctx: Any, function: Any, *inputs: Any) -> Any:
        import torch

        held = [torch.utils.dlpack.from_dlpack(x.detach()) for x in inputs]
        for ours, theirs in zip(held, inputs, strict=True):
            if not theirs.stop_gradient and ours.dtype.is_floating_point:
                ours.requires_grad_()
        with torch.enable_grad():
            results = function(*held)
        ctx.held, ctx.results = held, results
        # Memory that goes from Paddle to torch and back again deadlocks when it is freed.
        lent = {x.untyped_storage().data_ptr() for x in held}
        own = [r.clone() if r.untyped_storage().data_ptr() in lent else r for r in results]
        return tuple(paddle.from_dlpack(r.detach()) for r in own)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        import torch

        wanted = [x for x in ctx.held if x.requires_grad]
        pairs = [
            (result, torch.utils.dlpack.from_dlpack(grad.detach()))
            for result, grad in zip(ctx.results, grads, strict=True)
            if result.requires_grad
        ]
        found = iter(
            torch.autograd.grad(
                [result for result, _ in pairs],
                wanted,
                [grad for _, grad in pairs],
                allow_unused=True,
            )
        )
        back = [next(found) if x.requires_grad else None for x in ctx.held]
        # Cloned, since a gradient may be the very memory that Paddle lent as `grads`.
        return tuple(None if g is None else paddle.from_dlpack(g.clone()) for g in back)


def _repeat(check: Any, body: Any, state: list[Any]) -> Any:
    """A loop that carries numbers, which Paddle's own does not."""
    while check(*state):
        state = body(*state)
    return state
