"""torch's attention, written out as the operations that it is made of."""

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
    """Values of shape (..., length, size), weighted by how queries and keys agree.

    Args:
        query: shape (..., length, size).
        key: shape (..., length of what is looked at, size).
        value: as many as keys.
        mask: True or 0 where a query may look, or what is added to the scores.
        dropout: the rate of weights that are dropped.
        causal: a query looks at no key behind it, in the place of a mask.
        scale: what the scores are multiplied by; the root of one by the size where it is None.
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
