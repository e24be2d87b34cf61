"""A linear layer and the cross entropy of what it gives, in one."""

from __future__ import annotations

import math
from typing import Any

import paddle

from workbench.targets.paddle.layers.helpers.linear import TorchLinear
from workbench.targets.paddle.losses.helpers.losses import torch_cross_entropy
from workbench.targets.paddle.modules.helpers.class_names import torch_named


def torch_linear_cross_entropy(
    input: paddle.Tensor,
    linear_weight: paddle.Tensor,
    target: paddle.Tensor,
    *,
    linear_bias: paddle.Tensor | None = None,
    weight: paddle.Tensor | None = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
) -> paddle.Tensor:
    """`torch.nn.functional.linear_cross_entropy`: classes come first in the linear weight."""
    flat = linear_weight.reshape([-1, linear_weight.shape[-1]])
    logits = paddle.matmul(input, flat, transpose_y=True)
    logits = logits.reshape([*input.shape[:-1], *linear_weight.shape[:-1]])
    if linear_bias is not None:
        logits = logits + linear_bias
    if ignore_index is not None and target.shape == logits.shape:
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    return torch_cross_entropy(
        logits,
        target,
        weight,
        ignore_index=-100 if ignore_index is None else ignore_index,
        reduction=reduction,
        label_smoothing=label_smoothing,
    )


@torch_named
class TorchLinearCrossEntropyLoss(paddle.nn.Layer):
    """`torch.nn.LinearCrossEntropyLoss`."""

    def __init__(
        self,
        in_features: int,
        num_classes: int,
        *,
        out_features: tuple[int, ...] = (),
        bias: bool = False,
        device: Any = None,
        dtype: Any = None,
        reduction: str = "mean",
        weight: paddle.Tensor | None = None,
        ignore_index: int | None = None,
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__()
        self.num_classes = num_classes
        self.out_features = out_features
        self.reduction = reduction
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing
        self.register_buffer("weight", weight)
        rows = math.prod(out_features, start=num_classes)
        self.linear = TorchLinear(in_features, rows, bias=bias, device=device, dtype=dtype)

    def forward(self, input: paddle.Tensor, target: paddle.Tensor) -> paddle.Tensor:
        lead = [self.num_classes, *self.out_features]
        bias = self.linear.bias
        return torch_linear_cross_entropy(
            input,
            self.linear.weight.reshape([*lead, self.linear.in_features]),
            target,
            linear_bias=None if bias is None else bias.reshape(lead),
            weight=self.weight,
            reduction=self.reduction,
            ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing,
        )

    def extra_repr(self) -> str:
        return (
            f"in_features={self.linear.in_features}, num_classes={self.num_classes},"
            f" out_features={self.out_features}, bias={self.linear.bias is not None},"
            f" reduction={self.reduction}, ignore_index={self.ignore_index},"
            f" label_smoothing={self.label_smoothing}, options=None"
        )
