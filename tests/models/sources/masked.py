"""Masked patches: a learnt token is put at picked places, residual streams are mixed."""

from functools import partial

import torch
import torch.nn.functional as F
from einops import einsum, rearrange, reduce, repeat
from einops.layers.torch import Rearrange
from torch import nn


class Mixed(nn.Module):
    """Residual streams, of which a branch reads a mix and to which it adds its own."""

    def __init__(self, streams, dim, branch):
        super().__init__()
        self.branch = branch
        first = torch.zeros((streams, 1))
        first[0, 0] = 1.0
        self.mix = nn.Parameter(torch.cat([first, torch.eye(streams)], dim=1))
        self.dynamic = nn.Parameter(torch.zeros(dim, streams + 1))
        self.give = nn.Parameter(torch.ones(streams))

    def forward(self, x):
        weights = (F.normalize(x, dim=-1) @ self.dynamic).tanh() + rearrange(self.mix, "s t -> s 1 t")
        mixed = einsum(weights, x, "b s n t, b s n d -> b t n d")
        branch, x = mixed[:, 0, ...], mixed[:, 1:, ...]
        return x + einsum(self.branch(branch), self.give, "b n d, s -> b s n d")


class Masked(nn.Module):
    def __init__(self, size=8, patch=2, dim=8, streams=2, depth=2, share=0.4):
        super().__init__()
        self.share, count, pixels = share, (size // patch) ** 2, 3 * patch**2
        self.patches = Rearrange("b c (h p) (w q) -> b (h w) (p q c)", p=patch, q=patch)
        self.token = nn.Parameter(torch.zeros(1, 1, pixels))
        nn.init.trunc_normal_(self.token, std=0.02)
        self.embed = nn.Sequential(nn.LayerNorm(pixels), nn.Linear(pixels, dim))
        self.places = nn.Parameter(torch.randn(1, count, dim))
        mlp = partial(nn.Sequential, nn.LayerNorm(dim))
        self.layers = nn.ModuleList(
            [Mixed(streams, dim, mlp(nn.Linear(dim, dim), nn.GELU())) for _ in range(depth)]
        )
        self.streams, self.pixels = streams, nn.Linear(dim, pixels)
        self.register_buffer("levels", torch.tensor([0.5, 1, 2]), persistent=False)

    def picked(self, patches):
        b, n, _ = patches.shape
        chosen = patches.detach().sum(-1).topk(max(1, int(self.share * n)), dim=-1).indices
        return torch.zeros((b, n), device=patches.device).scatter_(1, chosen, 1).bool()

    def forward(self, image):
        patches = self.patches(image)
        mask = self.picked(patches)
        given = patches.clone()
        given[mask] = self.token
        given[mask & ~mask] = patches[0, :1]
        x = self.embed(given) + self.places
        x = repeat(x, "b n d -> b s n d", s=self.streams)
        for layer in self.layers:
            x = layer(x)
        found = self.pixels(reduce(x, "b s n d -> b n d", "sum"))
        bins = torch.bucketize(patches.detach(), self.levels)
        scale = self.levels * torch.tensor([1, 2, 3])
        return F.l1_loss(found[mask], patches[mask]) / mask.sum(), found, bins, scale
