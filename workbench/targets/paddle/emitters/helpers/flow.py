"""Control flow, and the way into torch and back."""

# Paddle types part of itself, which strict checking would have us say again at every call.
# mypy: disable-error-code="no-untyped-call, arg-type"

from __future__ import annotations

from typing import Any

import paddle


def _map(body: Any, over: list[Any]) -> Any:
    """The body's results for each row of the inputs, stacked."""
    parts = [paddle.unbind(x) for x in over]
    rows = [body(*[part[at] for part in parts]) for at in range(len(parts[0]))]
    return [paddle.stack([row[place] for row in rows]) for place in range(len(rows[0]))]


def _scan(body: Any, carried: list[Any], over: list[Any]) -> Any:
    """What a step hands to the next one at the end, and what each step yields, stacked."""
    count = len(carried)
    parts = [paddle.unbind(x) for x in over]
    yielded = []
    for at in range(len(parts[0])):
        result = list(body(*carried, *[part[at] for part in parts]))
        carried = result[:count]
        yielded.append(result[count:])
    stacked = [paddle.stack([row[place] for row in yielded]) for place in range(len(yielded[0]))]
    return [*carried, *stacked]


def _repeat(check: Any, body: Any, state: list[Any]) -> Any:
    """A loop; Paddle's own takes no numbers, and run eagerly it writes into what it is given."""
    if not paddle.in_dynamic_mode() and not any(isinstance(x, (int, float)) for x in state):
        return paddle.static.nn.while_loop(check, body, state)
    while check(*state):
        state = body(*state)
    return state


def _own_backward(backward: Any, results: Any, saved: Any, inputs: Any) -> Any:
    """The results, whose gradients reach the inputs as `backward` says, which takes what is saved
    and the results' gradients.
    """

    class Attached(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx: Any, *inputs: Any) -> Any:
            return tuple(x.clone() for x in results)

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            found = backward(*saved, *grads)
            return tuple(None if x.stop_gradient else g for x, g in zip(inputs, found, strict=True))

    given = Attached.apply(*inputs) if paddle.in_dynamic_mode() else results
    return given if len(given) > 1 else given[0]


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
