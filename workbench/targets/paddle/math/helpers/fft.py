"""Shifts of the zero frequency."""

from __future__ import annotations

from typing import Any

import paddle


def torch_fftshift(tensor: paddle.Tensor, dim: Any = None) -> paddle.Tensor:
    """The zero frequency moved to the middle."""
    dims = list(range(tensor.ndim)) if dim is None else [dim] if isinstance(dim, int) else list(dim)
    return paddle.roll(tensor, [tensor.shape[k] // 2 for k in dims], dims)


def torch_ifftshift(tensor: paddle.Tensor, dim: Any = None) -> paddle.Tensor:
    """The zero frequency moved back to the front."""
    dims = list(range(tensor.ndim)) if dim is None else [dim] if isinstance(dim, int) else list(dim)
    return paddle.roll(tensor, [-(tensor.shape[k] // 2) for k in dims], dims)
