"""Loss layers of classes and of values, with torch's arguments and attributes."""

from __future__ import annotations

from typing import Any

import paddle

from workbench.targets.paddle.losses.helpers.losses import (
    torch_binary_cross_entropy,
    torch_binary_cross_entropy_with_logits,
    torch_cross_entropy,
    torch_gaussian_nll_loss,
    torch_hinge_embedding_loss,
    torch_huber_loss,
    torch_kl_div,
    torch_margin_ranking_loss,
    torch_nll_loss,
    torch_poisson_nll_loss,
    torch_reduction,
    torch_smooth_l1_loss,
    torch_soft_margin_loss,
)
from workbench.targets.paddle.modules.helpers.class_names import torch_named


@torch_named
class TorchNLLLoss(paddle.nn.Layer):
    """`torch.nn.NLLLoss`."""

    def __init__(
        self,
        weight: paddle.Tensor | None = None,
        size_average: Any = None,
        ignore_index: int = -100,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        reduction = torch_reduction(size_average, reduce, reduction)
        super().__init__()
        self.register_buffer("weight", weight)
        self.ignore_index = ignore_index
        self.reduction = reduction

    def forward(self, input: paddle.Tensor, target: paddle.Tensor) -> paddle.Tensor:
        return torch_nll_loss(
            input,
            target,
            weight=self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
        )


@torch_named
class TorchCrossEntropyLoss(paddle.nn.Layer):
    """`torch.nn.CrossEntropyLoss`."""

    def __init__(
        self,
        weight: paddle.Tensor | None = None,
        size_average: Any = None,
        ignore_index: int = -100,
        reduce: Any = None,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        reduction = torch_reduction(size_average, reduce, reduction)
        super().__init__()
        self.register_buffer("weight", weight)
        self.ignore_index = ignore_index
        self.reduction = reduction
        self.label_smoothing = label_smoothing

    def forward(self, input: paddle.Tensor, target: paddle.Tensor) -> paddle.Tensor:
        return torch_cross_entropy(
            input,
            target,
            weight=self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )


@torch_named
class TorchBCELoss(paddle.nn.Layer):
    """`torch.nn.BCELoss`."""

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
        return torch_binary_cross_entropy(
            input,
            target,
            weight=self.weight,
            reduction=self.reduction,
        )


@torch_named
class TorchBCEWithLogitsLoss(paddle.nn.Layer):
    """`torch.nn.BCEWithLogitsLoss`."""

    def __init__(
        self,
        weight: paddle.Tensor | None = None,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
        pos_weight: paddle.Tensor | None = None,
    ) -> None:
        reduction = torch_reduction(size_average, reduce, reduction)
        super().__init__()
        self.register_buffer("weight", weight)
        self.reduction = reduction
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: paddle.Tensor, target: paddle.Tensor) -> paddle.Tensor:
        return torch_binary_cross_entropy_with_logits(
            input,
            target,
            weight=self.weight,
            reduction=self.reduction,
            pos_weight=self.pos_weight,
        )


@torch_named
class TorchKLDivLoss(paddle.nn.Layer):
    """`torch.nn.KLDivLoss`."""

    def __init__(
        self,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
        log_target: bool = False,
    ) -> None:
        reduction = torch_reduction(size_average, reduce, reduction)
        super().__init__()
        self.reduction = reduction
        self.log_target = log_target

    def forward(self, input: paddle.Tensor, target: paddle.Tensor) -> paddle.Tensor:
        return torch_kl_div(
            input,
            target,
            reduction=self.reduction,
            log_target=self.log_target,
        )


@torch_named
class TorchSmoothL1Loss(paddle.nn.Layer):
    """`torch.nn.SmoothL1Loss`."""

    def __init__(
        self,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
        beta: float = 1.0,
    ) -> None:
        reduction = torch_reduction(size_average, reduce, reduction)
        super().__init__()
        self.reduction = reduction
        self.beta = beta

    def forward(self, input: paddle.Tensor, target: paddle.Tensor) -> paddle.Tensor:
        return torch_smooth_l1_loss(
            input,
            target,
            reduction=self.reduction,
            beta=self.beta,
        )


@torch_named
class TorchHuberLoss(paddle.nn.Layer):
    """`torch.nn.HuberLoss`."""

    def __init__(
        self,
        reduction: str = "mean",
        delta: float = 1.0,
    ) -> None:
        super().__init__()
        self.reduction = reduction
        self.delta = delta

    def forward(self, input: paddle.Tensor, target: paddle.Tensor) -> paddle.Tensor:
        return torch_huber_loss(
            input,
            target,
            reduction=self.reduction,
            delta=self.delta,
        )


@torch_named
class TorchPoissonNLLLoss(paddle.nn.Layer):
    """`torch.nn.PoissonNLLLoss`."""

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        size_average: Any = None,
        eps: float = 1e-8,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        reduction = torch_reduction(size_average, reduce, reduction)
        super().__init__()
        self.log_input = log_input
        self.full = full
        self.eps = eps
        self.reduction = reduction

    def forward(self, log_input: paddle.Tensor, target: paddle.Tensor) -> paddle.Tensor:
        return torch_poisson_nll_loss(
            log_input,
            target,
            log_input=self.log_input,
            full=self.full,
            eps=self.eps,
            reduction=self.reduction,
        )


@torch_named
class TorchSoftMarginLoss(paddle.nn.Layer):
    """`torch.nn.SoftMarginLoss`."""

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
        return torch_soft_margin_loss(
            input,
            target,
            reduction=self.reduction,
        )


@torch_named
class TorchHingeEmbeddingLoss(paddle.nn.Layer):
    """`torch.nn.HingeEmbeddingLoss`."""

    def __init__(
        self,
        margin: float = 1.0,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        reduction = torch_reduction(size_average, reduce, reduction)
        super().__init__()
        self.margin = margin
        self.reduction = reduction

    def forward(self, input: paddle.Tensor, target: paddle.Tensor) -> paddle.Tensor:
        return torch_hinge_embedding_loss(
            input,
            target,
            margin=self.margin,
            reduction=self.reduction,
        )


@torch_named
class TorchGaussianNLLLoss(paddle.nn.Layer):
    """`torch.nn.GaussianNLLLoss`."""

    def __init__(
        self,
        full: bool = False,
        eps: float = 1e-6,
        reduction: str = "mean",
    ) -> None:
        super().__init__()
        self.full = full
        self.eps = eps
        self.reduction = reduction

    def forward(self, input: paddle.Tensor, target: paddle.Tensor, var: Any) -> paddle.Tensor:
        return torch_gaussian_nll_loss(
            input,
            target,
            var,
            full=self.full,
            eps=self.eps,
            reduction=self.reduction,
        )


@torch_named
class TorchMarginRankingLoss(paddle.nn.Layer):
    """`torch.nn.MarginRankingLoss`."""

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
        return torch_margin_ranking_loss(
            input1,
            input2,
            target,
            margin=self.margin,
            reduction=self.reduction,
        )
