"""Soundness: the contract in words, and replays that catch what was baked in."""

from __future__ import annotations

import random

import pytest
import torch
from torch import nn

from workbench.capture import CaptureError, capture
from workbench.capture.checks.contract import clauses
from workbench.capture.checks.soundness import replay


def test_the_contract_in_words() -> None:
    batch = torch.export.Dim("batch", min=1, max=64)
    shapes = {"a": {0: batch}, "b": {0: batch}}
    graph = capture(
        lambda a, b: a @ b.T, (torch.ones(4, 3), torch.ones(4, 3)), dynamic_shapes=shapes
    )
    words = [str(clause) for clause in clauses(graph)]
    assert "a has fixed sizes: a.shape[1] = 3" in words
    assert "batch is from 1 to 64 (a.shape[0])" in words
    assert "a.shape[0] == b.shape[0] have to be equal (batch)" in words


def test_dimensions_that_can_vary_are_found() -> None:
    graph = capture(nn.Linear(3, 2), torch.ones(4, 3), dynamic_shapes="auto")
    words = " / ".join(str(clause) for clause in clauses(graph))
    assert "input_dim0 is" in words
    assert "input.shape[1] = 3" in words


def test_a_dimension_that_has_to_divide_is_reported_with_its_remedy() -> None:
    rows = torch.export.Dim("rows", max=64)
    with pytest.raises(CaptureError, match=r"rows = 2\*_rows") as caught:
        capture(
            lambda x: x.reshape(2, -1).sum() + x[: x.shape[0] // 2].reshape(2, -1).sum(),
            torch.ones(8),
            dynamic_shapes={"x": {0: rows}},
        )
    assert caught.value.code == "TF412"


def test_sizes_that_divide_or_fit_another_are_reported_and_enforced() -> None:
    import paddle

    from workbench.lower import lower

    class Splits(nn.Module):
        def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            return x.view(-1, 4).sum() + (x[: y.shape[0]] * y).sum()

    model, example = Splits(), (torch.randn(16), torch.randn(8))
    graph = capture(model, example, dynamic_shapes="auto")
    words = [str(clause) for clause in clauses(graph)]
    assert "x.shape[0] is a multiple of 4" in words
    assert "y.shape[0] <= x.shape[0] has to hold" in words
    layer = lower(graph).load()
    x, y = torch.randn(24), torch.randn(20)
    found = layer(paddle.from_dlpack(x), paddle.from_dlpack(y))
    torch.testing.assert_close(torch.from_dlpack(found.detach()), model(x, y))
    with pytest.raises(ValueError, match=r"x.shape\[0\] % 4 == 0; the sizes are \[18\]"):
        layer(paddle.ones([18]), paddle.ones([8]))
    with pytest.raises(ValueError, match=r"y.shape\[0\] <= x.shape\[0\]"):
        layer(paddle.ones([16]), paddle.ones([20]))


def test_checks_of_values_are_kept() -> None:
    import paddle

    from workbench.lower import lower

    class Checks(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            n = x.sum().item()
            torch._check(n > 0)
            torch._assert_async((x > -5).all(), "too small")
            return x * n

    layer = lower(capture(Checks(), torch.ones(3))).load()
    assert layer(paddle.ones([3])).tolist() == [3, 3, 3]
    with pytest.raises(RuntimeError, match="the model checks that item > 0"):
        layer(-paddle.ones([3]))
    with pytest.raises(RuntimeError, match="too small"):
        layer(paddle.to_tensor([-6.0, 1.0, 30.0]))


class Draws(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * random.random()


class Counts(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.n = 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.n += 1
        return x * self.n


class Tries(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        try:
            if x.sum() > 0:
                return x
        except RuntimeError:
            pass
        return -x


@pytest.mark.parametrize("model", [Draws(), Counts(), Tries()])
def test_baked_in_values_are_found(model: nn.Module) -> None:
    x = torch.ones(3)
    found = replay(capture(model, x, assume=False, check=False), model, x)
    wrong = [entry for entry in found if not entry.agrees]
    assert wrong
    assert "computed only once, during capture" in wrong[0].reason


def test_an_honest_model_agrees_even_where_it_draws_and_counts() -> None:
    model = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3), nn.Dropout(0.5)).train()
    x = torch.randn(4, 3)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    found = replay(capture(model, x), model, x)
    assert len(found) == 6
    assert all(entry.agrees for entry in found), found
    for name, value in model.state_dict().items():
        torch.testing.assert_close(value, before[name], rtol=0, atol=0)
