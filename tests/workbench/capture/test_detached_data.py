"""Uses of the data of tensors outside of their gradients.

A write into a parameter's data is refused; see `test_reached.py`.
"""

from __future__ import annotations

import copy
from collections.abc import Callable

import pytest
import torch
from torch import nn

from workbench.capture import CaptureError, capture


class _Averaged(nn.Module):
    """Reads and writes data as programs of before `torch.no_grad` do."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(3))
        self.register_buffer("mean", torch.zeros(3))
        self.mean: torch.Tensor

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.mean.data.mul_(0.9).add_(x.data.mean(0) * 0.1)
        return x * self.weight / self.weight.data.norm() - self.mean


def test_data_is_read_and_written_without_gradients() -> None:
    model, x = _Averaged(), torch.randn(4, 3)
    graph = capture(model, x)
    assert not model.mean.any()
    again = copy.deepcopy(graph.program).module()
    for _ in range(2):
        torch.testing.assert_close(again(x), model(x))
    torch.testing.assert_close(again.mean, model.mean)
    for side in (model, again):
        side(x).sum().backward()
    torch.testing.assert_close(again.weight.grad, model.weight.grad)


PARTS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "data": lambda x: x.data,
    "row": lambda x: x.data[0],
    "detached": lambda x: x.detach(),
    "assigned": lambda x: setattr(x, "data", x.data + 1) or x.data,
}


@pytest.mark.parametrize("part", PARTS)
def test_a_write_leaves_the_gradient_of_what_it_is_written_into(part: str) -> None:
    def masked(x: torch.Tensor) -> torch.Tensor:
        scores = x * x
        early = scores.sum()
        PARTS[part](scores).masked_fill_(x[0] < 0, -torch.inf)
        PARTS[part](scores).masked_fill_(x[0] < 0, -torch.inf)
        PARTS[part](scores).mul_(2)
        return early + (scores.exp() * x).sum()

    x, given = (torch.arange(-3.0, 3.0).view(2, 3).requires_grad_() for _ in range(2))
    again = capture(masked, x.detach()).program.module()
    torch.testing.assert_close(again(given), masked(x))
    masked(x).backward()
    again(given).backward()
    torch.testing.assert_close(given.grad, x.grad)


def test_a_write_into_memory_that_several_values_share_is_refused() -> None:
    def clipped(x: torch.Tensor) -> torch.Tensor:
        y = x * 2
        row = y[0]
        y.data.clamp_(max=1)
        return y + row

    with pytest.raises(CaptureError, match=r"\.data is changed here") as caught:
        capture(clipped, torch.randn(4, 3))
    assert caught.value.location is not None
    assert "clamp_" in caught.value.location.code
