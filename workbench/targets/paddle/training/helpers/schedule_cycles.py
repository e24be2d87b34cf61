"""Learning rate schedules with phases, of several schedules, and by a metric."""

from __future__ import annotations

import bisect
import math
import types
from collections.abc import Callable, Sequence
from typing import Any

from workbench.targets.paddle.modules.helpers.class_names import torch_named
from workbench.targets.paddle.training.helpers.schedules import TorchLRScheduler


@torch_named
class TorchReduceLROnPlateau(TorchLRScheduler):
    """`torch.optim.lr_scheduler.ReduceLROnPlateau`."""

    def __init__(
        self,
        optimizer: Any,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: Any = 0,
        eps: float = 1e-8,
    ) -> None:
        if factor >= 1 or mode not in ("min", "max") or threshold_mode not in ("rel", "abs"):
            raise ValueError(f"invalid factor, mode or threshold mode: {factor}, {mode}")
        self.factor = factor
        self.optimizer = optimizer
        self.default_min_lr = None if isinstance(min_lr, list | tuple) else min_lr
        self.min_lrs = self.per_group(min_lr)
        self.patience = patience
        self.cooldown = cooldown
        self.eps = eps
        self.last_epoch = 0
        self._last_lr = self.current()
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.mode = mode
        self.threshold = threshold
        self.threshold_mode = threshold_mode
        self._reset()

    def _reset(self) -> None:
        self.best = self.mode_worse
        self.cooldown_counter = 0
        self.num_bad_epochs = 0

    @property
    def in_cooldown(self) -> bool:
        return self.cooldown_counter > 0

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        self.num_bad_epochs += 1
        if self._is_better(float(metrics), self.best):
            self.best, self.num_bad_epochs = float(metrics), 0
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        rates = self.current()
        if self.num_bad_epochs > self.patience:
            if self.default_min_lr is not None:
                self.min_lrs = self.per_group(self.default_min_lr)
            for index, (rate, least) in enumerate(zip(rates, self.min_lrs, strict=True)):
                lower = max(float(rate) * self.factor, least)
                rates[index] = lower if float(rate) - lower > self.eps else rate
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self.set_rates(rates)

    def _is_better(self, value: float, best: float) -> bool:
        if self.threshold_mode == "rel":
            if self.mode == "min":
                return value < best * (1 - self.threshold)
            return value > best * (1 + self.threshold)
        return (
            value < best - self.threshold if self.mode == "min" else value > best + self.threshold
        )


@torch_named
class TorchCyclicLR(TorchLRScheduler):
    """`torch.optim.lr_scheduler.CyclicLR`."""

    def __init__(
        self,
        optimizer: Any,
        base_lr: Any,
        max_lr: Any,
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: Any = 0.8,
        max_momentum: Any = 0.9,
        last_epoch: int = -1,
    ) -> None:
        self.optimizer = optimizer
        base_lrs = self.per_group(base_lr)
        if last_epoch == -1:
            self.set_rates(base_lrs)
        self.max_lrs = self.per_group(max_lr)
        self.total_size = float(step_size_up) + float(step_size_down or step_size_up)
        self.step_ratio = float(step_size_up) / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom = scale_fn
        self.scale_mode = scale_mode
        if scale_fn is None:
            self.scale_mode = "iterations" if mode == "exp_range" else "cycle"
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.base_momentums = self.per_group(base_momentum)
            self.max_momentums = self.per_group(max_momentum)
            torch_start_momentum(self, last_epoch, self.base_momentums, self.max_momentums)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def scale_fn(self, x: float) -> float:
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        return {"triangular": 1.0, "triangular2": 0.5 ** (x - 1)}.get(self.mode, self.gamma**x)

    def get_lr(self) -> list[Any]:
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1 + self.last_epoch / self.total_size - cycle
        height = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        height *= self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            pairs = zip(self.base_momentums, self.max_momentums, strict=True)
            for group, (low, high) in zip(self.optimizer.param_groups, pairs, strict=True):
                torch_set_momentum(group, high - (high - low) * height)
        pairs = zip(self.base_lrs, self.max_lrs, strict=True)
        return [low + (high - low) * height for low, high in pairs]

    def state_dict(self) -> dict[str, Any]:
        state = super().state_dict()
        function = state.pop("_scale_fn_custom")
        plain = function is None or isinstance(function, types.FunctionType)
        return {**state, "_scale_fn_custom": None if plain else function.__dict__.copy()}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        rest = {key: value for key, value in state_dict.items() if key != "_scale_fn_custom"}
        super().load_state_dict(rest)
        if state_dict["_scale_fn_custom"] is not None and self._scale_fn_custom is not None:
            self._scale_fn_custom.__dict__.update(state_dict["_scale_fn_custom"])


