import paddle
import paddle.nn.functional as F
from paddle import nn


class Experts(nn.Layer):
    """All experts in one tensor for each of their matrices."""

    def __init__(self, d, h, count):
        super().__init__()
        self.w1 = self.create_parameter([count, d, h])
        self.b1 = self.create_parameter([count, h], is_bias=True)
        self.w2 = self.create_parameter([count, h, d])
        self.b2 = self.create_parameter([count, d], is_bias=True)

    def forward(self, x):
        hidden = paddle.einsum("nd,edh->enh", x, self.w1) + self.b1.unsqueeze(1)
        hidden = F.silu(hidden)
        return paddle.einsum("enh,ehd->end", hidden, self.w2) + self.b2.unsqueeze(1)


class Net(nn.Layer):
    def __init__(self, d=6, h=10, count=4, chosen=2):
        super().__init__()
        self.count, self.chosen = count, chosen
        self.gain = self.create_parameter([d], default_initializer=nn.initializer.Constant(1.0))
        self.router = nn.Linear(d, count, bias_attr=False)
        self.experts = Experts(d, h, count)
        self.head = nn.Linear(d, 3)

    def forward(self, x):
        square = paddle.mean(x * x, axis=-1, keepdim=True)
        h = x * paddle.rsqrt(square + 1e-6) * self.gain
        odds = F.softmax(self.router(h), axis=-1)
        best, which = paddle.topk(odds, self.chosen, axis=-1)
        share = best / best.sum(axis=-1, keepdim=True)
        weights = (F.one_hot(which, self.count).astype(share.dtype) * share.unsqueeze(-1)).sum(1)
        mixed = paddle.einsum("ne,end->nd", weights, self.experts(h))
        return self.head(x + mixed), odds


def loss(outputs, wanted):
    values, odds = outputs
    shares = odds.mean(axis=0)
    balance = (shares**2).sum() * odds.shape[-1]
    gap = paddle.abs(values - wanted)
    huber = paddle.where(gap <= 0.8, 0.5 * gap**2, 0.8 * (gap - 0.4))
    return huber.mean() + 0.01 * balance


def optimizer(params):
    rate = paddle.optimizer.lr.LambdaDecay(3e-3, lambda n: min(1.0, (n + 1) / 4))
    return paddle.optimizer.AdamW(rate, parameters=params, weight_decay=0.0)
