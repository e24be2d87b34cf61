"""The Paddle side of `fastops`: read by Torchferry, and carried into converted code."""

import paddle


def torch_soft_clip(x, limit=1.0):
    """`limit * tanh(x / limit)`."""
    return paddle.tanh(x / limit) * limit


class TorchSoftClip(paddle.nn.Layer):
    """Clips softly, by a limit for each channel that is learned."""

    def __init__(self, channels, limit=1.0):
        super().__init__()
        ones = paddle.nn.initializer.Constant(1.0)
        self.gain = self.create_parameter([channels], default_initializer=ones)
        self.limit = limit

    def forward(self, x):
        return torch_soft_clip(x * self.gain, self.limit)
