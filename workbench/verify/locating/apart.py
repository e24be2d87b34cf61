"""Decomposition of torch's attention and recurrent cells into operations, to compare a port's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from workbench.streams.attention import written_out
from workbench.streams.torch_recorder import patched

_BATCH = 2  # dimensions of a batch of vectors


@contextmanager
def apart() -> Iterator[None]:
    """Decompose attention and recurrent cells while open, if they are called in the usual way."""
    with ExitStack() as stack:
        stack.enter_context(patched(functional, "scaled_dot_product_attention", _scaled))
        stack.enter_context(patched(nn.MultiheadAttention, "forward", _multihead))
        for kind, cell in ((nn.GRUCell, _gated), (nn.LSTMCell, _long_short)):
            stack.enter_context(patched(kind, "forward", _in_batches(cell)))
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
        return written_out(query, key, value, attn_mask, dropout_p, is_causal, named.get("scale"))

    return call


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
        return self.out_proj(written_out(q, k, v, mask, dropout).transpose(1, 2).flatten(2)), None

    return call


def _in_batches(cell: Callable[..., Any]) -> Callable[..., Any]:
    """Replace a cell's `forward` by another function if it gets a batch and its state."""

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def call(self: Any, x: torch.Tensor, state: Any = None) -> Any:
            usual = state is not None and x.dim() == _BATCH
            return cell(self, x, state) if usual else original(self, x, state)

        return call

    return make


def _gated(self: nn.GRUCell, x: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    taken = functional.linear(x, self.weight_ih, self.bias_ih).chunk(3, 1)
    kept = functional.linear(hidden, self.weight_hh, self.bias_hh).chunk(3, 1)
    reset = (taken[0] + kept[0]).sigmoid()
    update = (taken[1] + kept[1]).sigmoid()
    new = (taken[2] + reset * kept[2]).tanh()
    return (1 - update) * new + update * hidden


def _long_short(
    self: nn.LSTMCell, x: torch.Tensor, state: tuple[torch.Tensor, torch.Tensor]
) -> tuple[torch.Tensor, torch.Tensor]:
    hidden, cell = state
    taken = functional.linear(x, self.weight_ih, self.bias_ih)
    gates = taken + functional.linear(hidden, self.weight_hh, self.bias_hh)
    put, forget, new, out = gates.chunk(4, 1)
    cell = forget.sigmoid() * cell + put.sigmoid() * new.tanh()
    return out.sigmoid() * cell.tanh(), cell
