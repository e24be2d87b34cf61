import math

import torch


def sinus(t, dim):
    half = dim // 2
    emb = torch.exp(torch.arange(half) * -(math.log(10000) / (half - 1)))
    emb = t[:, None] * emb[None, :]
    return torch.cat((emb.sin(), emb.cos()), dim=-1)
class Rot(torch.nn.Module):
    def __init__(self, d):
        super().__init__()
        self.register_buffer("inv", 1.0 / 10000 ** (torch.arange(0, d, 2).float() / d))
    def forward(self, pos):
        f = pos[:, None] * self.inv[None]
        return torch.cat([f.cos(), f.sin()], -1)
def outer(x, emb):
    emb = emb * 2.0
    return x[:, None] * emb[None, :]
print(sinus(torch.tensor([1, 5]), 6).tolist(), sinus(torch.tensor([1., 5], dtype=torch.float64), 6).dtype, Rot(4)(torch.arange(3)).tolist())
print(outer(torch.tensor([1., 2], dtype=torch.float64), torch.ones(2)).dtype, outer(torch.tensor([1, 2]), torch.ones(2)).tolist(), outer(torch.tensor([1 + 2j, 2]), torch.ones(2)).tolist())
