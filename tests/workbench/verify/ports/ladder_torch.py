import torch
import torch.nn.functional as F
from torch import nn


class Rung(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.fc = nn.Linear(d, d)
        self.norm = nn.LayerNorm(d)

    def forward(self, x):
        return self.norm(x + torch.tanh(self.fc(x)))


class Net(nn.Module):
    """Lists in lists, all of one shape, that skip to each other."""

    def __init__(self, d=8):
        super().__init__()
        self.down = nn.ModuleList([nn.ModuleList([Rung(d) for _ in range(2)]) for _ in range(2)])
        self.middle = Rung(d)
        self.up = nn.ModuleList([nn.ModuleList([Rung(d) for _ in range(2)]) for _ in range(2)])
        self.out = nn.Linear(2 * d, 6)

    def forward(self, x):
        skips = []
        for level in self.down:
            for rung in level:
                x = rung(x)
            skips.append(x)
        x = self.middle(x)
        for level in self.up:
            x = F.normalize(x + skips.pop(), dim=-1)
            for rung in level:
                x = rung(x)
        return self.out(torch.cat([x, x.roll(1, -1)], -1))


def batch(step):
    return torch.randn(6, 8), torch.rand(6, 6).round()


def loss(outputs, wanted):
    weight = torch.tensor([1.0, 2.0, 1.0, 0.5, 1.0, 1.0], dtype=outputs.dtype)
    return F.binary_cross_entropy_with_logits(outputs, wanted.to(outputs.dtype), pos_weight=weight)


def optimizer(params):
    made = torch.optim.RAdam(params, lr=2e-3, betas=(0.9, 0.99))
    return made, torch.optim.lr_scheduler.MultiStepLR(made, [2, 4], 0.3)
