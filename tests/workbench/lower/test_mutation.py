"""In-place changes of a model apply, and earlier copies keep their values."""

from __future__ import annotations

from typing import Any

import paddle
import pytest
import torch
from torch import nn

from workbench.capture import capture
from workbench.lower import LowerError, lower


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


class Codebook(nn.Module):
    """A weight that no optimizer moves: `forward` does."""

    def __init__(self) -> None:
        super().__init__()
        self.codes = nn.Parameter(torch.ones(2), requires_grad=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x * self.codes.sum()
        with torch.no_grad():
            self.codes.copy_(0.5 * self.codes + x)
        return y


@pytest.mark.one_in(2)
@pytest.mark.parametrize("target", ["paddle", "jax"])
def test_a_frozen_parameter_keeps_what_the_last_call_left(target: str) -> None:
    if target == "jax":
        pytest.importorskip("flax")
    model = Codebook()
    lowered = lower(capture(model, torch.ones(2)), target=target)
    module, move = lowered.load(), lowered.backend.from_torch
    for i in range(3):
        x = torch.full((2,), float(i))
        assert lowered.backend.to_torch(module(move(x))).tolist() == model(x).tolist()
    assert lowered.backend.to_torch(module.codes).tolist() == model.codes.tolist()


class Clipped(nn.Module):
    """A weight that learns, written into before it is read."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.tensor([0.3, 3.0]))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            self.weight.mul_(1.7)
            self.weight.clamp_(-1, 1)
        return (x * self.weight).exp()


@pytest.mark.one_in(2)
@pytest.mark.parametrize("target", ["paddle", "jax"])
def test_a_parameter_that_is_written_into_has_its_gradients(target: str) -> None:
    nnx = pytest.importorskip("flax.nnx") if target == "jax" else None
    model, x = Clipped(), torch.tensor([0.5, 2.0])
    lowered = lower(capture(model, x), target=target)
    module, given = lowered.load(), lowered.backend.from_torch(x)
    model(x).sum().backward()
    if nnx is None:
        module(given).sum().backward()
        found = module.weight.grad
    else:
        found = nnx.grad(lambda module: module(given).sum())(module).weight
    torch.testing.assert_close(lowered.backend.to_torch(found), model.weight.grad)
    assert lowered.backend.to_torch(module.weight).tolist() == model.weight.tolist()


class Between(Clipped):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            self.weight.mul_(1.7)
        y = x * self.weight
        with torch.no_grad():
            self.weight.clamp_(-1, 1)
        return y * self.weight


def test_a_parameter_that_is_read_between_two_writes_is_refused() -> None:
    with pytest.raises(LowerError, match=r"test_mutation.py:\d+: .*its parameter weight more"):
        lower(capture(Between(), torch.ones(2)))


def test_a_module_that_shares_weights_does_not_change_them_behind_torchs_back() -> None:
    model = Memory().eval()
    layer = lower(capture(model, torch.ones(2))).load(share=True)
    layer(paddle.ones([2]))
    assert model.last.tolist() == [0, 0]
