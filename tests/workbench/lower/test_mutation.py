"""What a model changes in place is changed, and what it copied before stays as it was."""

from __future__ import annotations

from typing import Any

import paddle
import torch
from torch import nn

from workbench.capture import capture
from workbench.lower import lower


def pd(tensor: torch.Tensor) -> Any:
    return paddle.from_dlpack(tensor.detach().clone())


def test_inputs_changed_in_place() -> None:
    def shift(x: torch.Tensor) -> torch.Tensor:
        before = x.clone()
        x.add_(1)
        return before

    layer = lower(capture(shift, torch.zeros(3))).load()
    given = paddle.zeros([3])
    assert layer(given).tolist() == [0, 0, 0]
    assert given.tolist() == [1, 1, 1]


class Memory(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("last", torch.zeros(2))
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        old = self.last.to(torch.float32, copy=True)
        self.last.copy_(x)
        self.calls += 1
        return old, self.calls * 1


def test_buffers_keep_what_the_last_call_left() -> None:
    model = Memory().eval()
    layer = lower(capture(model, torch.ones(2))).load()
    for i in range(1, 4):
        x = torch.full((2,), float(i))
        for ours, theirs in zip(layer(pd(x)), model(x), strict=True):
            assert ours.tolist() == theirs.tolist()
    assert layer.last.tolist() == [3, 3]
    assert layer.calls.item() == 3


def test_a_module_that_shares_weights_does_not_change_them_behind_torchs_back() -> None:
    model = Memory().eval()
    layer = lower(capture(model, torch.ones(2))).load(share=True)
    layer(paddle.ones([2]))
    assert model.last.tolist() == [0, 0]
