"""Adam for tables of which each step reads few rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import paddle

from workbench.targets.paddle.modules.helpers.class_names import torch_named
from workbench.targets.paddle.training.helpers.base import TorchOptimizer


@torch_named
class TorchSparseAdam(TorchOptimizer):
    """`torch.optim.SparseAdam`: rows whose gradient is zero, as of those not read, stay at rest."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:
        if not lr > 0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not eps > 0:
            raise ValueError(f"Invalid epsilon value: {eps}")
        for place, beta in enumerate(betas):
            if not 0 <= beta < 1:
                raise ValueError(f"Invalid beta parameter at index {place}: {beta}")
        defaults = {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize}
        super().__init__(params, defaults)

    def update(
        self,
        parameter: paddle.Tensor,
        grad: paddle.Tensor,
        state: dict[str, Any],
        group: dict[str, Any],
        lr: float,
    ) -> None:
        if "step" not in state:
            state["step"] = 0
            state["exp_avg"] = paddle.zeros_like(parameter).detach()
            state["exp_avg_sq"] = paddle.zeros_like(parameter).detach()
        state["step"] += 1
        read = (grad != 0).any(axis=list(range(1, grad.ndim)) or None, keepdim=True)
        share = read.astype(parameter.dtype)
        average, square = state["exp_avg"], state["exp_avg_sq"]
        beta1, beta2 = (float(beta) for beta in group["betas"])
        average.add_((grad - average) * (1 - beta1) * share)
        square.add_((grad * grad - square) * (1 - beta2) * share)
        size = lr * (1 - beta2 ** state["step"]) ** 0.5 / (1 - beta1 ** state["step"])
        parameter.subtract_(average / (square.sqrt() + group["eps"]) * size * share)
