"""The operator as a function."""

import torch


def soft_clip(x: torch.Tensor, limit: float = 1.0) -> torch.Tensor:
    """Clip softly: `limit * tanh(x / limit)`."""
    return torch.ops.fastops.soft_clip(x, limit)
