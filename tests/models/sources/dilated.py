"""Causal convolutions over time: normalised weights, hooks, a dictionary of activations."""

from typing import Callable, Dict

import torch
import torch.backends.cudnn as cudnn
import torch.nn as nn
from torch.nn.utils import weight_norm

cudnn.benchmark = True
ACTIVATIONS: Dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "relu": torch.relu,
    "tanh": torch.tanh,
}


class Causal(nn.Conv1d):
    def __init__(self, before, after, kernel_size=2, dilation=1, **kwargs):
        super(Causal, self).__init__(before, after, kernel_size, dilation=dilation, **kwargs)
        self.past = (kernel_size - 1) * dilation

    def forward(self, x):
        return super().forward(nn.functional.pad(x, (self.past, 0)))


@torch.jit.script
def gated(x, count: int):
    return torch.tanh(x[:, :count, :]) * torch.sigmoid(x[:, count:, :])


class Dilated(nn.Module):
    seen: Dict[str, torch.Tensor]

    def __init__(self, width=6, depth=3, activation="relu", classes=5):
        super().__init__()
        self.width = width
        self.seen = {}
        self.front = weight_norm(nn.Conv1d(1, width, 3, padding=2))
        self.steps = nn.ModuleDict()
        for i in range(depth):
            self.steps[f"step{i}"] = Causal(width, 2 * width, dilation=2**i, bias=i > 0)
        self.act = ACTIVATIONS[activation]
        self.head = nn.Sequential()
        self.head.add_module("norm", nn.BatchNorm1d(width))
        self.head.add_module("out", nn.Conv1d(width, classes, 1))
        for parameter in self.head.norm.parameters():
            parameter.requires_grad = False
        self.head.norm.register_forward_hook(self._remember("norm"))

    def _remember(self, name):
        def hook(module, inputs, output):
            self.seen[name] = output.detach()

        return hook

    def forward(self, x: torch.Tensor):
        x = self.front(x)[:, :, :-2].contiguous()
        skip = 0
        for name, step in self.steps.items():
            y = gated(step(x), self.width)
            skip = skip + y
            x = x + y
        logits = self.head(self.act(skip))
        count = sum(p.numel() for p in self.parameters() if p.requires_grad)
        return logits, logits.log_softmax(1), self.seen["norm"], count
