"""A small language model: tied weights, causal attention, AdamW with two groups."""

import math

import paddle
import paddle.nn as nn
import paddle.nn.functional as F


class Block(nn.Layer):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1 = nn.LayerNorm(width)
        self.norm2 = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def forward(self, x, mask):
        b, t, d = x.shape
        q, k, v = self.qkv(self.norm1(x)).chunk(3, axis=-1)
        q = q.reshape([b, t, self.heads, d // self.heads]).transpose([0, 2, 1, 3])
        k = k.reshape([b, t, self.heads, d // self.heads]).transpose([0, 2, 1, 3])
        v = v.reshape([b, t, self.heads, d // self.heads]).transpose([0, 2, 1, 3])
        scores = (q @ k.transpose([0, 1, 3, 2])) / math.sqrt(d // self.heads)
        weights = F.softmax(scores.masked_fill(mask, float("-inf")), axis=-1)
        x = x + self.out((weights @ v).transpose([0, 2, 1, 3]).reshape([b, t, d]))
        return x + self.mlp(self.norm2(x))


class GPT(nn.Layer):
    def __init__(self, tokens=256, context=64, width=128, heads=4, depth=3):
        super().__init__()
        self.token = nn.Embedding(tokens, width)
        self.place = nn.Embedding(context, width)
        self.blocks = nn.LayerList([Block(width, heads) for _ in range(depth)])
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, tokens, bias_attr=False)

    def forward(self, ids, targets):
        t = ids.shape[1]
        mask = paddle.triu(paddle.ones([t, t], dtype="bool"), diagonal=1)
        x = self.token(ids) + self.place(paddle.arange(t))
        for block in self.blocks:
            x = block(x, mask)
        logits = self.head(self.norm(x))
        return F.cross_entropy(logits.reshape([-1, logits.shape[-1]]), targets.reshape([-1]))


def build():
    model = GPT()
    decay = [p for p in model.parameters() if p.ndim >= 2]
    rest = [p for p in model.parameters() if p.ndim < 2]
    groups = [{"params": decay, "weight_decay": 0.1}, {"params": rest, "weight_decay": 0.0}]
    optimizer = paddle.optimizer.AdamW(3e-4, beta1=0.9, beta2=0.95, parameters=groups)
    ids = paddle.randint(0, 256, [8, 65])
    return model, optimizer, ids


def train(state, steps):
    model, optimizer, ids = state
    for _ in range(steps):
        loss = model(ids[:, :-1], ids[:, 1:])
        optimizer.clear_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    return loss.item()
