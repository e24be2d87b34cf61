"""Adafactor and Muon with torch's arithmetic."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import paddle

from workbench.targets.paddle.modules.helpers.class_names import torch_named
from workbench.targets.paddle.training.helpers.base import TorchOptimizer


@torch_named
class TorchAdafactor(TorchOptimizer):
    """`torch.optim.Adafactor`: second moments of matrices are kept as a row and a column."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "beta2_decay": beta2_decay,
            "eps": eps,
            "d": d,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def update(
        self,
        parameter: paddle.Tensor,
        grad: paddle.Tensor,
        state: dict[str, Any],
        group: dict[str, Any],
        lr: float,
    ) -> None:
        step = self.count_step(state)
        matrix = grad.ndim > 1
        if len(state) == 1:
            if matrix:
                state["row_var"] = paddle.zeros_like(grad[..., :1]).detach()
                state["col_var"] = paddle.zeros_like(grad[..., :1, :]).detach()
            else:
                state["variance"] = paddle.zeros_like(grad).detach()
        eps1, eps2 = group["eps"]
        eps1 = paddle.finfo(parameter.dtype).eps if eps1 is None else eps1
        keep = step ** group["beta2_decay"]
        size = max(eps2, float(parameter.norm()) / math.sqrt(parameter.size))
        rate = size * min(lr, 1 / math.sqrt(step))
        if group["weight_decay"] != 0:
            parameter.scale_(1 - lr * group["weight_decay"])
        if matrix:
            row = grad.norm(axis=-1, keepdim=True).square() / grad.shape[-1]
            column = grad.norm(axis=-2, keepdim=True).square() / grad.shape[-2]
            state["row_var"].add_((row - state["row_var"]) * keep)
            state["col_var"].add_((column - state["col_var"]) * keep)
            variance = paddle.matmul(state["row_var"], state["col_var"])
            mean = state["row_var"].mean(axis=-2, keepdim=True)
            variance = variance / paddle.clip(mean, min=eps1)
        else:
            state["variance"].add_((grad * grad - state["variance"]) * keep)
            variance = state["variance"]
        change = paddle.clip(variance, min=eps1 * eps1).rsqrt() * grad
        length = float(change.norm()) / (math.sqrt(change.size) * group["d"])
        parameter.subtract_(change * (rate / max(1.0, length)))


def torch_bfloat16(tensor: paddle.Tensor) -> paddle.Tensor:
    """Values rounded to bfloat16, in which Paddle has no matrix product on a CPU."""
    return tensor.astype("bfloat16").astype("float32")


@torch_named
class TorchMuon(TorchOptimizer):
    """`torch.optim.Muon`: momentum made orthogonal by Newton-Schulz steps in bfloat16."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.775, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        defaults = {
            "lr": lr,
            "weight_decay": weight_decay,
            "momentum": momentum,
            "nesterov": nesterov,
            "ns_coefficients": ns_coefficients,
            "eps": eps,
            "ns_steps": ns_steps,
            "adjust_lr_fn": adjust_lr_fn,
        }
        super().__init__(params, defaults)
        if any(parameter.ndim != 2 for g in self.param_groups for parameter in g["params"]):
            raise ValueError("Muon only supports 2D parameters")

    def update(
        self,
        parameter: paddle.Tensor,
        grad: paddle.Tensor,
        state: dict[str, Any],
        group: dict[str, Any],
        lr: float,
    ) -> None:
        velocity = state.setdefault("momentum_buffer", paddle.zeros_like(grad).detach())
        velocity.add_((grad - velocity) * (1 - group["momentum"]))
        change = velocity
        if group["nesterov"]:
            change = grad + (velocity - grad) * group["momentum"]
        rows, columns = parameter.shape
        ratio = math.sqrt(max(1, rows / columns))
        if group["adjust_lr_fn"] == "match_rms_adamw":
            ratio = 0.2 * math.sqrt(max(rows, columns))
        matrix = torch_bfloat16(change.T if rows > columns else change)
        matrix = torch_bfloat16(
            matrix / paddle.clip(torch_bfloat16(matrix.norm()), min=group["eps"])
        )
        a, b, c = group["ns_coefficients"]
        for _ in range(group["ns_steps"]):
            gram = torch_bfloat16(paddle.matmul(matrix, matrix, transpose_y=True))
            gram = torch_bfloat16(gram * b + paddle.matmul(gram, gram) * c)
            matrix = torch_bfloat16(matrix * a + paddle.matmul(gram, matrix))
        matrix = matrix.T if rows > columns else matrix
        parameter.scale_(1 - lr * group["weight_decay"])
        parameter.subtract_(matrix.astype(parameter.dtype) * (lr * ratio))
