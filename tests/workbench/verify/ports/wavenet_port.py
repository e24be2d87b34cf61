import paddle
import paddle.nn.functional as F
from paddle import nn


class NormedConv(nn.Layer):
    """A convolution by a direction and a length for each of its channels."""

    def __init__(self, cin, cout, kernel, dilation=1):
        super().__init__()
        self.bias = self.create_parameter([cout], is_bias=True)
        self.v = self.create_parameter([cout, cin, kernel])
        self.g = self.create_parameter([cout], default_initializer=nn.initializer.Constant(1.0))
        self.dilation = dilation

    def forward(self, x):
        length = paddle.sqrt((self.v**2).sum(axis=[1, 2], keepdim=True))
        weight = self.g.reshape([-1, 1, 1]) * self.v / length
        return F.conv1d(x, weight, self.bias, dilation=self.dilation)


class Net(nn.Layer):
    def __init__(self, c=6):
        super().__init__()
        self.c = c
        self.entry = nn.Conv1D(1, c, 1)
        self.gated = nn.LayerList([NormedConv(c, 2 * c, 3, 2**i) for i in range(3)])
        self.mixing = nn.LayerList([nn.Conv1D(c, c, 1) for _ in range(3)])
        self.exit = NormedConv(c, 9, 1)

    def forward(self, x):
        x = self.entry(x)
        skips = []
        for gated, mixing in zip(self.gated, self.mixing, strict=True):
            past = F.pad(x, [2 * gated.dilation, 0], data_format="NCL")
            both = gated(past)
            y = F.tanh(both[:, : self.c]) * F.sigmoid(both[:, self.c :])
            y = mixing(y)
            skips.append(y)
            x = x + y
        y = F.elu(paddle.add_n(skips), alpha=0.7)
        return self.exit(y).transpose([0, 2, 1])


def loss(logits, wanted):
    flat = logits.reshape([-1, logits.shape[-1]])
    return F.cross_entropy(flat, wanted.reshape([-1]), ignore_index=0)


def optimizer(params):
    return paddle.optimizer.NAdam(2e-3, parameters=params)
