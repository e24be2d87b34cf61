import math

import paddle
import paddle.nn as nn
import paddle.nn.functional as F


class SelfAttention(nn.Layer):
    def __init__(self, width, heads):
        super().__init__()
        self.h = heads
        self.q = nn.Linear(width, width)
        self.k = nn.Linear(width, width)
        self.v = nn.Linear(width, width)
        self.out = nn.Linear(width, width)

    def split(self, x):
        b, t, c = x.shape
        return x.reshape([b, t, self.h, c // self.h]).transpose([0, 2, 1, 3])

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.split(self.q(x)), self.split(self.k(x)), self.split(self.v(x))
        scale = 1 / math.sqrt(c // self.h)
        scores = paddle.matmul(q * scale, k, transpose_y=True)
        future = paddle.triu(paddle.ones([t, t], dtype=x.dtype), diagonal=1)
        scores = scores + future * -1e9
        attn = F.softmax(scores, axis=-1)
        y = paddle.matmul(attn, v).transpose([0, 2, 1, 3]).reshape([b, t, c])
        return self.out(y)


class Net(nn.Layer):
    def __init__(self, vocab=11, width=12, heads=3):
        super().__init__()
        self.words = nn.Embedding(vocab, width)
        self.places = nn.Embedding(16, width)
        self.norm_a = nn.LayerNorm(width)
        self.mixer = SelfAttention(width, heads)
        self.norm_b = nn.LayerNorm(width)
        self.fc_in = nn.Linear(width, 4 * width)
        self.fc_out = nn.Linear(4 * width, width)
        self.dropout = nn.Dropout(0.1)

    def forward(self, ids):
        pos = paddle.arange(ids.shape[1])
        x = self.words(ids) + self.places(pos)
        a = self.mixer(self.norm_a(x))
        x = x + self.dropout(a)
        h = self.fc_in(self.norm_b(x))
        h = F.gelu(h, approximate=True)
        x = x + self.dropout(self.fc_out(h))
        return paddle.matmul(x, self.words.weight, transpose_y=True)


def loss(logits, targets):
    logits = logits.reshape([-1, logits.shape[-1]])
    return F.cross_entropy(logits, targets.reshape([-1]), label_smoothing=0.1)


def optimizer(model):
    rate = paddle.optimizer.lr.CosineAnnealingDecay(3e-3, T_max=100)
    decayed = {p.name for p in model.parameters() if p.ndim > 1}
    settings = {"beta1": 0.9, "beta2": 0.95, "epsilon": 1e-8, "weight_decay": 0.1}
    settings["apply_decay_param_fun"] = decayed.__contains__
    return paddle.optimizer.AdamW(rate, parameters=model.parameters(), **settings)
