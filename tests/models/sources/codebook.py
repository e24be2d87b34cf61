"""Vectors looked up in a codebook that follows the data by a moving average in place."""

import copy

import torch
from torch import nn
from torch.nn import functional as F


class Codebook(nn.Module):
    def __init__(self, width, size, decay=0.9, eps=1e-5):
        super().__init__()
        self.size, self.decay, self.eps = size, decay, eps
        codes = torch.randn(width, size)
        self.register_buffer("codes", codes)
        self.register_buffer("counts", torch.zeros(size))
        self.register_buffer("sums", codes.clone())

    def forward(self, x):
        flat = x.reshape(-1, self.codes.shape[0])
        far = (
            flat.pow(2).sum(1, keepdim=True)
            - 2 * flat @ self.codes
            + self.codes.pow(2).sum(0, keepdim=True)
        )
        _, nearest = (-far).max(1)
        one_hot = F.one_hot(nearest, self.size).type(flat.dtype)
        nearest = nearest.view(*x.shape[:-1])
        found = F.embedding(nearest, self.codes.transpose(0, 1))
        if self.training:
            self.counts.data.mul_(self.decay).add_(one_hot.sum(0), alpha=1 - self.decay)
            self.sums.data.mul_(self.decay).add_(
                flat.transpose(0, 1) @ one_hot, alpha=1 - self.decay
            )
            total = self.counts.sum()
            counts = (self.counts + self.eps) / (total + self.size * self.eps) * total
            self.codes.data.copy_(self.sums / counts.unsqueeze(0))
        loss = (found.detach() - x).pow(2).mean()
        return x + (found - x).detach(), loss, nearest


class Autoencoder(nn.Module):
    def __init__(self, channels=3, width=4, size=6):
        super().__init__()
        self.encode = nn.Conv2d(channels, width, 4, stride=2, padding=1)
        self.book = Codebook(width, size)
        self.decode = nn.ConvTranspose2d(width, channels, 3, 2, padding=1, output_padding=1)

    def forward(self, x):
        coded, loss, nearest = self.book(self.encode(x).permute(0, 2, 3, 1))
        return self.decode(coded.permute(0, 3, 1, 2)), loss.unsqueeze(0), nearest, self.book.codes


class Average:
    """A second model that follows the first slowly."""

    def __init__(self, model, decay):
        self.model = copy.deepcopy(model).eval()
        self.decay = decay

    @torch.no_grad()
    def follow(self, model):
        pairs = zip(self.model.state_dict().values(), model.state_dict().values())
        for mine, theirs in pairs:
            mine.copy_(self.decay * mine + (1.0 - self.decay) * theirs)


def followed(model, x):
    average, other = Average(model, 0.5), copy.deepcopy(model)
    with torch.no_grad():
        for parameter in other.parameters():
            parameter.mul_(2.0)
    average.follow(other)
    return average.model(x)[0].detach()
