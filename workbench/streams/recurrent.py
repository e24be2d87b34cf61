"""Recurrent layers run one by one, with the dropout between them written out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


# torch's recurrent functions.
KINDS = ("lstm", "gru", "rnn_tanh", "rnn_relu")


def drops(num_layers: int, dropout: float, train: bool) -> bool:
    """Return whether a call of several layers draws dropout masks between them."""
    return train and dropout != 0 and num_layers > 1


def projects(params: Sequence[Any], has_biases: bool, num_layers: int, bidirectional: bool) -> bool:
    """Return whether hidden states are projected by a further weight of each layer."""
    directions = 2 if bidirectional else 1
    return len(params) > num_layers * directions * (4 if has_biases else 2)


def layer_by_layer(
    run: Callable[..., tuple[torch.Tensor, ...]],
    x: torch.Tensor,
    sizes: tuple[torch.Tensor, ...],
    hx: torch.Tensor | Sequence[torch.Tensor],
    params: Sequence[torch.Tensor],
    has_biases: bool,
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool = False,
) -> tuple[torch.Tensor, ...]:
    """Return the result of `run`, one of torch's recurrent functions, for these arguments.

    Calls `run` for single layers, with outputs time first, as torch applies dropout to them. For a
    packed sequence, `sizes` holds its batch sizes, and `batch_first` does not apply.
    """
    single = isinstance(hx, torch.Tensor)
    states = [hx] if single else list(hx)
    each, directions = len(params) // num_layers, 2 if bidirectional else 1
    ends: list[list[Any]] = []
    x = x.transpose(0, 1) if batch_first else x
    for layer in range(num_layers):
        if layer:
            x = torch.dropout(x, dropout, True)
        start = [state[layer * directions : (layer + 1) * directions] for state in states]
        weights = params[layer * each : (layer + 1) * each]
        given = start[0] if single else start
        how = (has_biases, 1, 0.0, train, bidirectional, *([] if sizes else [False]))
        x, *end = run(x, *sizes, given, weights, *how)
        ends.append(end)
    last = [torch.cat(parts) for parts in zip(*ends, strict=True)]
    return (x.transpose(0, 1) if batch_first else x, *last)
