"""What plain training code needs where one expression has to do what Paddle does in two."""

from __future__ import annotations

import bisect
from typing import Any

import paddle

from workbench.targets.paddle.training.helpers.base import torch_clear_grad


def torch_scheduled(optimizer: Any, schedule: Any) -> Any:
    """The schedule, which sets the optimizer's rate from now on."""
    optimizer.set_lr_scheduler(schedule)
    return schedule


def torch_groups(groups: Any, rate: float) -> list[Any]:
    """Parameters, or groups of them; a group's rate is a factor of the optimizer's in Paddle."""
    found = []
    for group in groups:
        if isinstance(group, dict):
            held = group["params"]
            group = {**group, "params": [held] if isinstance(held, paddle.Tensor) else list(held)}
            for one in group["params"]:
                if not hasattr(one, "optimize_attr"):  # a tensor that is no parameter
                    one.optimize_attr = {"learning_rate": 1.0}
            if "lr" in group:
                group["learning_rate"] = group.pop("lr") / rate
        found.append(group)
    return found


def torch_optimizer_zero_grad(optimizer: Any, set_to_none: bool = True) -> None:
    """`Optimizer.zero_grad`: references keep a gradient's values, which Paddle would clear."""
    for group in optimizer._param_groups:
        for parameter in group["params"] if isinstance(group, dict) else [group]:
            if parameter.grad is not None:
                torch_clear_grad(parameter, set_to_none)


class TorchSequence(paddle.optimizer.lr.LRScheduler):
    """One schedule of Paddle's after another, each from its milestone on."""

    def __init__(self, schedules: list[Any], milestones: list[int]) -> None:
        self.schedules, self.starts = schedules, [0, *milestones]
        super().__init__(schedules[0].base_lr)

    def get_lr(self) -> float:
        now = bisect.bisect_right(self.starts, self.last_epoch) - 1
        if self.last_epoch > self.starts[now]:
            self.schedules[now].step()
        return self.schedules[now].last_lr

    def state_dict(self) -> dict[str, Any]:
        return {**super().state_dict(), "schedules": [one.state_dict() for one in self.schedules]}

    def set_state_dict(self, state: dict[str, Any]) -> None:
        parts = state["schedules"]
        super().set_state_dict({key: state[key] for key in state if key != "schedules"})
        for one, part in zip(self.schedules, parts, strict=True):
            one.set_state_dict(part)


def torch_loader(
    dataset: Any,
    batch_size: int | None = 1,
    shuffle: bool | None = False,
    sampler: Any = None,
    batch_sampler: Any = None,
    num_workers: int = 0,
    collate_fn: Any = None,
    pin_memory: bool = False,
    drop_last: bool = False,
    **options: Any,
) -> paddle.io.DataLoader:
    """`paddle.io.DataLoader` of torch's arguments; memory is never pinned."""
    options |= {"num_workers": num_workers, "collate_fn": collate_fn}
    options["use_shared_memory"] = False  # with it workers die or wait where they read tensors
    for name in ("pin_memory_device", "in_order", "multiprocessing_context"):
        options.pop(name, None)
    if sampler is not None:
        batch_sampler = paddle.io.BatchSampler(
            sampler=sampler, batch_size=batch_size, drop_last=drop_last
        )
    if batch_sampler is not None:
        return paddle.io.DataLoader(dataset, batch_sampler=batch_sampler, **options)
    return paddle.io.DataLoader(
        dataset, batch_size=batch_size, shuffle=bool(shuffle), drop_last=drop_last, **options
    )
