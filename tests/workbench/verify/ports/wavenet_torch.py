import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.parametrizations import weight_norm


class Gated(nn.Module):
    def __init__(self, c, dilation):
        super().__init__()
        self.pad = 2 * dilation
        self.conv = weight_norm(nn.Conv1d(c, 2 * c, 3, dilation=dilation))
        self.skip = nn.Conv1d(c, c, 1)

    def forward(self, x):
        h = self.conv(F.pad(x, (self.pad, 0)))
        content, gate = h.chunk(2, 1)
        h = self.skip(torch.tanh(content) * torch.sigmoid(gate))
        return x + h, h


class Net(nn.Module):
    def __init__(self, c=6):
        super().__init__()
        self.first = nn.Conv1d(1, c, 1)
        self.layers = nn.ModuleList(Gated(c, 2**i) for i in range(3))
        self.last = weight_norm(nn.Linear(c, 9))

    def forward(self, x):
        h = self.first(x)
        total = 0
        for layer in self.layers:
            h, skip = layer(h)
            total = total + skip
        return self.last(F.elu(total, 0.7).transpose(1, 2))


def batch():
    return torch.randn(3, 1, 14), torch.randint(0, 9, (3, 14))


def loss(logits, wanted):
    return F.nll_loss(logits.log_softmax(-1).flatten(0, 1), wanted.flatten(), ignore_index=0)


def optimizer(params):
    return torch.optim.NAdam(params, lr=2e-3)
