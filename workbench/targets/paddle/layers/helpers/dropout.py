"""Dropout of whole channels, for inputs with and without a batch, in place or not."""

from __future__ import annotations

import paddle

from workbench.targets.paddle.layers.helpers.activation import torch_in_place
from workbench.targets.paddle.modules.helpers.class_names import torch_named


def torch_feature_dropout(
    input: paddle.Tensor,
    p: float = 0.5,
    training: bool = True,
    inplace: bool = False,
    dims: int | None = None,
) -> paddle.Tensor:
    """`torch.nn.functional.dropout1d` to `3d`: drops whole channels.

    With `dims`, an input without a batch is one of `dims` + 1 dimensions.
    """
    if inplace:
        return torch_in_place(torch_feature_dropout, input, p, training, dims=dims)
    alone = dims is not None and input.ndim == dims + 1
    batched = input.unsqueeze(0) if alone else input
    output = paddle.nn.functional.dropout(batched, p, axis=[0, 1], training=training)
    return output.squeeze(0) if alone else output


def torch_dropout(
    input: paddle.Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> paddle.Tensor:
    """`torch.nn.functional.dropout`, which may write over its input.

    A factor is drawn, since Paddle's own function has no second derivative.
    """
    if inplace:
        return torch_in_place(paddle.nn.functional.dropout, input, p, training=training)
    return input * paddle.nn.functional.dropout(paddle.ones_like(input), p, training=training)


def torch_alpha_dropout(
    input: paddle.Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> paddle.Tensor:
    """`torch.nn.functional.alpha_dropout`, which may write over its input."""
    if inplace:
        return torch_in_place(paddle.nn.functional.alpha_dropout, input, p, training=training)
    return paddle.nn.functional.alpha_dropout(input, p, training=training)


def torch_feature_alpha_dropout(
    input: paddle.Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> paddle.Tensor:
    """`torch.nn.functional.feature_alpha_dropout`, which may write over its input."""
    function = paddle.nn.functional.feature_alpha_dropout
    if inplace:
        return torch_in_place(function, input, p, training=training)
    return function(input, p, training=training)


@torch_named
class TorchDropout(paddle.nn.Dropout):
    """`torch.nn.Dropout`, with torch's text, and with gradients of gradients."""

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        return torch_dropout(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class TorchFeatureDropout(paddle.nn.Layer):
    """What torch's dropouts of channels share; three dimensions are a batch of channels."""

    dims: int | None = None

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        self.p = p
        self.inplace = inplace

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        return torch_feature_dropout(input, self.p, self.training, self.inplace, self.dims)

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


@torch_named
class TorchAlphaDropout(paddle.nn.AlphaDropout):
    """`torch.nn.AlphaDropout`; `inplace` changes nothing there that can be seen after the call."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__(p)
        self.inplace = inplace

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


@torch_named
class TorchFeatureAlphaDropout(paddle.nn.FeatureAlphaDropout):
    """`torch.nn.FeatureAlphaDropout`; `inplace` is kept as it is there, without a use."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__(p)
        self.inplace = inplace

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


@torch_named
class TorchDropout1d(TorchFeatureDropout):
    """`torch.nn.Dropout1d`."""

    dims = 1


@torch_named
class TorchDropout2d(TorchFeatureDropout):
    """`torch.nn.Dropout2d`."""


@torch_named
class TorchDropout3d(TorchFeatureDropout):
    """`torch.nn.Dropout3d`."""

    dims = 3
