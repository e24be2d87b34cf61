import paddle
from paddle import nn
from paddle.nn import functional as F


class ConvNorm(nn.Layer):
    def __init__(self, cin, cout, k, s=1, p=0, bias=None):
        super().__init__()
        self.c = nn.Conv2D(cin, cout, k, stride=s, padding=p, bias_attr=bias)
        self.n = nn.BatchNorm2D(cout)

    def forward(self, x):
        return self.n(self.c(x))


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.a = ConvNorm(3, 6, 3, s=2, p=1, bias=False)
        self.b = ConvNorm(6, 6, 3, p=1, bias=False)
        self.skip = ConvNorm(3, 6, 1, s=2)
        self.pool = nn.AvgPool2D(3, stride=2, padding=1, exclusive=False)
        self.head = nn.Linear(54, 4)

    def forward(self, x):
        y = F.relu(self.a(x))
        y = self.b(y)
        skip = self.skip(x)
        y = F.relu(skip + y)
        y = self.pool(y)
        y = paddle.flatten(y, start_axis=1)
        return self.head(y)


def loss(outputs):
    return (outputs**2).mean()


def optimizer(params):
    return paddle.optimizer.Momentum(0.1, 0.9, parameters=params, use_nesterov=True)
