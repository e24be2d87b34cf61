"""The operator as a layer."""

import torch
from torch import nn

from fastops.ops import soft_clip


class SoftClip(nn.Module):
    """Clips softly, by a limit for each channel that is learned."""

    def __init__(self, channels: int, limit: float = 1.0) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(channels))
        self.limit = limit

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return soft_clip(x * self.gain, self.limit)
