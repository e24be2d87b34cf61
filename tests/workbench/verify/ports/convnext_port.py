import paddle
from paddle import nn
from paddle.regularizer import L2Decay


class ChannelNorm(nn.Layer):
    """Over the channels of images whose channels come second."""

    def __init__(self, d):
        super().__init__()
        one, zero = nn.initializer.Constant(1.0), nn.initializer.Constant(0.0)
        self.gain = self.create_parameter([1, d, 1, 1], default_initializer=one)
        self.offset = self.create_parameter([1, d, 1, 1], default_initializer=zero)

    def forward(self, x):
        mean = x.mean(axis=1, keepdim=True)
        centred = x - mean
        spread = (centred * centred).mean(axis=1, keepdim=True)
        x = centred * paddle.rsqrt(spread + 1e-6)
        return x * self.gain + self.offset


class Residual(nn.Layer):
    def __init__(self, d):
        super().__init__()
        tenth = nn.initializer.Constant(0.1)
        self.scale = self.create_parameter([1, d, 1, 1], default_initializer=tenth)
        self.body = nn.Sequential(
            nn.Conv2D(d, d, 7, padding=3, groups=d),
            ChannelNorm(d),
            nn.Conv2D(d, 4 * d, 1),
            nn.GELU(),
            nn.Conv2D(4 * d, d, 1),
        )

    def forward(self, x):
        return x + self.scale * self.body(x)


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2D(3, 6, 2, stride=2),
            Residual(6),
            Residual(6),
            nn.Conv2D(6, 10, 2, stride=2),
            Residual(10),
        )
        self.norm = ChannelNorm(10)
        self.head = nn.Conv2D(10, 3, 1)

    def forward(self, x):
        x = self.features(x)
        x = nn.functional.adaptive_avg_pool2d(x, 1)
        return self.head(self.norm(x)).squeeze([2, 3])


def loss(outputs):
    return paddle.logsumexp(outputs, axis=-1).mean()


def optimizer(model):
    def kind(p):
        return p.ndim >= 2 and p.size != max(p.shape)

    groups = [
        {"params": [p for p in model.parameters() if kind(p)], "weight_decay": L2Decay(1e-2)},
        {"params": [p for p in model.parameters() if not kind(p)]},
    ]
    return paddle.optimizer.Momentum(0.05, 0.9, parameters=groups)
