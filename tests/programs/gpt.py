"""A tiny language model that is trained, saved, and resumed from its checkpoint."""
import argparse
import math
import os

import torch
import torch.nn as nn
import torch.nn.functional as F


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(self.norm1(x)).chunk(3, dim=-1)
        q, k, v = (y.view(b, t, self.heads, d // self.heads).transpose(1, 2) for y in (q, k, v))
        scores = q @ k.transpose(-2, -1) / math.sqrt(d // self.heads)
        mask = torch.triu(torch.ones(t, t, dtype=torch.bool, device=x.device), diagonal=1)
        x = x + self.out((F.softmax(scores.masked_fill(mask, float("-inf")), dim=-1) @ v).transpose(1, 2).reshape(b, t, d))
        return x + self.mlp(self.norm2(x))


class GPT(nn.Module):
    def __init__(self, vocabulary=16, context=8, width=16):
        super().__init__()
        self.token = nn.Embedding(vocabulary, width)
        self.place = nn.Parameter(torch.zeros(1, context, width))
        self.blocks = nn.ModuleList([Block(width, 2) for _ in range(2)])
        self.head = nn.Linear(width, vocabulary)

    def forward(self, ids):
        x = self.token(ids) + self.place[:, : ids.size(1)]
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def build():
    return GPT()


def make_optimizer(model):
    decay = [p for p in model.parameters() if p.dim() > 1]
    rest = [p for p in model.parameters() if p.dim() <= 1]
    groups = [{"params": decay, "weight_decay": 0.1}, {"params": rest, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=1e-2, betas=(0.9, 0.95))


def rate_at(step):
    return 1e-2 * 0.5 * (1 + math.cos(math.pi * step / 20))


def train(model, optimizer, ids, first, last):
    losses = []
    for step in range(first, last):
        lr = rate_at(step)
        for param_group in optimizer.param_groups:
            param_group["lr"] = lr
        logits = model(ids[:, :-1])
        loss = F.cross_entropy(logits.reshape(-1, logits.size(-1)), ids[:, 1:].reshape(-1))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--last", type=int, default=12)
    parser.add_argument("--start")
    parser.add_argument("--checkpoint", default="checkpoint.pt")
    args = parser.parse_args()
    model = build()
    optimizer = make_optimizer(model)
    best = 1e9
    if args.start:
        model.load_state_dict(torch.load(args.start, map_location="cpu")["model"])
    if args.first and os.path.exists(args.checkpoint):
        checkpoint = torch.load(args.checkpoint, map_location=torch.device("cpu"))
        model.load_state_dict(checkpoint["model"])
        optimizer.load_state_dict(checkpoint["optimizer"])
        best = checkpoint["best"]
    ids = torch.arange(36).reshape(4, 9) * 7 % 16
    losses = train(model, optimizer, ids, args.first, args.last)
    best = min(best, min(losses))
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": args.last, "best": best}, args.checkpoint)
    print(losses)


if __name__ == "__main__":
    main()
