"""Learning rate schedules that set `param_groups`, as torch's do; Paddle's replace the rate."""

# ruff: noqa: N803 (torch's names of arguments)

from __future__ import annotations

import bisect
import collections
import math
import types
from collections.abc import Iterable
from typing import Any

import paddle

from workbench.targets.paddle.modules.helpers.class_names import torch_named


@torch_named
class TorchLRScheduler:
    """`torch.optim.lr_scheduler.LRScheduler`: `get_lr` says the rates at `last_epoch`."""

    def __init__(self, optimizer: Any, last_epoch: int = -1) -> None:
        self.optimizer = optimizer
        for group in optimizer.param_groups:
            if last_epoch == -1:
                group.setdefault("initial_lr", self.copied(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError("param 'initial_lr' is not specified in param_groups")
        self.base_lrs = [self.copied(group["initial_lr"]) for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._initial_step()

    def _initial_step(self) -> None:
        self._step_count = 0
        self._is_initial = True
        self.step()
        self._is_initial = False

    def step(self, epoch: int | None = None) -> None:
        self._step_count += 1
        self._update_lr(epoch)

    def _update_lr(self, epoch: int | None = None) -> None:
        closed_form = getattr(self, "_get_closed_form_lr", self.get_lr)
        self._get_lr_called_within_step = False  # a part of torch's state dicts
        if epoch is None:
            self.last_epoch += 1
            self.set_rates(self.get_lr())
        else:
            self.last_epoch = epoch
            self.set_rates(closed_form())

    def set_rates(self, rates: list[Any]) -> None:
        """Write the rates into the groups; one that is a tensor keeps its identity."""
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            if isinstance(group["lr"], paddle.Tensor):
                group["lr"].fill_(float(rate))
            else:
                group["lr"] = rate
        self._last_lr = self.current()

    def current(self) -> list[Any]:
        """The rates as they stand in the groups."""
        return [self.copied(group["lr"]) for group in self.optimizer.param_groups]

    @staticmethod
    def copied(rate: Any) -> Any:
        return rate.clone() if isinstance(rate, paddle.Tensor) else rate

    def scaled(self, factor: float) -> list[Any]:
        """The rates as they stand, times a factor."""
        return [group["lr"] * factor for group in self.optimizer.param_groups]

    def per_group(self, value: Any) -> list[Any]:
        """One value for each group, of one or of as many as there are groups."""
        if not isinstance(value, list | tuple):
            return [value] * len(self.optimizer.param_groups)
        if len(value) != len(self.optimizer.param_groups):
            raise ValueError(f"expected {len(self.optimizer.param_groups)} values, got {value}")
        return list(value)

    def get_lr(self) -> list[Any]:
        raise NotImplementedError

    def get_last_lr(self) -> list[Any]:
        return self._last_lr

    def state_dict(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self.__dict__.update(state_dict)


@torch_named
class TorchLambdaLR(TorchLRScheduler):
    """`torch.optim.lr_scheduler.LambdaLR`."""

    def __init__(self, optimizer: Any, lr_lambda: Any, last_epoch: int = -1) -> None:
        self.optimizer = optimizer
        self.lr_lambdas = self.per_group(lr_lambda)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        pairs = zip(self.lr_lambdas, self.base_lrs, strict=True)
        return [base * function(self.last_epoch) for function, base in pairs]

    def state_dict(self) -> dict[str, Any]:
        """Functions are left out; of other callables, their attributes are kept."""
        state = super().state_dict()
        del state["lr_lambdas"]
        state["lr_lambdas"] = [
            None if isinstance(function, types.FunctionType) else function.__dict__.copy()
            for function in self.lr_lambdas
        ]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        rest = {key: value for key, value in state_dict.items() if key != "lr_lambdas"}
        self.__dict__.update(rest)
        for function, saved in zip(self.lr_lambdas, state_dict["lr_lambdas"], strict=True):
            if saved is not None:
                function.__dict__.update(saved)


@torch_named
class TorchMultiplicativeLR(TorchLambdaLR):
    """`torch.optim.lr_scheduler.MultiplicativeLR`."""

    def get_lr(self) -> list[Any]:
        if self._is_initial:
            return self.current()
        pairs = zip(self.lr_lambdas, self.optimizer.param_groups, strict=True)
        return [group["lr"] * function(self.last_epoch) for function, group in pairs]


@torch_named
class TorchStepLR(TorchLRScheduler):
    """`torch.optim.lr_scheduler.StepLR`."""

    def __init__(
        self, optimizer: Any, step_size: int, gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        if self.last_epoch == 0 or self.last_epoch % self.step_size != 0:
            return self.current()
        return self.scaled(self.gamma)

    def _get_closed_form_lr(self) -> list[Any]:
        return [rate * self.gamma ** (self.last_epoch // self.step_size) for rate in self.base_lrs]


@torch_named
class TorchMultiStepLR(TorchLRScheduler):
    """`torch.optim.lr_scheduler.MultiStepLR`."""

    def __init__(
        self, optimizer: Any, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones = collections.Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        if self.last_epoch not in self.milestones:
            return self.current()
        return self.scaled(self.gamma ** self.milestones[self.last_epoch])

    def _get_closed_form_lr(self) -> list[Any]:
        passed = bisect.bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [rate * self.gamma**passed for rate in self.base_lrs]


@torch_named
class TorchConstantLR(TorchLRScheduler):
    """`torch.optim.lr_scheduler.ConstantLR`."""

    def __init__(
        self, optimizer: Any, factor: float = 1 / 3, total_iters: int = 5, last_epoch: int = -1
    ) -> None:
        if not 0 <= factor <= 1:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        if self.last_epoch == 0:
            return self.scaled(self.factor)
        if self.last_epoch != self.total_iters:
            return self.current()
        return self.scaled(1 / self.factor)

    def _get_closed_form_lr(self) -> list[Any]:
        over = self.last_epoch >= self.total_iters
        return [rate * (self.factor + over * (1 - self.factor)) for rate in self.base_lrs]


@torch_named
class TorchLinearLR(TorchLRScheduler):
    """`torch.optim.lr_scheduler.LinearLR`."""

    def __init__(
        self,
        optimizer: Any,
        start_factor: float = 1 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if not 0 < start_factor <= 1 or not 0 <= end_factor <= 1:
            raise ValueError("multiplicative factors expected to be between 0 and 1")
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        if self.last_epoch == 0:
            return self.scaled(self.start_factor)
        if self._is_initial or self.last_epoch > self.total_iters:
            return self.current()
        rise = self.end_factor - self.start_factor
        before = self.total_iters * self.start_factor + (self.last_epoch - 1) * rise
        return self.scaled(1 + rise / before)

    def _get_closed_form_lr(self) -> list[Any]:
        rise = (self.end_factor - self.start_factor) / self.total_iters
        done = min(self.total_iters, self.last_epoch)
        return [rate * (self.start_factor + rise * done) for rate in self.base_lrs]


@torch_named
class TorchExponentialLR(TorchLRScheduler):
    """`torch.optim.lr_scheduler.ExponentialLR`."""

    def __init__(self, optimizer: Any, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        return self.current() if self._is_initial else self.scaled(self.gamma)

    def _get_closed_form_lr(self) -> list[Any]:
        return [rate * self.gamma**self.last_epoch for rate in self.base_lrs]


@torch_named
class TorchPolynomialLR(TorchLRScheduler):
    """`torch.optim.lr_scheduler.PolynomialLR`."""

    def __init__(
        self, optimizer: Any, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1
    ) -> None:
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        if self._is_initial or self.last_epoch > self.total_iters:
            return self.current()
        left = 1 - self.last_epoch / self.total_iters
        before = 1 - (self.last_epoch - 1) / self.total_iters
        return self.scaled((left / before) ** self.power)

    def _get_closed_form_lr(self) -> list[Any]:
        left = 1 - min(self.total_iters, self.last_epoch) / self.total_iters
        return [rate * left**self.power for rate in self.base_lrs]


@torch_named
class TorchCosineAnnealingLR(TorchLRScheduler):
    """`torch.optim.lr_scheduler.CosineAnnealingLR`: each rate follows from the one before."""

    def __init__(
        self, optimizer: Any, T_max: int, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        if self._is_initial:
            return self.current()
        if self._step_count == 1 and self.last_epoch > 0:
            return self._get_closed_form_lr()
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:
            jump = (1 - math.cos(math.pi / self.T_max)) / 2
            pairs = zip(self.base_lrs, self.optimizer.param_groups, strict=True)
            return [group["lr"] + (base - self.eta_min) * jump for base, group in pairs]
        now = 1 + math.cos(math.pi * self.last_epoch / self.T_max)
        before = 1 + math.cos(math.pi * (self.last_epoch - 1) / self.T_max)
        groups = self.optimizer.param_groups
        return [now / before * (group["lr"] - self.eta_min) + self.eta_min for group in groups]

    def _get_closed_form_lr(self) -> list[Any]:
        height = (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2
        return [self.eta_min + (rate - self.eta_min) * height for rate in self.base_lrs]


@torch_named
class TorchCosineAnnealingWarmRestarts(TorchLRScheduler):
    """`torch.optim.lr_scheduler.CosineAnnealingWarmRestarts`."""

    def __init__(
        self,
        optimizer: Any,
        T_0: int,
        T_mult: int = 1,
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        if T_0 <= 0 or T_mult < 1:
            raise ValueError(f"Expected positive integers T_0 and T_mult, got {T_0}, {T_mult}")
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        height = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (rate - self.eta_min) * height for rate in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur -= self.T_i
                self.T_i *= self.T_mult
        elif epoch < self.T_0:
            self.T_i, self.T_cur = self.T_0, epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            restarts = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            begin = self.T_0 * (self.T_mult**restarts - 1) / (self.T_mult - 1)
            self.T_cur, self.T_i = epoch - begin, self.T_0 * self.T_mult**restarts
        self.last_epoch = math.floor(epoch)
        self._get_lr_called_within_step = False
        self.set_rates(self.get_lr())