@torch_named
class TorchOneCycleLR(TorchLRScheduler):
    """`torch.optim.lr_scheduler.OneCycleLR`."""

    def __init__(
        self,
        optimizer: Any,
        max_lr: Any,
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: Any = 0.85,
        max_momentum: Any = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        self.optimizer = optimizer
        if total_steps is None and (epochs is None or steps_per_epoch is None):
            raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', not {anneal_strategy}"
            )
        self.total_steps = total_steps or int(epochs or 0) * int(steps_per_epoch or 0)
        last = self.total_steps - 1
        up = (
            float(pct_start * self.total_steps) - 1,
            "initial_lr",
            "max_lr",
            "max_momentum",
            "base_momentum",
        )
        if three_phase:
            end = float(2 * pct_start * self.total_steps) - 2
            down = (end, "max_lr", "initial_lr", "base_momentum", "max_momentum")
            phases = [up, down, (last, "initial_lr", "min_lr", "max_momentum", "max_momentum")]
        else:
            phases = [up, (last, "max_lr", "min_lr", "base_momentum", "max_momentum")]
        keys = ("end_step", "start_lr", "end_lr", "start_momentum", "end_momentum")
        self._schedule_phases: list[dict[str, Any]] = [
            dict(zip(keys, phase, strict=True)) for phase in phases
        ]
        self._anneal_func_type = anneal_strategy
        if last_epoch == -1:
            for group, highest in zip(optimizer.param_groups, self.per_group(max_lr), strict=True):
                group["initial_lr"] = highest / div_factor
                group["max_lr"] = highest
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            low, high = self.per_group(base_momentum), self.per_group(max_momentum)
            torch_start_momentum(self, last_epoch, low, high)
        super().__init__(optimizer, last_epoch)

    def _anneal(self, start: float, end: float, part: float) -> float:
        if self._anneal_func_type == "linear":
            return (end - start) * part + start
        return end + (start - end) / 2 * (math.cos(math.pi * part) + 1)

    def get_lr(self) -> list[Any]:
        if self.last_epoch > self.total_steps:
            raise ValueError(
                f"Tried to step {self.last_epoch} times. "
                f"The specified number of total steps is {self.total_steps}"
            )
        begin = 0.0
        for phase in self._schedule_phases:
            if self.last_epoch <= phase["end_step"] or phase is self._schedule_phases[-1]:
                break
            begin = phase["end_step"]
        part = (self.last_epoch - begin) / (phase["end_step"] - begin)
        rates = []
        for group in self.optimizer.param_groups:
            rates.append(self._anneal(group[phase["start_lr"]], group[phase["end_lr"]], part))
            if self.cycle_momentum:
                start, end = group[phase["start_momentum"]], group[phase["end_momentum"]]
                torch_set_momentum(group, self._anneal(start, end, part))
        return rates


def torch_set_momentum(group: dict[str, Any], momentum: float) -> None:
    """Set a group's momentum, which Adam and its like call the first beta."""
    if "betas" in group:
        group["betas"] = (momentum, *group["betas"][1:])
    else:
        group["momentum"] = momentum


