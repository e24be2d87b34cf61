import paddle
import paddle.nn.functional as F
from paddle import nn


class Net(nn.Layer):
    """Each level and direction is a separate recurrent layer."""

    def __init__(self, vocab=15, d=5, h=6):
        super().__init__()
        self.out = nn.Linear(4 * h, 7)
        self.attention = self.create_parameter([2 * h, 1])
        sizes = (d, 2 * h)
        self.forth = nn.LayerList([nn.RNN(nn.LSTMCell(n, h)) for n in sizes])
        self.back = nn.LayerList([nn.RNN(nn.LSTMCell(n, h), is_reverse=True) for n in sizes])
        self.table = nn.Embedding(vocab, d)

    def forward(self, ids):
        x = self.table(ids)
        for forth, back in zip(self.forth, self.back, strict=True):
            a, (end_a, _) = forth(x)
            b, (end_b, _) = back(x)
            x = paddle.concat([a, b], axis=-1)
        scores = paddle.matmul(x, self.attention)
        weights = F.softmax(scores, axis=1)
        pooled = paddle.matmul(weights, x, transpose_x=True).squeeze(1)
        return self.out(paddle.concat([pooled, end_a, end_b], axis=-1))


def loss(outputs, wanted):
    return F.multi_margin_loss(outputs, wanted, margin=0.5)


def optimizer(params):
    return paddle.optimizer.Adagrad(1e-2, 1e-6, params, initial_accumulator_value=0.1)
