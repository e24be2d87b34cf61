"""Recurrent layers over time."""

from __future__ import annotations

from typing import Any

import paddle


@paddle.jit.not_to_static
def _recurrent(
    mode: str,
    x: Any,
    states: list[Any],
    weights: list[Any],
    layers: int = 1,
    both_ways: bool = False,
    batch_first: bool = False,
) -> Any:
    """What the last layer gives at each time, and the last states of all layers.

    `weights` are, layer by layer and direction by direction, those of the input and of the hidden
    state, then their biases, if there are any.
    """
    each = len(weights) // (layers * (1 + both_ways))
    rows = [weights[i : i + each] for i in range(0, len(weights), each)]
    ordered = [one for row in rows for one in row[:2]]
    for into, _, *biases in rows:
        ordered += biases or [paddle.zeros([into.shape[0]], into.dtype)] * 2
    if paddle.is_grad_enabled():  # the kernel's gradient wants that of every weight
        ordered = [_unfrozen(one) for one in ordered]
    out, _, last = paddle._C_ops.rnn(
        x.transpose([1, 0, 2]) if batch_first else x,
        states,
        ordered,
        None,
        paddle.full([1], 0, "uint8"),  # draws of a dropout that there is not
        0.0,
        both_ways,
        x.shape[-1],
        states[0].shape[-1],
        layers,
        mode,
        0,
        False,
    )
    return (out.transpose([1, 0, 2]) if batch_first else out, *last)


def _unfrozen(tensor: Any) -> Any:
    """A tensor that kernels may take gradients of; those of a frozen one's twin are forgotten."""
    if not tensor.stop_gradient:
        return tensor
    twin = tensor.detach()
    twin.stop_gradient = False
    return twin
