import paddle
import paddle.nn as nn
import paddle.nn.functional as F


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(6, 8)
        self.ln = nn.LayerNorm(8)
        self.bn = nn.BatchNorm1D(8)
        self.dropout = nn.Dropout(0.2)
        self.leaky = nn.LeakyReLU(0.1)
        self.last = nn.Linear(8, 8)

    def forward(self, x):
        y = self.ln(self.first(x))
        y = F.gelu(y)
        y = self.bn(y)
        y = self.dropout(y)
        y = self.leaky(self.last(y))
        return y / 2


def loss(outputs, target):
    return F.cross_entropy(outputs, target)


def optimizer(params):
    return paddle.optimizer.AdamW(learning_rate=1e-2, parameters=params, weight_decay=0.1)
