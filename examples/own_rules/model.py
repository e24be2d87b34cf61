"""A model that uses the operator, the function around it, and the layer."""

import fastops  # noqa: F401 - makes torch.ops.fastops known
import torch
from fastops.layers import SoftClip
from fastops.ops import soft_clip
from torch import nn


class Net(nn.Module):
    def __init__(self, channels: int = 8) -> None:
        super().__init__()
        self.inner = nn.Linear(channels, channels)
        self.clip = SoftClip(channels, limit=3.0)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.clip(self.inner(x))
        x = soft_clip(x, limit=2.0)
        return torch.ops.fastops.soft_clip(x, 1.5)
