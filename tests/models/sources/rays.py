"""Light along rays: encodings and measures in lambdas, grids, sorted lookups, compositing."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

squared = lambda x, y: torch.mean((x - y) ** 2)
decibel = lambda x: -10.0 * torch.log(x) / torch.log(torch.Tensor([10.0]))


def encoder(count, functions=(torch.sin, torch.cos)):
    """A function that puts waves of growing frequency beside its input, and its width."""
    waves = [lambda x: x]
    for frequency in 2.0 ** torch.linspace(0.0, count - 1, steps=count):
        for function in functions:
            waves.append(lambda x, f=function, by=frequency: f(x * by))
    return (lambda x: torch.cat([wave(x) for wave in waves], -1)), 3 * len(waves)


class Field(nn.Module):
    def __init__(self, width=16, depth=4, skips=(2,)):
        super(Field, self).__init__()
        self.encode, size = encoder(2)
        self.skips = skips
        self.layers = nn.ModuleList(
            [nn.Linear(size, width)]
            + [nn.Linear(width + size if i in skips else width, width) for i in range(1, depth)]
        )
        self.density, self.colour = nn.Linear(width, 1), nn.Linear(width + 3, 3)

    def forward(self, points, directions):
        encoded = self.encode(points)
        h = encoded
        for i, _ in enumerate(self.layers):
            h = torch.cat([encoded, h], -1) if i in self.skips else h
            h = F.relu(self.layers[i](h))
        colour = torch.sigmoid(self.colour(torch.cat([h, directions], -1)))
        return torch.cat([colour, self.density(h)], -1)


def rays(height, width, focal, pose):
    i, j = torch.meshgrid(
        torch.linspace(0, width - 1, width), torch.linspace(0, height - 1, height)
    )
    i, j = i.t(), j.t()
    forward = -torch.ones_like(i)
    seen = torch.stack([(i - width * 0.5) / focal, -(j - height * 0.5) / focal, forward], -1)
    directions = torch.sum(seen[..., np.newaxis, :] * pose[:3, :3], -1)
    return pose[:3, -1].expand(directions.shape), directions


def finer(edges, weights, count):
    """Places drawn evenly from a histogram."""
    share = (weights + 1e-5) / torch.sum(weights + 1e-5, -1, keepdim=True)
    total = torch.cumsum(share, -1)
    total = torch.cat([torch.zeros_like(total[..., :1]), total], -1)
    u = torch.linspace(0.0, 1.0, steps=count).expand(list(total.shape[:-1]) + [count]).contiguous()
    at = torch.searchsorted(total, u, right=True)
    below = torch.max(torch.zeros_like(at - 1), at - 1)
    above = torch.min((total.shape[-1] - 1) * torch.ones_like(at), at)
    both = torch.stack([below, above], -1)
    shape = [both.shape[0], both.shape[1], total.shape[-1]]
    low, high = torch.gather(total.unsqueeze(1).expand(shape), 2, both).unbind(-1)
    left, right = torch.gather(edges.unsqueeze(1).expand(shape), 2, both).unbind(-1)
    width = torch.where(high - low < 1e-5, torch.ones_like(low), high - low)
    return left + (u - low) / width * (right - left)


def render(field, pose, depths):
    origins, directions = (t.reshape(-1, 3) for t in rays(2, 2, 2.0, pose))
    depths = torch.sort(depths, -1)[0]
    points = origins[..., None, :] + directions[..., None, :] * depths[..., :, None]
    raw = field(points, directions[:, None].expand(points.shape))
    steps = depths[..., 1:] - depths[..., :-1]
    steps = torch.cat([steps, torch.Tensor([1e2]).expand(steps[..., :1].shape)], -1)
    alpha = 1.0 - torch.exp(
        -F.relu(raw[..., 3]) * steps * torch.norm(directions[..., None, :], dim=-1)
    )
    clear = torch.cat([torch.ones((alpha.shape[0], 1)), 1.0 - alpha + 1e-10], -1)
    weights = alpha * torch.cumprod(clear, -1)[:, :-1]
    colour = torch.sum(weights[..., None] * raw[..., :3], -2)
    middle = 0.5 * (depths[..., 1:] + depths[..., :-1])
    return (
        colour,
        finer(middle, weights[..., 1:-1].detach(), 3),
        decibel(squared(colour + 1.0, colour)),
    )
