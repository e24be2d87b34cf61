"""A decoder with rotary positions in complex numbers, grouped heads and a cache of keys."""

import math
from typing import Optional, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class RootMeanSquare(nn.Module):
    def __init__(self, width: int, eps: float = 1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        y = x.float()
        y = y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + self.eps)
        return y.type_as(x) * self.weight


def turns(width: int, length: int, base: float = 10000.0) -> Tensor:
    speeds = 1.0 / (base ** (torch.arange(0, width, 2)[: width // 2].float() / width))
    angles = torch.outer(torch.arange(length, device=speeds.device), speeds).float()
    return torch.polar(torch.ones_like(angles), angles)


def turn(q: Tensor, k: Tensor, by: Tensor) -> Tuple[Tensor, Tensor]:
    pairs = [torch.view_as_complex(t.float().reshape(*t.shape[:-1], -1, 2)) for t in (q, k)]
    by = by.view(1, pairs[0].shape[1], 1, pairs[0].shape[-1])
    q_out, k_out = (torch.view_as_real(t * by).flatten(3) for t in pairs)
    return q_out.type_as(q), k_out.type_as(k)


class Block(nn.Module):
    def __init__(self, width: int, heads: int, groups: int, length: int, batch: int = 4):
        super().__init__()
        self.heads, self.groups, self.each = heads, groups, width // heads
        self.norm, self.norm2 = RootMeanSquare(width), RootMeanSquare(width, eps=1e-5)
        self.wq = nn.Linear(width, heads * self.each, bias=False)
        self.wk, self.wv = (nn.Linear(width, groups * self.each, bias=False) for _ in range(2))
        self.wo = nn.Linear(heads * self.each, width, bias=False)
        self.up, self.gate = nn.Linear(width, 2 * width), nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)
        self.cache = torch.zeros((2, batch, length, groups, self.each))

    def forward(self, x: Tensor, start: int, by: Tensor, mask: Optional[Tensor] = None) -> Tensor:
        b, n, _ = x.shape
        y = self.norm(x)
        q = self.wq(y).view(b, n, self.heads, self.each)
        k, v = (w(y).view(b, n, self.groups, self.each) for w in (self.wk, self.wv))
        q, k = turn(q, k, by=by)
        self.cache = self.cache.to(q)
        self.cache[0, :b, start : start + n] = k
        self.cache[1, :b, start : start + n] = v
        k, v = self.cache[:, :b, : start + n].unbind(0)
        k, v = (t.repeat_interleave(self.heads // self.groups, dim=2) for t in (k, v))
        q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
        scores = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(self.each)
        scores = scores if mask is None else scores + mask
        y = torch.matmul(F.softmax(scores.float(), dim=-1).type_as(q), v)
        x = x + self.wo(y.transpose(1, 2).contiguous().view(b, n, -1))
        y = self.norm2(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class RotaryDecoder(nn.Module):
    def __init__(self, vocabulary: int = 20, width: int = 16, length: int = 12):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.blocks = torch.nn.ModuleList()
        for _ in range(2):
            self.blocks.append(Block(width, heads=4, groups=2, length=length))
        self.norm, self.out = RootMeanSquare(width), nn.Linear(width, vocabulary, bias=False)
        self.turns = turns(width // 4, 2 * length)

    @torch.inference_mode()
    def forward(self, ids: Tensor, start: int) -> Tensor:
        n = ids.shape[1]
        x = self.tokens(ids)
        self.turns = self.turns.to(x.device)
        mask = None
        if n > 1:
            mask = torch.triu(torch.full((n, n), float("-inf"), device=x.device), diagonal=1)
            mask = torch.hstack([torch.zeros((n, start), device=x.device), mask]).type_as(x)
        for block in self.blocks:
            x = block(x, start, self.turns[start : start + n], mask)
        return self.out(self.norm(x)).float()
