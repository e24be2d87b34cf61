"""torch's attention as the operations that it is made of, so that a port's can be told apart."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from workbench.streams.torch_recorder import patched


@contextmanager
def apart() -> Iterator[None]:
    """While open, attention runs operation by operation, where it is called in the usual way."""
    with ExitStack() as stack:
        stack.enter_context(patched(functional, "scaled_dot_product_attention", _scaled))
        stack.enter_context(patched(nn.MultiheadAttention, "forward", _multihead))
        yield


def _scaled(original: Callable[..., Any]) -> Callable[..., Any]:
    def call(
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        attn_mask: torch.Tensor | None = None,
        dropout_p: float = 0.0,
        is_causal: bool = False,
        **named: Any,
    ) -> torch.Tensor:
        if set(named) - {"scale"}:
            return original(  # type: ignore[no-any-return]
                query, key, value, attn_mask, dropout_p, is_causal, **named
            )
        if is_causal:
            attn_mask = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool).tril()
        return _attend(query, key, value, attn_mask, dropout_p, named.get("scale"))

    return call


def _attend(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: torch.Tensor | None,
    dropout: float,
    scale: float | None = None,
) -> torch.Tensor:
    scores = query @ key.transpose(-2, -1)
    scores = scores * (1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    if mask is not None and mask.dtype is torch.bool:
        scores = scores.masked_fill(~mask, float("-inf"))
    elif mask is not None:
        scores = scores + mask
    weights = scores.softmax(-1)
    return (functional.dropout(weights, dropout) if dropout else weights) @ value


def _multihead(original: Callable[..., Any]) -> Callable[..., Any]:
    def call(
        self: nn.MultiheadAttention,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        key_padding_mask: torch.Tensor | None = None,
        need_weights: bool = True,
        attn_mask: torch.Tensor | None = None,
        **named: Any,
    ) -> Any:
        simple = not need_weights and self.batch_first and attn_mask is None and query.dim() == 3
        if not simple or self.in_proj_weight is None or self.bias_k is not None:
            return original(
                self, query, key, value, key_padding_mask, need_weights, attn_mask, **named
            )
        biases = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        parts = zip((query, key, value), self.in_proj_weight.chunk(3), biases, strict=True)
        heads = (self.num_heads, self.head_dim)
        q, k, v = (
            functional.linear(x, w, b).reshape(*x.shape[:-1], *heads).transpose(1, 2)
            for x, w, b in parts
        )
        mask = key_padding_mask
        if mask is not None:
            mask = mask[:, None, None, :]
            mask = ~mask if mask.dtype is torch.bool else mask
        dropout = self.dropout if self.training else 0.0
        return self.out_proj(_attend(q, k, v, mask, dropout).transpose(1, 2).flatten(2)), None

    return call
