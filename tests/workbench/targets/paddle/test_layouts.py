"""Layers of Paddle and torch: the same weights under their own names and layouts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import paddle
import pytest
import torch
from torch import nn

from workbench.targets.bridge import CarryError
from workbench.targets.paddle.carry.layouts import fill, torch_state

paddle.disable_signal_handler()
_paddle: Any = paddle


def _images() -> torch.Tensor:
    return torch.randn(3, 4, 5, 5)


def _rows() -> torch.Tensor:
    return torch.randn(3, 4)


def _steps() -> torch.Tensor:
    return torch.randn(3, 2, 4)


PAIRS: dict[str, tuple[Callable[[], nn.Module], Callable[[], Any], Callable[[], torch.Tensor]]] = {
    "linear": (lambda: nn.Linear(4, 4), lambda: _paddle.nn.Linear(4, 4), _rows),
    "linear of compat": (lambda: nn.Linear(4, 4), lambda: _paddle.compat.nn.Linear(4, 4), _rows),
    "batch norm": (lambda: nn.BatchNorm2d(4), lambda: _paddle.nn.BatchNorm2D(4), _images),
    "instance norm": (
        lambda: nn.InstanceNorm2d(4, affine=True),
        lambda: _paddle.nn.InstanceNorm2D(4),
        _images,
    ),
    "layer norm of two axes": (
        lambda: nn.LayerNorm((5, 5)),
        lambda: _paddle.nn.LayerNorm((5, 5)),
        _images,
    ),
    "prelu": (lambda: nn.PReLU(4), lambda: _paddle.nn.PReLU(4), _images),
    "transposed convolution": (
        lambda: nn.ConvTranspose2d(4, 6, 3),
        lambda: _paddle.nn.Conv2DTranspose(4, 6, 3),
        _images,
    ),
    "lstm": (
        lambda: nn.LSTM(4, 4, 2, bidirectional=True),
        lambda: _paddle.nn.LSTM(4, 4, 2, time_major=True, direction="bidirect"),
        _steps,
    ),
    "gru": (lambda: nn.GRU(4, 4), lambda: _paddle.nn.GRU(4, 4, time_major=True), _steps),
    "encoder layer": (
        lambda: nn.TransformerEncoderLayer(4, 2, 4, batch_first=True).eval(),
        lambda: _paddle.nn.TransformerEncoderLayer(4, 2, 4),
        _steps,
    ),
    "nested": (
        lambda: nn.Sequential(nn.Linear(4, 4), nn.Sequential(nn.BatchNorm1d(4))),
        lambda: _paddle.nn.Sequential(
            _paddle.nn.Linear(4, 4), _paddle.nn.Sequential(_paddle.nn.BatchNorm1D(4))
        ),
        _rows,
    ),
}


def _drawn(module: nn.Module) -> dict[str, torch.Tensor]:
    state = module.state_dict()
    for name, value in state.items():
        if value.is_floating_point():
            value.uniform_(0.5, 1.5) if "var" in name else value.normal_()
    return dict(state)


@pytest.mark.parametrize("kind", PAIRS)
def test_a_layer_filled_from_torchs_state_computes_the_same(kind: str) -> None:
    ours_of, theirs_of, data = PAIRS[kind]
    torch.manual_seed(0)
    ours, theirs, x = ours_of().eval(), theirs_of(), data()
    state = _drawn(ours)
    fill(theirs, state)
    theirs.eval()
    wanted, found = ours(x), theirs(paddle.from_dlpack(x.clone()))
    if isinstance(wanted, tuple):
        wanted, found = wanted[0], found[0]
    torch.testing.assert_close(torch.from_dlpack(found.detach()), wanted.detach())
    again = torch_state(theirs)
    assert set(again) == {name for name in state if "num_batches" not in name}
    for name, value in again.items():
        torch.testing.assert_close(value, state[name], rtol=0, atol=0)


def test_weights_without_a_counterpart_are_named() -> None:
    state = {"weight": torch.ones(3, 4), "extra": torch.ones(1)}
    with pytest.raises(CarryError) as caught:
        fill(_paddle.nn.Linear(4, 4), state)
    message = str(caught.value)
    assert "bias is missing" in message
    assert "extra is not in the layer" in message
    assert "weight has shape [3, 4], and the layer expects [4, 4]" in message
