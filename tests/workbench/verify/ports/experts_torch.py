import torch
import torch.nn.functional as F
from torch import nn


class Expert(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.up = nn.Linear(d, h)
        self.down = nn.Linear(h, d)

    def forward(self, x):
        return self.down(F.silu(self.up(x)))


class Net(nn.Module):
    def __init__(self, d=6, h=10, count=4, chosen=2):
        super().__init__()
        self.chosen = chosen
        self.gate = nn.Linear(d, count, bias=False)
        self.experts = nn.ModuleList([Expert(d, h) for _ in range(count)])
        self.norm = nn.RMSNorm(d, eps=1e-6)
        self.head = nn.Linear(d, 3)

    def forward(self, x):
        h = self.norm(x)
        odds = self.gate(h).softmax(-1)
        best, which = odds.topk(self.chosen, -1)
        best = best / best.sum(-1, keepdim=True)
        y = torch.zeros_like(h)
        for i, expert in enumerate(self.experts):
            row, slot = (which == i).nonzero(as_tuple=True)
            y = y.index_add(0, row, expert(h[row]) * best[row, slot, None])
        return self.head(x + y), odds


def batch(step):
    return torch.randn(9, 6), torch.randn(9, 3)


def loss(outputs, wanted):
    values, odds = outputs
    balance = odds.shape[-1] * odds.mean(0).square().sum()
    return F.huber_loss(values, wanted, delta=0.8) + 0.01 * balance


def optimizer(params):
    made = torch.optim.AdamW(params, lr=3e-3, weight_decay=0.0)
    return made, torch.optim.lr_scheduler.LambdaLR(made, lambda n: min(1.0, (n + 1) / 4))
