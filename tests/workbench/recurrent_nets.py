"""Recurrent layers of every kind, for the graph route's tests of both targets."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

OPTIONS: list[dict[str, Any]] = [
    {},
    {"num_layers": 2, "bidirectional": True, "batch_first": True},
    {"bias": False},
]
KINDS: list[tuple[str, dict[str, Any]]] = [
    ("LSTM", {}),
    ("GRU", {}),
    ("RNN", {}),
    ("RNN", {"nonlinearity": "relu"}),
]
DOUBLE = torch.float64


class Net(nn.Module):
    """A recurrent layer whose output and last states are given."""

    def __init__(self, kind: str, **options: Any) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.rnn = getattr(nn, kind)(5, 6, **options).to(DOUBLE)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        out, last = self.rnn(x)
        return (out, *last) if isinstance(last, tuple) else (out, last)


def squared(outputs: Any) -> Any:
    """Return a loss that every output has a share in."""
    return sum((one**2).sum() for one in outputs)
