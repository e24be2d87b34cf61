"""Distance layers, one-hot vectors."""

from __future__ import annotations

import paddle

from workbench.targets.paddle.losses.helpers.distances import (
    torch_cosine_similarity,
    torch_pairwise_distance,
)
from workbench.targets.paddle.modules.helpers.class_names import torch_named


@torch_named
class TorchPairwiseDistance(paddle.nn.Layer):
    """`torch.nn.PairwiseDistance`."""

    def __init__(self, p: float = 2.0, eps: float = 1e-06, keepdim: bool = False) -> None:
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: paddle.Tensor, x2: paddle.Tensor) -> paddle.Tensor:
        return torch_pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


@torch_named
class TorchCosineSimilarity(paddle.nn.Layer):
    """`torch.nn.CosineSimilarity`."""

    def __init__(self, dim: int = 1, eps: float = 1e-08) -> None:
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1: paddle.Tensor, x2: paddle.Tensor) -> paddle.Tensor:
        return torch_cosine_similarity(x1, x2, self.dim, self.eps)


def torch_one_hot(input: paddle.Tensor, num_classes: int = -1) -> paddle.Tensor:
    """`torch.nn.functional.one_hot`: integers, and as many classes as there are values."""
    if input.size and int(input.min()) < 0:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1:
        num_classes = int(input.max()) + 1
    elif input.size and int(input.max()) >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return paddle.nn.functional.one_hot(input, num_classes).astype("int64")
