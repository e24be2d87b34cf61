"""Linear layers with torch's weight layout and initial values."""

from __future__ import annotations

import math
from typing import Any

import paddle

from workbench.targets.paddle.modules.helpers.class_names import torch_named


@torch_named
class TorchLinear(paddle.nn.Layer):
    """`torch.nn.Linear`: the weight is [out_features, in_features], Paddle's is its transpose."""

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        dtype = dtype or paddle.get_default_dtype()
        self.weight = self.create_parameter([out_features, in_features], dtype=dtype)
        self.bias = self.create_parameter([out_features], dtype=dtype) if bias else None
        self.reset_parameters()
        if device is not None:
            self.to(device)

    def reset_parameters(self) -> None:
        bound = 1 / math.sqrt(self.in_features) if self.in_features > 0 else 0
        with paddle.no_grad():
            for parameter in (self.weight, self.bias):
                if parameter is not None and bound > 0:
                    parameter.uniform_(-bound, bound)
                elif parameter is not None and parameter.size:
                    parameter.zero_()

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        output = paddle.matmul(input, self.weight, transpose_y=True)
        return output if self.bias is None else output + self.bias

    def extra_repr(self) -> str:
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


class TorchFreshLinear(paddle.compat.nn.Linear):
    """Paddle's linear layer in torch's layout, with new weights within torch's bound."""

    def reset_parameters(self) -> None:
        TorchFreshLinear.__name__ = "Linear"  # as models print it
        super().reset_parameters()
        bound = self.in_features**-0.5
        paddle.nn.init.uniform_(self.weight, -bound, bound)


@torch_named
class TorchNonDynamicallyQuantizableLinear(TorchLinear):
    """What torch's attention projects its results with: a linear layer that can be told apart."""


@torch_named
class TorchBilinear(paddle.nn.Layer):
    """`torch.nn.Bilinear`, with torch's initial values and a bias of shape [out_features]."""

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        dtype = dtype or paddle.get_default_dtype()
        shape = [out_features, in1_features, in2_features]
        self.weight = self.create_parameter(shape, dtype=dtype)
        self.bias = self.create_parameter([out_features], dtype=dtype) if bias else None
        self.reset_parameters()
        if device is not None:
            self.to(device)

    def reset_parameters(self) -> None:
        bound = 1 / math.sqrt(self.in1_features)
        with paddle.no_grad():
            self.weight.uniform_(-bound, bound)
            if self.bias is not None:
                self.bias.uniform_(-bound, bound)

    def forward(self, input1: paddle.Tensor, input2: paddle.Tensor) -> paddle.Tensor:
        return torch_bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )


def torch_linear(
    input: paddle.Tensor, weight: paddle.Tensor, bias: paddle.Tensor | None = None
) -> paddle.Tensor:
    """`torch.nn.functional.linear`: the weight is [out_features, in_features], or a vector."""
    if weight.ndim == 1:
        output = paddle.matmul(input, weight)
    else:
        output = paddle.matmul(input, weight, transpose_y=True)
    return output if bias is None else output + bias


def torch_bilinear(
    input1: paddle.Tensor,
    input2: paddle.Tensor,
    weight: paddle.Tensor,
    bias: paddle.Tensor | None = None,
) -> paddle.Tensor:
    """`torch.nn.functional.bilinear`, over any number of leading dimensions."""
    output = paddle.einsum("...i,oij,...j->...o", input1, weight, input2)
    return output if bias is None else output + bias


def torch_grouped_mm(
    first: paddle.Tensor, second: paddle.Tensor, offs: paddle.Tensor | None = None
) -> paddle.Tensor:
    """Products group by group; `offs` says where each group of rows, columns or places ends."""
    if offs is None:
        return paddle.bmm(first, second)
    ends = offs.tolist()
    spans = [slice(start, end) for start, end in zip([0, *ends[:-1]], ends, strict=True)]
    if first.ndim == second.ndim == 2:
        return paddle.stack([first[:, span] @ second[span] for span in spans])
    rows = first.ndim == 2
    parts = [
        first[span] @ second[group] if rows else first[group] @ second[:, span]
        for group, span in enumerate(spans)
        if span.start < span.stop
    ]
    return paddle.concat(parts, axis=0 if rows else 1)
