import math

import paddle
import paddle.nn.functional as F
from paddle import nn


class Layer(nn.Layer):
    def __init__(self, d, heads):
        super().__init__()
        self.heads = heads
        self.inner = nn.Linear(d, 2 * d)
        self.outer = nn.Linear(2 * d, d)
        self.norm2 = nn.LayerNorm(d, epsilon=1e-12)
        self.wo = nn.Linear(d, d)
        self.wq, self.wk, self.wv = (nn.Linear(d, d) for _ in range(3))
        self.norm1 = nn.LayerNorm(d, epsilon=1e-12)

    def heads_of(self, x):
        return paddle.stack(x.split(self.heads, axis=-1), axis=1)

    def forward(self, x, hidden):
        q, k, v = self.heads_of(self.wq(x)), self.heads_of(self.wk(x)), self.heads_of(self.wv(x))
        scores = q @ k.transpose([0, 1, 3, 2])
        scores = scores / math.sqrt(q.shape[-1])
        scores = paddle.where(hidden, paddle.full_like(scores, -1e30), scores)
        mixed = F.softmax(scores, axis=-1) @ v
        mixed = paddle.concat(mixed.unbind(1), axis=-1)
        x = self.norm1(x + self.wo(mixed))
        y = F.gelu(self.inner(x), approximate=True)
        return self.norm2(x + self.outer(y))


class Net(nn.Layer):
    def __init__(self, vocab=13, small=4, d=12, heads=3, depth=3):
        super().__init__()
        layer = Layer(d, heads)
        self.layers = nn.LayerList([layer] * depth)
        self.to_small = nn.Linear(d, small)
        self.from_small = nn.Linear(small, d)
        self.segment = nn.Embedding(2, small)
        self.token = nn.Embedding(vocab, small)
        self.bias = self.create_parameter([vocab], is_bias=True)

    def forward(self, ids, kinds):
        hidden = (ids == 0).unsqueeze([1, 2])
        x = self.from_small(self.token(ids) + self.segment(kinds))
        for layer in self.layers:
            x = layer(x, hidden)
        x = F.gelu(self.to_small(x))
        return paddle.matmul(x, self.token.weight, transpose_y=True) + self.bias


def loss(logits, wanted):
    logits = logits.reshape([-1, 13])
    return F.cross_entropy(logits, wanted.reshape([-1]), ignore_index=0)


def optimizer(params):
    return paddle.optimizer.AdamW(1e-3, parameters=params, weight_decay=0.02)
