"""The base classes of torch's losses, from which programs derive their own."""

from __future__ import annotations

from typing import Any

import paddle

from workbench.targets.paddle.losses.helpers.reduction import torch_reduction_word


class TorchLossKind(type):
    """Takes each layer that torch has as a loss for one, as Paddle's have no common base."""

    def __instancecheck__(cls, layer: Any) -> bool:
        return super().__instancecheck__(layer) or any(
            cls._is_meant(base) for base in type(layer).__mro__
        )

    def _is_meant(cls, layer: type) -> bool:
        name = layer.__qualname__.removeprefix("Torch")
        own = layer.__module__.startswith("paddle.nn.") or name != layer.__qualname__
        if cls.__name__ == "TorchWeightedLossBase":
            return own and name in {
                "BCELoss",
                "CrossEntropyLoss",
                "LinearCrossEntropyLoss",
                "MultiLabelSoftMarginLoss",
                "MultiMarginLoss",
                "NLLLoss",
            }
        return own and name.endswith("Loss") and name != "AdaptiveLogSoftmaxWithLoss"


class TorchLossBase(paddle.nn.Layer, metaclass=TorchLossKind):
    """`torch.nn.modules.loss._Loss`."""

    reduction: str

    def __init__(
        self, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
    ) -> None:
        super().__init__()
        if size_average is not None or reduce is not None:
            reduction = torch_reduction_word(size_average, reduce)
        self.reduction = reduction


class TorchWeightedLossBase(TorchLossBase):
    """`torch.nn.modules.loss._WeightedLoss`."""

    def __init__(
        self,
        weight: paddle.Tensor | None = None,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
