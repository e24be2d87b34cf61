"""A decoder for text: dataclass settings, tied weights, masks in buffers, sampling, weight decay."""

import inspect
import math
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional as F


@dataclass
class Settings:
    vocabulary: int = 40
    context: int = 12
    width: int = 16
    heads: int = 2
    depth: int = 2
    dropout: float = 0.0
    fused: bool = False


class Attention(nn.Module):
    def __init__(self, settings: Settings):
        super().__init__()
        self.settings = settings
        self.project = nn.Linear(settings.width, 3 * settings.width)
        self.merge = nn.Linear(settings.width, settings.width)
        self.dropout = nn.Dropout(settings.dropout)
        side = settings.context
        self.register_buffer("mask", torch.tril(torch.ones(side, side)).view(1, 1, side, side))

    def forward(self, x):
        batch, time, width = x.size()
        heads = self.settings.heads
        q, k, v = self.project(x).split(width, dim=2)
        q, k, v = (t.view(batch, time, heads, width // heads).transpose(1, 2) for t in (q, k, v))
        if self.settings.fused:
            rate = self.settings.dropout if self.training else 0.0
            y = F.scaled_dot_product_attention(
                q, k, v, attn_mask=None, dropout_p=rate, is_causal=True
            )
        else:
            scores = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
            scores = scores.masked_fill(self.mask[:, :, :time, :time] == 0, float("-inf"))
            y = self.dropout(F.softmax(scores, dim=-1)) @ v
        return self.merge(y.transpose(1, 2).contiguous().view(batch, time, width))


class Decoder(nn.Module):
    def __init__(self, settings: Settings):
        super().__init__()
        self.settings = settings
        norm = lambda: nn.LayerNorm(settings.width, eps=1e-5)
        self.parts = nn.ModuleDict(
            dict(
                tokens=nn.Embedding(settings.vocabulary, settings.width),
                places=nn.Embedding(settings.context, settings.width),
                blocks=nn.ModuleList(
                    [nn.Sequential(norm(), Attention(settings)) for _ in range(settings.depth)]
                ),
                norm=norm(),
            )
        )
        self.head = nn.Linear(settings.width, settings.vocabulary, bias=False)
        self.parts.tokens.weight = self.head.weight
        self.apply(self._start)
        for name, parameter in self.named_parameters():
            if name.endswith("merge.weight"):
                nn.init.normal_(parameter, mean=0.0, std=0.02 / math.sqrt(2 * settings.depth))

    def _start(self, module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, mean=0.0, std=0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)

    def forward(self, ids, targets=None):
        steps = torch.arange(0, ids.size(1), dtype=torch.long, device=ids.device)
        x = self.parts.tokens(ids) + self.parts.places(steps)
        for block in self.parts.blocks:
            x = x + block(x)
        x = self.parts.norm(x)
        if targets is None:
            return self.head(x[:, [-1], :]), None
        logits = self.head(x)
        loss = F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1)
        return logits, loss

    def optimizer(self, decay, rate):
        learnt = {name: p for name, p in self.named_parameters() if p.requires_grad}
        groups = [
            {"params": [p for p in learnt.values() if p.dim() >= 2], "weight_decay": decay},
            {"params": [p for p in learnt.values() if p.dim() < 2], "weight_decay": 0.0},
        ]
        known = inspect.signature(torch.optim.AdamW).parameters
        extra = dict(fused=True) if "fused" in known and torch.cuda.is_available() else {}
        return torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.95), **extra)

    @torch.no_grad()
    def generate(self, ids, count, temperature=1.0, top_k=None):
        for _ in range(count):
            logits, _ = self(ids[:, -self.settings.context :])
            logits = logits[:, -1, :] / temperature
            if top_k is not None:
                best, _ = torch.topk(logits, min(top_k, logits.size(-1)))
                logits[logits < best[:, [-1]]] = -float("Inf")
            drawn = torch.multinomial(F.softmax(logits, dim=-1), num_samples=1)
            ids = torch.cat((ids, drawn), dim=1)
        return ids
