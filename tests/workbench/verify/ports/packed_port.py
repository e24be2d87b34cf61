import paddle
import paddle.nn.functional as F
from paddle import nn


class Net(nn.Layer):
    """An unpacked port: each level gets the lengths, and dropout is a separate layer."""

    def __init__(self, vocab=20, d=8, h=6):
        super().__init__()
        self.embed = nn.Embedding(vocab, d, padding_idx=0)
        self.levels = nn.LayerList([nn.GRU(n, h, direction="bidirect") for n in (d, 2 * h)])
        self.drop = nn.Dropout(0.3)
        self.head = nn.Linear(2 * h, 5)

    def forward(self, ids):
        lengths = (ids != 0).astype("int64").sum(axis=1).clip(min=1)
        x = self.embed(ids)
        for number, level in enumerate(self.levels):
            if number > 0:
                x = self.drop(x)
            x, _ = level(x, sequence_length=lengths)
        return self.head(x)


def loss(outputs, wanted):
    return F.cross_entropy(outputs, wanted)


def optimizer(params):
    return paddle.optimizer.Momentum(0.1, 0.9, params)
