"""Loss layers of distances and margins, with torch's arguments and attributes."""

from __future__ import annotations

from typing import Any

import paddle

from workbench.targets.paddle.losses.helpers.distance import TorchPairwiseDistance
from workbench.targets.paddle.losses.helpers.distances import (
    torch_cosine_embedding_loss,
    torch_ctc_loss,
    torch_multi_margin_loss,
    torch_multilabel_margin_loss,
    torch_multilabel_soft_margin_loss,
    torch_triplet_margin_loss,
    torch_triplet_margin_with_distance_loss,
)
from workbench.targets.paddle.losses.helpers.losses import torch_reduction
from workbench.targets.paddle.modules.helpers.class_names import torch_named


@torch_named
class TorchMultiLabelMarginLoss(paddle.nn.Layer):
    """`torch.nn.MultiLabelMarginLoss`."""

    def __init__(
        self,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        reduction = torch_reduction(size_average, reduce, reduction)
        super().__init__()
        self.reduction = reduction

    def forward(self, input: paddle.Tensor, target: paddle.Tensor) -> paddle.Tensor:
        return torch_multilabel_margin_loss(
            input,
            target,
            reduction=self.reduction,
        )


@torch_named
class TorchMultiLabelSoftMarginLoss(paddle.nn.Layer):
    """`torch.nn.MultiLabelSoftMarginLoss`."""

    def __init__(
        self,
        weight: paddle.Tensor | None = None,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        reduction = torch_reduction(size_average, reduce, reduction)
        super().__init__()
        self.register_buffer("weight", weight)
        self.reduction = reduction

    def forward(self, input: paddle.Tensor, target: paddle.Tensor) -> paddle.Tensor:
        return torch_multilabel_soft_margin_loss(
            input,
            target,
            weight=self.weight,
            reduction=self.reduction,
        )


@torch_named
class TorchMultiMarginLoss(paddle.nn.Layer):
    """`torch.nn.MultiMarginLoss`."""

    def __init__(
        self,
        p: int = 1,
        margin: float = 1.0,
        weight: paddle.Tensor | None = None,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        reduction = torch_reduction(size_average, reduce, reduction)
        super().__init__()
        self.p = p
        self.margin = margin
        self.register_buffer("weight", weight)
        self.reduction = reduction

    def forward(self, input: paddle.Tensor, target: paddle.Tensor) -> paddle.Tensor:
        return torch_multi_margin_loss(
            input,
            target,
            p=self.p,
            margin=self.margin,
            weight=self.weight,
            reduction=self.reduction,
        )


@torch_named
class TorchCosineEmbeddingLoss(paddle.nn.Layer):
    """`torch.nn.CosineEmbeddingLoss`."""

    def __init__(
        self,
        margin: float = 0.0,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        reduction = torch_reduction(size_average, reduce, reduction)
        super().__init__()
        self.margin = margin
        self.reduction = reduction

    def forward(
        self, input1: paddle.Tensor, input2: paddle.Tensor, target: paddle.Tensor
    ) -> paddle.Tensor:
        return torch_cosine_embedding_loss(
            input1,
            input2,
            target,
            margin=self.margin,
            reduction=self.reduction,
        )


@torch_named
class TorchTripletMarginLoss(paddle.nn.Layer):
    """`torch.nn.TripletMarginLoss`."""

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        swap: bool = False,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        reduction = torch_reduction(size_average, reduce, reduction)
        super().__init__()
        self.margin = margin
        self.p = p
        self.eps = eps
        self.swap = swap
        self.reduction = reduction

    def forward(
        self, anchor: paddle.Tensor, positive: paddle.Tensor, negative: paddle.Tensor
    ) -> paddle.Tensor:
        return torch_triplet_margin_loss(
            anchor,
            positive,
            negative,
            margin=self.margin,
            p=self.p,
            eps=self.eps,
            swap=self.swap,
            reduction=self.reduction,
        )


@torch_named
class TorchTripletMarginWithDistanceLoss(paddle.nn.Layer):
    """`torch.nn.TripletMarginWithDistanceLoss`."""

    def __init__(
        self,
        distance_function: Any = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        super().__init__()
        self.distance_function = (
            TorchPairwiseDistance() if distance_function is None else distance_function
        )
        self.margin = margin
        self.swap = swap
        self.reduction = reduction

    def forward(
        self, anchor: paddle.Tensor, positive: paddle.Tensor, negative: paddle.Tensor
    ) -> paddle.Tensor:
        return torch_triplet_margin_with_distance_loss(
            anchor,
            positive,
            negative,
            distance_function=self.distance_function,
            margin=self.margin,
            swap=self.swap,
            reduction=self.reduction,
        )


@torch_named
class TorchCTCLoss(paddle.nn.Layer):
    """`torch.nn.CTCLoss`."""

    def __init__(
        self,
        blank: int = 0,
        reduction: str = "mean",
        zero_infinity: bool = False,
    ) -> None:
        super().__init__()
        self.blank = blank
        self.reduction = reduction
        self.zero_infinity = zero_infinity

    def forward(
        self,
        log_probs: paddle.Tensor,
        targets: paddle.Tensor,
        input_lengths: Any,
        target_lengths: Any,
    ) -> paddle.Tensor:
        return torch_ctc_loss(
            log_probs,
            targets,
            input_lengths,
            target_lengths,
            blank=self.blank,
            reduction=self.reduction,
            zero_infinity=self.zero_infinity,
        )
