import paddle
import paddle.nn.functional as F
from paddle import nn


class Net(nn.Layer):
    def __init__(self, d=8):
        super().__init__()
        self.out = nn.Linear(2 * d, 6)
        self.layers = nn.LayerDict()
        for name in ("up", "down"):
            for level in range(2):
                for rung in range(2):
                    self.layers[f"{name}_{level}_{rung}"] = nn.Linear(d, d)
                    self.layers[f"{name}_{level}_{rung}_norm"] = nn.LayerNorm(d)
        self.layers["middle"] = nn.Linear(d, d)
        self.layers["middle_norm"] = nn.LayerNorm(d)

    def rung(self, name, x):
        h = x + F.tanh(self.layers[name](x))
        return self.layers[f"{name}_norm"](h)

    def forward(self, x):
        a = self.rung("down_0_1", self.rung("down_0_0", x))
        b = self.rung("down_1_1", self.rung("down_1_0", a))
        h = self.rung("middle", b)
        h = h + b
        h = h / paddle.clip(h.norm(axis=-1, keepdim=True), min=1e-12)
        h = self.rung("up_0_1", self.rung("up_0_0", h))
        h = h + a
        h = h / paddle.clip(h.norm(axis=-1, keepdim=True), min=1e-12)
        h = self.rung("up_1_1", self.rung("up_1_0", h))
        turned = paddle.concat([h[:, -1:], h[:, :-1]], axis=-1)
        return self.out(paddle.concat([h, turned], axis=-1))


def loss(outputs, wanted):
    weight = paddle.to_tensor([1.0, 2.0, 1.0, 0.5, 1.0, 1.0], dtype=outputs.dtype)
    wanted = wanted.astype(outputs.dtype)
    return F.binary_cross_entropy_with_logits(outputs, wanted, pos_weight=weight)


def optimizer(params):
    rate = paddle.optimizer.lr.MultiStepDecay(2e-3, [2, 4], gamma=0.3)
    return paddle.optimizer.RAdam(rate, beta1=0.9, beta2=0.99, parameters=params)
