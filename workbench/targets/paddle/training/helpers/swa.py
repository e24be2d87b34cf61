"""Averages of a model's weights over training."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from typing import Any

import paddle

from workbench.targets.paddle.layers.helpers.norm import TorchBatchNorm
from workbench.targets.paddle.modules.helpers.class_names import torch_named


@torch_named
class TorchAveragedModel(paddle.nn.Layer):
    """`torch.optim.swa_utils.AveragedModel`: a copy of a model that follows it on average."""

    def __init__(
        self,
        model: paddle.nn.Layer,
        device: Any = None,
        avg_fn: Callable[..., Any] | None = None,
        multi_avg_fn: Callable[..., Any] | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = copy.deepcopy(model)
        self.register_buffer("n_averaged", paddle.to_tensor(0, dtype="int64"))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers
        if device is not None:
            self.to(device)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.module(*args, **kwargs)

    @paddle.no_grad()
    def update_parameters(self, model: paddle.nn.Layer) -> None:
        mine, theirs = list(self.module.parameters()), list(model.parameters())
        buffers = list(zip(self.module.buffers(), model.buffers(), strict=True))
        if self.use_buffers:
            mine += [buffer for buffer, _ in buffers]
            theirs += [buffer for _, buffer in buffers]
        else:
            for old, new in buffers:
                paddle.assign(new, old)
        if int(self.n_averaged) == 0:
            for old, new in zip(mine, theirs, strict=True):
                paddle.assign(new, old)
        elif self.multi_avg_fn is not None:
            self.multi_avg_fn(mine, theirs, self.n_averaged)
        else:
            average = self.avg_fn or torch_swa_average()
            for old, new in zip(mine, theirs, strict=True):
                mixed = average(old.detach(), new.detach(), self.n_averaged)
                paddle.assign(mixed.astype(old.dtype), old)
        paddle.increment(self.n_averaged)


def torch_swa_average() -> Callable[..., Any]:
    """`get_swa_avg_fn`: the mean of all weights so far."""

    def average(averaged: Any, current: Any, count: Any) -> Any:
        return averaged + (current - averaged) / (float(count) + 1)

    return average


def torch_ema_average(decay: float = 0.999) -> Callable[..., Any]:
    """`get_ema_avg_fn`: an exponential moving average."""
    if not 0 <= decay <= 1:
        raise ValueError(f"Invalid decay value {decay}; it should be in the range from 0 to 1.")

    def average(averaged: Any, current: Any, count: Any) -> Any:
        return averaged * decay + current * (1 - decay)

    return average


def torch_average_all(average: Callable[..., Any]) -> Callable[..., Any]:
    """An average over whole lists of tensors, in place, made of one over two tensors."""

    @paddle.no_grad()
    def average_all(averaged: list[Any], current: list[Any], count: Any) -> None:
        for old, new in zip(averaged, current, strict=True):
            paddle.assign(average(old.detach(), new.detach(), count).astype(old.dtype), old)

    return average_all


@paddle.no_grad()
def torch_update_bn(loader: Iterable[Any], model: paddle.nn.Layer, device: Any = None) -> None:
    """`torch.optim.swa_utils.update_bn`: statistics of the batches, each with the same weight."""
    norms = [m for m in model.sublayers(include_self=True) if isinstance(m, TorchBatchNorm)]
    if not norms:
        return
    kept = [layer.momentum for layer in norms]
    for layer in norms:
        layer.reset_running_stats()
        layer.momentum = None
    was_training = model.training
    model.train()
    for batch in loader:
        batch = batch[0] if isinstance(batch, list | tuple) else batch
        model(batch if device is None else batch.to(device))
    for layer, momentum in zip(norms, kept, strict=True):
        layer.momentum = momentum
    if not was_training:
        model.eval()
