"""RMSprop, Adagrad, Adadelta, ASGD and Rprop with torch's arithmetic."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import paddle

from workbench.targets.paddle.modules.helpers.class_names import torch_named
from workbench.targets.paddle.training.helpers.base import TorchOptimizer


@torch_named
class TorchRMSprop(TorchOptimizer):
    """`torch.optim.RMSprop`: epsilon is added to the root, not under it."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "alpha": alpha,
            "eps": eps,
            "centered": centered,
            "weight_decay": weight_decay,
            "capturable": capturable,
            "foreach": foreach,
            "maximize": maximize,
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
        self.count_step(state)
        if "square_avg" not in state:
            state["square_avg"] = paddle.zeros_like(parameter).detach()
            if group["momentum"] > 0:
                state["momentum_buffer"] = paddle.zeros_like(parameter).detach()
            if group["centered"]:
                state["grad_avg"] = paddle.zeros_like(parameter).detach()
        alpha = group["alpha"]
        if group["weight_decay"] != 0:
            grad = grad + parameter * group["weight_decay"]
        square = state["square_avg"]
        square.scale_(alpha).add_(grad * grad * (1 - alpha))
        if group["centered"]:
            mean = state["grad_avg"]
            mean.add_((grad - mean) * (1 - alpha))
            square = square - mean * mean
        change = grad / (square.sqrt() + group["eps"])
        if group["momentum"] > 0:
            change = state["momentum_buffer"].scale_(group["momentum"]).add_(change)
        parameter.subtract_(change * lr)


@torch_named
class TorchAdagrad(TorchOptimizer):
    """`torch.optim.Adagrad`."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        defaults = {
            "lr": lr,
            "lr_decay": lr_decay,
            "eps": eps,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)
        for group in self.param_groups:
            for parameter in group["params"]:
                start = paddle.full_like(parameter, initial_accumulator_value).detach()
                step = paddle.to_tensor(0.0, dtype="float32", place=paddle.CPUPlace())
                self.state[parameter] = {"step": step, "sum": start}

    def share_memory(self) -> None:
        """torch shares the state between processes here; Paddle's processes have their own."""

    def update(
        self,
        parameter: paddle.Tensor,
        grad: paddle.Tensor,
        state: dict[str, Any],
        group: dict[str, Any],
        lr: float,
    ) -> None:
        step = self.count_step(state)
        if group["weight_decay"] != 0:
            grad = grad + parameter * group["weight_decay"]
        squares = state["sum"]
        if squares.is_complex():
            squares = state["sum"] = paddle.as_real(squares)
        squares.add_(grad * grad)
        rate = lr / (1 + (step - 1) * group["lr_decay"])
        parameter.subtract_(grad / (squares.sqrt() + group["eps"]) * rate)


@torch_named
class TorchAdadelta(TorchOptimizer):
    """`torch.optim.Adadelta`."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "rho": rho,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "capturable": capturable,
            "foreach": foreach,
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
        self.count_step(state)
        if "square_avg" not in state:
            state["square_avg"] = paddle.zeros_like(parameter).detach()
            state["acc_delta"] = paddle.zeros_like(parameter).detach()
        rho, eps = group["rho"], group["eps"]
        if group["weight_decay"] != 0:
            grad = grad + parameter * group["weight_decay"]
        square, changes = state["square_avg"], state["acc_delta"]
        square.scale_(rho).add_(grad * grad * (1 - rho))
        change = (changes + eps).sqrt() / (square + eps).sqrt() * grad
        changes.scale_(rho).add_(change * change * (1 - rho))
        parameter.subtract_(change * lr)


@torch_named
class TorchASGD(TorchOptimizer):
    """`torch.optim.ASGD`."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "lambd": lambd,
            "alpha": alpha,
            "t0": t0,
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
        if "ax" not in state:
            state["eta"] = paddle.to_tensor(lr, dtype="float32", place=paddle.CPUPlace())
            state["mu"] = paddle.to_tensor(1.0, dtype="float32", place=paddle.CPUPlace())
            state["ax"] = paddle.zeros_like(parameter).detach()
        if group["weight_decay"] != 0:
            grad = grad + parameter * group["weight_decay"]
        eta, mu = float(state["eta"]), float(state["mu"])
        parameter.scale_(1 - group["lambd"] * eta).subtract_(grad * eta)
        state["ax"].add_((parameter - state["ax"]) * mu)
        eta = lr / (1 + group["lambd"] * lr * step) ** group["alpha"]
        state["eta"].fill_(eta)
        state["mu"].fill_(1 / max(1, step - group["t0"]))


@torch_named
class TorchRprop(TorchOptimizer):
    """`torch.optim.Rprop`."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "etas": etas,
            "step_sizes": step_sizes,
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
        self.count_step(state)
        if "prev" not in state:
            state["prev"] = paddle.zeros_like(parameter).detach()
            state["step_size"] = paddle.full_like(grad, lr).detach()
        less, more = group["etas"]
        turn = grad * state["prev"]
        ones = paddle.ones_like(turn)
        factor = paddle.where(turn > 0, ones * more, paddle.where(turn < 0, ones * less, ones))
        sizes = paddle.clip(state["step_size"] * factor, *group["step_sizes"])
        grad = paddle.where(turn < 0, paddle.zeros_like(grad), grad)
        parameter.subtract_(grad.sign() * sizes)
        paddle.assign(grad, state["prev"])
        paddle.assign(sizes, state["step_size"])
