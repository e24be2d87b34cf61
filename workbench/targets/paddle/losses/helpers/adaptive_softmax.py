"""The adaptive softmax, with torch's parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import paddle

from workbench.targets.paddle.layers.helpers.activation import torch_log_softmax
from workbench.targets.paddle.layers.helpers.linear import TorchLinear
from workbench.targets.paddle.modules.helpers.class_names import torch_named


class TorchASMoutput(NamedTuple):
    """What `torch.nn.AdaptiveLogSoftmaxWithLoss` returns."""

    output: paddle.Tensor
    loss: paddle.Tensor


@torch_named
class TorchAdaptiveLogSoftmaxWithLoss(paddle.nn.Layer):
    """`torch.nn.AdaptiveLogSoftmaxWithLoss`: frequent classes in the head, the rest in clusters."""

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        cutoffs = list(cutoffs)
        rising = cutoffs == sorted(set(cutoffs)) and all(int(c) == c for c in cutoffs)
        if not cutoffs or not rising or min(cutoffs) <= 0 or max(cutoffs) > n_classes - 1:
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an "
                "increasing order, where each value is between 1 and n_classes-1"
            )
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*cutoffs, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        made = {"device": device, "dtype": dtype}
        self.head = TorchLinear(in_features, self.head_size, bias=head_bias, **made)
        self.tail = paddle.nn.LayerList()
        for index in range(self.n_clusters):
            width = int(in_features // div_value ** (index + 1))
            size = self.cutoffs[index + 1] - self.cutoffs[index]
            self.tail.append(
                paddle.nn.Sequential(
                    TorchLinear(in_features, width, bias=False, **made),
                    TorchLinear(width, size, bias=False, **made),
                )
            )

    def forward(self, input_: paddle.Tensor, target_: paddle.Tensor) -> TorchASMoutput:
        batched = target_.ndim > 0
        inputs = input_ if batched else input_.unsqueeze(0)
        targets = target_ if batched else target_.unsqueeze(0)
        lowest, highest = int(targets.min()), int(targets.max())
        if lowest < 0 or highest >= self.n_classes:
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                f"[{lowest}, {highest}] were found. "
            )
        log_probs = self.log_prob(inputs)
        output = paddle.take_along_axis(log_probs, targets.unsqueeze(1), axis=1).squeeze(1)
        loss = (-output).mean()
        return TorchASMoutput(output if batched else output.squeeze(0), loss)

    def log_prob(self, input: paddle.Tensor) -> paddle.Tensor:
        head = torch_log_softmax(self.head(input), 1)
        parts = [head[:, : self.shortlist_size]]
        for index, cluster in enumerate(self.tail):
            inside = torch_log_softmax(cluster(input), 1)
            parts.append(inside + head[:, self.shortlist_size + index].unsqueeze(1))
        return paddle.concat(parts, axis=1)

    def predict(self, input: paddle.Tensor) -> paddle.Tensor:
        return self.log_prob(input).argmax(axis=1)
