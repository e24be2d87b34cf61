"""Detection of writes to a tensor: its version, or its elements if it has none."""

from __future__ import annotations

import torch

SAMPLES = 4096


def version(tensor: torch.Tensor) -> object:
    """Return a token that changes when a tensor is written to.

    Tensors of inference mode have no version, so their token is computed from elements.
    """
    count = counted(tensor)
    return sample(tensor) if count is None else count


def counted(tensor: torch.Tensor) -> int | None:
    """Return how often a tensor was written to, or None for tensors of inference mode."""
    return None if tensor.is_inference() else tensor._version


def sample(tensor: torch.Tensor) -> object:
    """Return a hash of elements: of all in a small tensor, of evenly spaced ones in a large one."""
    if tensor.layout is not torch.strided or not tensor.numel():
        return None
    flat = tensor.detach()
    flat = (
        flat.reshape(-1) if flat.is_contiguous() else flat[(slice(0, 64),) * flat.dim()].reshape(-1)
    )
    step = max(1, flat.numel() // SAMPLES)
    picked = flat[::step].contiguous().cpu()
    return hash(picked.view(torch.uint8).numpy().tobytes())