def torch_start_momentum(schedule: Any, last_epoch: int, low: list[Any], high: list[Any]) -> None:
    """Begin to cycle the momentum, from its highest value on."""
    defaults = schedule.optimizer.defaults
    if "momentum" not in defaults and "betas" not in defaults:
        raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` enabled")
    schedule.use_beta1 = "betas" in defaults
    if last_epoch == -1:
        for group, base, highest in zip(schedule.optimizer.param_groups, low, high, strict=True):
            torch_set_momentum(group, highest)
            group["max_momentum"] = highest
            group["base_momentum"] = base


@torch_named
class TorchChainedScheduler(TorchLRScheduler):
    """`torch.optim.lr_scheduler.ChainedScheduler`: every schedule steps, each after the other."""

    def __init__(self, schedulers: Sequence[Any], optimizer: Any = None) -> None:
        if not schedulers:
            raise ValueError("ChainedScheduler expects at least one scheduler to be chained")
        self._schedulers = schedulers
        self.optimizer = optimizer or schedulers[0].optimizer
        if any(schedule.optimizer is not self.optimizer for schedule in schedulers):
            raise ValueError("all schedulers must belong to the same optimizer")
        self._last_lr = self.current()

    def step(self) -> None:  # type: ignore[override]
        for schedule in self._schedulers:
            schedule.step()
        self._last_lr = self.current()

    def state_dict(self) -> dict[str, Any]:
        state = super().state_dict()
        del state["_schedulers"]
        return {**state, "_schedulers": [schedule.state_dict() for schedule in self._schedulers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        rest = {key: value for key, value in state_dict.items() if key != "_schedulers"}
        self.__dict__.update(rest)
        for schedule, saved in zip(self._schedulers, state_dict["_schedulers"], strict=True):
            schedule.load_state_dict(saved)


@torch_named
class TorchSequentialLR(TorchChainedScheduler):
    """`torch.optim.lr_scheduler.SequentialLR`: a milestone hands over to the next schedule."""

    def __init__(
        self, optimizer: Any, schedulers: list[Any], milestones: list[int], last_epoch: int = -1
    ) -> None:
        if not schedulers or len(milestones) != len(schedulers) - 1:
            raise ValueError("SequentialLR expects one scheduler more than milestones")
        if any(schedule.optimizer is not optimizer for schedule in schedulers):
            raise ValueError("all schedulers must belong to the same optimizer")
        self._schedulers = schedulers
        self._milestones = milestones
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        # Each schedule has set its own first rate: go back, and begin with the first one alone.
        self.set_rates([group["initial_lr"] for group in optimizer.param_groups])
        self.recursive_undo()
        first = schedulers[bisect.bisect_right(milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def recursive_undo(self, sched: Any = None) -> None:
        schedule = self if sched is None else sched
        if hasattr(schedule, "_schedulers"):
            for inner in schedule._schedulers:
                self.recursive_undo(inner)
        elif hasattr(schedule, "last_epoch"):
            schedule.last_epoch -= 1

    def step(self) -> None:  # type: ignore[override]
        self.last_epoch += 1
        index = bisect.bisect_right(self._milestones, self.last_epoch)
        schedule = self._schedulers[index]
        if index > 0 and self._milestones[index - 1] == self.last_epoch:
            schedule._update_lr(0)
        else:
            schedule.step()
        self._last_lr = schedule.get_last_lr()


@torch_named
class TorchSWALR(TorchLRScheduler):
    """`torch.optim.swa_utils.SWALR`: anneals to one rate and stays there."""

    def __init__(
        self,
        optimizer: Any,
        swa_lr: Any,
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        self.optimizer = optimizer
        for group, rate in zip(optimizer.param_groups, self.per_group(swa_lr), strict=True):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', not {anneal_strategy}"
            )
        self._anneal_strategy = anneal_strategy
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _part(self, step: int) -> float:
        part = max(0, min(1, step / max(1, self.anneal_epochs)))
        return part if self._anneal_strategy == "linear" else (1 - math.cos(math.pi * part)) / 2

    def get_lr(self) -> list[Any]:
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = self._part(step - 1), self._part(step)
        rates = []
        for group in self.optimizer.param_groups:
            target = group["swa_lr"]
            start = target if before == 1 else (group["lr"] - before * target) / (1 - before)
            rates.append(target * now + start * (1 - now))
        return rates
