"""timm's smallest layers and helpers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import paddle

from workbench.targets.paddle.layers.helpers.conv import TorchConv2d
from workbench.targets.paddle.layers.helpers.linear import TorchLinear
from workbench.targets.paddle.modules.helpers.class_names import torch_named


def torch_drop_path(
    x: paddle.Tensor, drop_prob: float = 0.0, training: bool = False, scale_by_keep: bool = True
) -> paddle.Tensor:
    """`timm.layers.drop_path`: drops all that a branch gives for some samples."""
    if drop_prob == 0.0 or not training:
        return x
    kept = 1 - drop_prob
    noise = paddle.bernoulli(paddle.full([x.shape[0]] + [1] * (x.ndim - 1), kept, dtype=x.dtype))
    return x * (noise / kept if kept > 0.0 and scale_by_keep else noise)


def torch_ntuple(x: Any, size: int) -> tuple[Any, ...]:
    """`timm.layers.to_2tuple` and its sisters: a tuple of what is one, or of copies."""
    return tuple(x) if isinstance(x, Iterable) and not isinstance(x, str) else (x,) * size


@torch_named
class TorchDropPath(paddle.nn.Layer):
    """`timm.layers.DropPath`."""

    def __init__(self, drop_prob: float = 0.0, scale_by_keep: bool = True) -> None:
        super().__init__()
        self.drop_prob = drop_prob
        self.scale_by_keep = scale_by_keep

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        return torch_drop_path(x, self.drop_prob, self.training, self.scale_by_keep)

    def extra_repr(self) -> str:
        return f"drop_prob={round(self.drop_prob, 3):0.3f}"


@torch_named
class TorchMlp(paddle.nn.Layer):
    """`timm.layers.Mlp`."""

    def __init__(
        self,
        in_features: int,
        hidden_features: int | None = None,
        out_features: int | None = None,
        act_layer: Any = paddle.nn.GELU,
        norm_layer: Any = None,
        bias: Any = True,
        drop: Any = 0.0,
        use_conv: bool = False,
    ) -> None:
        super().__init__()
        hidden = hidden_features or in_features
        first, second = torch_ntuple(bias, 2)
        drops = torch_ntuple(drop, 2)

        def linear(inputs: int, outputs: int, bias: bool) -> Any:
            if use_conv:
                return TorchConv2d(inputs, outputs, 1, bias=bias)
            return TorchLinear(inputs, outputs, bias=bias)

        self.fc1 = linear(in_features, hidden, first)
        self.act = act_layer()
        self.drop1 = paddle.nn.Dropout(drops[0])
        self.norm = paddle.nn.Identity() if norm_layer is None else norm_layer(hidden)
        self.fc2 = linear(hidden, out_features or in_features, second)
        self.drop2 = paddle.nn.Dropout(drops[1])

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        x = self.norm(self.drop1(self.act(self.fc1(x))))
        return self.drop2(self.fc2(x))


def torch_make_divisible(
    v: float, divisor: int = 8, min_value: int | None = None, round_limit: float = 0.9
) -> int:
    """`timm.layers.make_divisible`: the nearest multiple that is not much smaller."""
    least = min_value or divisor
    nearest = max(least, int(v + divisor / 2) // divisor * divisor)
    return nearest + divisor if nearest < round_limit * v else nearest
