"""Layers that take batches, called with a single sample."""

from __future__ import annotations

from typing import Any

import paddle


def torch_on_sample(layer: Any, x: paddle.Tensor, dims: int, axis: int = 0) -> paddle.Tensor:
    """Call a layer that takes `dims` dimensions with a sample, which lacks one, or with a batch."""
    return layer(x) if x.ndim >= dims else layer(x.unsqueeze(axis)).squeeze(axis)
