import torch
from torch import nn


class Net(nn.Module):
    """Attention within windows, with a learnt bias for each relative place."""

    def __init__(self, d=12, heads=3, window=4):
        super().__init__()
        self.heads, self.window = heads, window
        self.table = nn.Parameter(torch.randn(2 * window - 1, heads) * 0.1)
        self.qkv = nn.Linear(d, 3 * d, bias=False)
        self.q_bias = nn.Parameter(torch.randn(d) * 0.1)
        self.v_bias = nn.Parameter(torch.randn(d) * 0.1)
        self.proj = nn.Linear(d, d)
        self.logit_scale = nn.Parameter(torch.full((heads, 1, 1), 2.0))
        place = torch.arange(window)
        self.register_buffer("index", place[:, None] - place[None, :] + window - 1)
        self.register_buffer("average", torch.zeros(d))

    def forward(self, x):
        b, n, d = x.shape
        x = torch.roll(x, -2, 1)
        y = x.view(b, n // self.window, self.window, d).flatten(0, 1)
        bias = torch.cat([self.q_bias, torch.zeros_like(self.q_bias), self.v_bias])
        q, k, v = (
            (self.qkv(y) + bias).view(len(y), self.window, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        )
        q, k = nn.functional.normalize(q, dim=-1), nn.functional.normalize(k, dim=-1)
        scores = q @ k.mT * self.logit_scale.clamp(max=4.6).exp()
        scores = scores + self.table[self.index].permute(2, 0, 1)
        y = (scores.softmax(-1) @ v).transpose(1, 2).reshape(b, n, d)
        y = torch.roll(self.proj(y), 2, 1)
        if self.training:
            with torch.no_grad():
                self.average.lerp_(y.mean((0, 1)), 0.1)
        return y - self.average


def batch(step):
    return (torch.randn(2, 8, 12),)


def loss(outputs):
    return (outputs - 1).square().mean()


def optimizer(params):
    return torch.optim.Adadelta(params, lr=0.5, rho=0.9, eps=1e-6)
