"""Adam and its relatives with torch's arithmetic: epsilon outside the bias-corrected root."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import paddle

from workbench.targets.paddle.modules.helpers.class_names import torch_named
from workbench.targets.paddle.training.helpers.base import TorchOptimizer


@torch_named
class TorchAdam(TorchOptimizer):
    """`torch.optim.Adam`."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        if not all(0 <= beta < 1 for beta in betas):
            raise ValueError(f"Invalid beta parameter: {betas}")
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
            "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
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
        if "exp_avg" not in state:
            state["exp_avg"] = paddle.zeros_like(parameter).detach()
            state["exp_avg_sq"] = paddle.zeros_like(parameter).detach()
            if group["amsgrad"]:
                state["max_exp_avg_sq"] = paddle.zeros_like(parameter).detach()
        beta1, beta2 = (float(beta) for beta in group["betas"])
        if group["weight_decay"] != 0 and group["decoupled_weight_decay"]:
            parameter.scale_(1 - lr * group["weight_decay"])
        elif group["weight_decay"] != 0:
            grad = grad + parameter * group["weight_decay"]
        average, square = state["exp_avg"], state["exp_avg_sq"]
        average.add_((grad - average) * (1 - beta1))
        square.scale_(beta2).add_(grad * grad * (1 - beta2))
        if group["amsgrad"]:
            square = paddle.maximum(state["max_exp_avg_sq"], square)
            highest = state["max_exp_avg_sq"]
            square = paddle.assign(paddle.maximum(highest, square), highest)
        root = square.sqrt() / (1 - beta2**step) ** 0.5 + group["eps"]
        parameter.subtract_(average / root * (lr / (1 - beta1**step)))


@torch_named
class TorchAdamW(TorchAdam):
    """`torch.optim.AdamW`: Adam whose decay acts on the parameter itself, not on the gradient."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        **flags: Any,
    ) -> None:
        super().__init__(
            params, lr, betas, eps, weight_decay, amsgrad, decoupled_weight_decay=True, **flags
        )


@torch_named
class TorchAdamax(TorchOptimizer):
    """`torch.optim.Adamax`."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
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
        if "exp_avg" not in state:
            state["exp_avg"] = paddle.zeros_like(parameter).detach()
            state["exp_inf"] = paddle.zeros_like(parameter).detach()
        beta1, beta2 = group["betas"]
        if group["weight_decay"] != 0:
            grad = grad + parameter * group["weight_decay"]
        average = state["exp_avg"]
        average.add_((grad - average) * (1 - beta1))
        norm = state["exp_inf"]
        paddle.assign(paddle.maximum(norm * beta2, grad.abs() + group["eps"]), norm)
        parameter.subtract_(average / norm * (lr / (1 - beta1**step)))


@torch_named
class TorchNAdam(TorchOptimizer):
    """`torch.optim.NAdam`."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
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
        if "exp_avg" not in state:
            state["mu_product"] = paddle.to_tensor(1.0, place=paddle.CPUPlace())
            state["exp_avg"] = paddle.zeros_like(parameter).detach()
            state["exp_avg_sq"] = paddle.zeros_like(parameter).detach()
        beta1, beta2 = group["betas"]
        if group["weight_decay"] != 0 and group["decoupled_weight_decay"]:
            parameter.scale_(1 - lr * group["weight_decay"])
        elif group["weight_decay"] != 0:
            grad = grad + parameter * group["weight_decay"]
        mu = beta1 * (1 - 0.5 * 0.96 ** (step * group["momentum_decay"]))
        following = beta1 * (1 - 0.5 * 0.96 ** ((step + 1) * group["momentum_decay"]))
        paddle.assign(state["mu_product"] * mu, state["mu_product"])
        product = float(state["mu_product"])
        average, square = state["exp_avg"], state["exp_avg_sq"]
        average.add_((grad - average) * (1 - beta1))
        square.scale_(beta2).add_(grad * grad * (1 - beta2))
        root = (square / (1 - beta2**step)).sqrt() + group["eps"]
        parameter.subtract_(grad / root * (lr * (1 - mu) / (1 - product)))
        parameter.subtract_(average / root * (lr * following / (1 - product * following)))


@torch_named
class TorchRAdam(TorchOptimizer):
    """`torch.optim.RAdam`."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
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
        if "exp_avg" not in state:
            state["exp_avg"] = paddle.zeros_like(parameter).detach()
            state["exp_avg_sq"] = paddle.zeros_like(parameter).detach()
        beta1, beta2 = group["betas"]
        if group["weight_decay"] != 0 and group["decoupled_weight_decay"]:
            parameter.scale_(1 - lr * group["weight_decay"])
        elif group["weight_decay"] != 0:
            grad = grad + parameter * group["weight_decay"]
        average, square = state["exp_avg"], state["exp_avg_sq"]
        average.add_((grad - average) * (1 - beta1))
        square.scale_(beta2).add_(grad * grad * (1 - beta2))
        change = average / (1 - beta1**step) * lr
        longest = 2 / (1 - beta2) - 1
        length = longest - 2 * step * beta2**step / (1 - beta2**step)
        if length > 5:
            rectified = (length - 4) * (length - 2) * longest
            rectified /= (longest - 4) * (longest - 2) * length
            adaptive = (1 - beta2**step) ** 0.5 / (square.sqrt() + group["eps"])
            change = change * adaptive * rectified**0.5
        parameter.subtract_(change)
