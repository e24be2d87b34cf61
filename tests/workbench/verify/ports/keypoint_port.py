import paddle
import paddle.nn.functional as F
from paddle import nn


class Net(nn.Layer):
    """A model without layers: only parameters and functions."""

    def __init__(self, points=4):
        super().__init__()
        self.head_w = self.create_parameter([points, 12, 1, 1])
        self.head_b = self.create_parameter([points], is_bias=True)
        self.down_w = self.create_parameter([3, 12, 1, 1])
        self.down_b = self.create_parameter([3], is_bias=True)
        self.up_w = self.create_parameter([12, 3, 1, 1])
        self.up_b = self.create_parameter([12], is_bias=True)
        self.conv1_w = self.create_parameter([8, 3, 5, 5])
        self.conv1_b = self.create_parameter([8], is_bias=True)
        self.slope = self.create_parameter([8], default_initializer=nn.initializer.Constant(0.25))
        self.conv2_w = self.create_parameter([12, 2, 3, 3])
        self.conv2_b = self.create_parameter([12], is_bias=True)
        self.norm1 = nn.BatchNorm2D(8)
        self.norm2 = nn.BatchNorm2D(12, epsilon=1e-3)

    def forward(self, x):
        x = F.conv2d(x, self.conv1_w, self.conv1_b, stride=2, padding=2)
        x = F.prelu(self.norm1(x), self.slope)
        x = F.conv2d(x, self.conv2_w, self.conv2_b, padding=1, groups=4)
        x = self.norm2(x)
        x = x * F.relu6(x + 3) / 6
        s = x.mean(axis=[2, 3], keepdim=True)
        s = F.relu(F.conv2d(s, self.down_w, self.down_b))
        s = F.conv2d(s, self.up_w, self.up_b)
        x = x * F.sigmoid(s)
        heat = F.conv2d(x, self.head_w, self.head_b)
        b, k, h, w = heat.shape
        heat = F.softmax(heat.reshape([b, k, h * w]), axis=-1).reshape([b, k, h, w])
        line = paddle.linspace(0, 1, w).astype(heat.dtype)
        across = (heat.sum(axis=2) * line).sum(axis=-1)
        down = (heat.sum(axis=3) * line).sum(axis=-1)
        return paddle.stack([across, down], axis=-1)


def loss(outputs):
    target = paddle.full_like(outputs, 0.4)
    return F.smooth_l1_loss(outputs, target, delta=0.05) / 0.05


def optimizer(params):
    return paddle.optimizer.Adam(1e-3, epsilon=1e-6, parameters=params, amsgrad=True)
