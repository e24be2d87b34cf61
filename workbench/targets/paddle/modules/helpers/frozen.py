"""Frozen tensors before kernels whose gradients want every side to have one."""

from __future__ import annotations

import paddle


def torch_unfrozen(tensor: paddle.Tensor) -> paddle.Tensor:
    """A tensor that kernels may take gradients of; those of a frozen one's twin are forgotten."""
    if not tensor.stop_gradient:
        return tensor
    twin = tensor.detach()
    twin.stop_gradient = False
    return twin
