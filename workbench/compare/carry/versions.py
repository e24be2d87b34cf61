"""Evidence that a tensor was written to: its version, or its numbers where it keeps none."""

from __future__ import annotations

import torch

SAMPLES = 4096


def version(tensor: torch.Tensor) -> object:
    """A token that changes when a tensor is written to.

    Tensors of inference mode count no versions, so that theirs is made of their numbers.
    """
    count = counted(tensor)
    return sample(tensor) if count is None else count


def counted(tensor: torch.Tensor) -> int | None:
    """How often a tensor was written to; None for tensors of inference mode, which do not count."""
    return None if tensor.is_inference() else tensor._version


def sample(tensor: torch.Tensor) -> object:
    """A hash of a tensor's numbers: of all in a small one, of evenly spread ones in a large one."""
    if tensor.layout is not torch.strided or not tensor.numel():
        return None
    flat = tensor.detach()
    flat = (
        flat.reshape(-1) if flat.is_contiguous() else flat[(slice(0, 64),) * flat.dim()].reshape(-1)
    )
    step = max(1, flat.numel() // SAMPLES)
    picked = flat[::step].contiguous().cpu()
    return hash(picked.view(torch.uint8).numpy().tobytes())
