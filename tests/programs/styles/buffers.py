"""Layers with buffers, own parameters and moving averages."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Normalised(nn.Module):
    def __init__(self, width, eps=1e-5, momentum=0.1):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(width))
        self.shift = nn.Parameter(torch.zeros(width))
        self.register_buffer("mean", torch.zeros(width))
        self.register_buffer("var", torch.ones(width))
        self.eps, self.momentum = eps, momentum

    def forward(self, x):
        if self.training:
            mean, var = x.mean(0), x.var(0, unbiased=False)
            with torch.no_grad():
                self.mean.mul_(1 - self.momentum).add_(mean, alpha=self.momentum)
                self.var.copy_(self.var * (1 - self.momentum) + self.momentum * var)
        else:
            mean, var = self.mean, self.var
        x = (x - mean) / torch.sqrt(var + self.eps)
        return x * self.scale + self.shift


class Quantizer(nn.Module):
    def __init__(self, codes, width):
        super().__init__()
        self.codes = nn.Embedding(codes, width)
        self.codes.weight.data.uniform_(-1.0 / codes, 1.0 / codes)

    def forward(self, z):
        flat = z.reshape(-1, z.shape[-1])
        far = flat.pow(2).sum(1, keepdim=True) - 2 * flat @ self.codes.weight.t()
        far = far + self.codes.weight.pow(2).sum(1)
        at = far.argmin(dim=1)
        found = self.codes(at).view(z.shape)
        loss = F.mse_loss(found, z.detach()) + 0.25 * F.mse_loss(found.detach(), z)
        found = z + (found - z).detach()
        return found, loss, torch.bincount(at, minlength=self.codes.num_embeddings).ne(0).sum()


def average(model, copy, decay=0.99):
    with torch.no_grad():
        for mine, other in zip(copy.parameters(), model.parameters()):
            mine.data.mul_(decay).add_(other.data, alpha=1 - decay)
