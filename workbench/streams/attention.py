"""torch's attention, written out as single operations."""

from __future__ import annotations

import torch


def written_out(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: torch.Tensor | None = None,
    dropout: float = 0.0,
    causal: bool = False,
    scale: float | None = None,
) -> torch.Tensor:
    """Return the attention output, of shape (..., length, size).

    Args:
        query: shape (..., length, size).
        key: shape (..., source length, size).
        value: shape (..., source length, size).
        mask: booleans, True where a query may attend, or floats to add to the scores.
        dropout: the probability of dropping a weight.
        causal: a query attends to no later key; replaces `mask`.
        scale: factor of the scores; None means 1 / sqrt(size).
    """
    scores = query @ key.transpose(-2, -1) * (query.size(-1) ** -0.5 if scale is None else scale)
    if causal:
        mask = torch.ones(scores.shape[-2:], dtype=torch.bool, device=query.device).tril()
    if mask is not None and mask.dtype == torch.bool:
        scores = scores.masked_fill(~mask, float("-inf"))
    elif mask is not None:
        scores = scores + mask
    weights = scores.softmax(-1)
    return (torch.nn.functional.dropout(weights, dropout) if dropout else weights) @ value
