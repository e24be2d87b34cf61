"""A small residual network: wildcard imports, squeeze and excitation, weights set by type."""

from collections import OrderedDict
from functools import partial

import torch
import torch.nn.functional as F
from torch.nn import *
from torch.nn import init


class Gate(Module):
    """Weighs channels by what the whole picture holds."""

    def __init__(self, width, ratio=4):
        super(Gate, self).__init__()
        self.squeeze = Conv2d(width, max(1, width // ratio), 1)
        self.excite = Conv2d(max(1, width // ratio), width, 1)

    def forward(self, x):
        weights = F.avg_pool2d(x, x.size(2))
        weights = F.relu(self.squeeze(weights), inplace=True)
        return x * torch.sigmoid(self.excite(weights))


class Residual(Module):
    def __init__(self, before, after, stride=1, norm=BatchNorm2d, groups=1):
        super(Residual, self).__init__()
        self.body = Sequential(
            OrderedDict(
                [
                    ("norm1", norm(before)),
                    ("act1", LeakyReLU(0.1)),
                    (
                        "conv1",
                        Conv2d(before, after, 3, stride, padding=1, bias=False, groups=groups),
                    ),
                    ("norm2", norm(after)),
                    ("act2", Hardswish()),
                    ("conv2", Conv2d(after, after, 3, padding="same", bias=False)),
                    ("gate", Gate(after)),
                ]
            )
        )
        if stride != 1 or before != after:
            self.shortcut = Sequential(AvgPool2d(stride, ceil_mode=True), Conv2d(before, after, 1))

    def forward(self, x):
        out = self.body(x)
        out += self.shortcut(x) if hasattr(self, "shortcut") else x
        return out


class ConvNet(Module):
    widths = (8, 16, 16)

    def __init__(self, classes=10):
        super(ConvNet, self).__init__()
        norm = partial(BatchNorm2d, eps=1e-3, momentum=0.05)
        layers = [Conv2d(3, 8, 3, stride=1, padding=1)]
        before = 8
        for index, width in enumerate(self.widths):
            layers += [Residual(before, width, stride=1 + index % 2, norm=norm, groups=2)]
            before = width
        self.features = Sequential(*layers)
        self.pool = MaxPool2d(kernel_size=3, stride=2, padding=1)
        self.head = Linear(before, classes)
        for module in self.modules():
            if isinstance(module, (Conv2d, Linear)):
                init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")
                if module.bias is not None:
                    module.bias.data.zero_()

    def forward(self, x):
        x = self.pool(self.features(x))
        left, right = torch.chunk(x, 2, dim=1)
        n, c, h, w = left.shape
        mixed = torch.stack((left, right), 2).view(n, 2 * c, h, w)
        return self.head(F.adaptive_avg_pool2d(mixed, (1, 1)).view(x.size(0), -1))


if __name__ == "__main__":
    net = ConvNet()
    print(net(torch.randn(2, 3, 16, 16)).size())
