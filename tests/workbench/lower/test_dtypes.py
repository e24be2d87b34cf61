"""Other widths than float32, and dynamic lengths through a whole transformer block."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from workbench.capture import capture
from workbench.compare.nodes.comparison import compare_nodes
from workbench.lower import lower


class Mixed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv1d(4, 8, 3, padding=1)
        self.linear = nn.Linear(8, 8)
        self.norm = nn.LayerNorm(8)

    def forward(self, x: torch.Tensor) -> Any:
        x = nn.functional.gelu(self.conv(x)).transpose(1, 2)
        y = self.norm(self.linear(x))
        z = torch.where(y > 0, y, y * 0.1).softmax(-1)
        return z.sum(1), y.mean(), torch.cat([y, x], -1).max(-1)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_every_node_agrees_in_other_widths(dtype: torch.dtype) -> None:
    x = torch.randn(2, 4, 16, dtype=dtype)
    lowered = lower(capture(Mixed().to(dtype).eval(), x), fallback=False)
    found = compare_nodes(lowered, x)
    assert found.equal, str(found)
    name = str(dtype).removeprefix("torch.")
    assert {row.dtype for row in found.rows} == {name, "bool", "int64"}


def test_autocast_casts_where_torch_does() -> None:
    linear = nn.Linear(8, 8)

    def run(x: torch.Tensor) -> torch.Tensor:
        with torch.autocast("cpu", torch.bfloat16):
            return torch.softmax(linear(x), -1) + 1

    x = torch.randn(3, 8)
    found = compare_nodes(lower(capture(run, x), fallback=False), x)
    assert found.equal, str(found)
    assert "bfloat16" in {row.dtype for row in found.rows}


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("left", "right"),
    [
        (torch.int64, torch.float32),
        (torch.int32, torch.int64),
        (torch.bool, torch.int64),
        (torch.bool, torch.float32),
        (torch.float32, torch.float64),
        (torch.bfloat16, torch.float32),
    ],
)
def test_mixed_dtypes_promote_as_in_torch(left: torch.dtype, right: torch.dtype) -> None:
    def mixed(a: torch.Tensor, b: torch.Tensor) -> Any:
        return a + b, a * 2.5, b > a, torch.where(a > b, a, b), torch.cat([a, b]), b / 2

    a = torch.tensor([0, 1, 3]).to(left)
    b = torch.tensor([2, 1, 0]).to(right)
    found = compare_nodes(lower(capture(mixed, (a, b)), fallback=False), (a, b))
    assert found.equal, str(found)


def test_a_block_of_any_batch_and_length() -> None:
    layer = nn.TransformerEncoderLayer(16, 4, 32, batch_first=True).train()
    layer.dropout.p = layer.dropout1.p = layer.dropout2.p = layer.self_attn.dropout = 0.0
    batch, length = torch.export.Dim("batch", max=32), torch.export.Dim("length", max=64)
    graph = capture(layer, torch.randn(2, 7, 16), dynamic_shapes={"src": {0: batch, 1: length}})
    lowered = lower(graph, fallback=False)
    for shape in ((2, 7, 16), (1, 3, 16), (5, 64, 16)):
        found = compare_nodes(lowered, torch.randn(shape))
        assert found.equal, str(found)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("dtype", [torch.bool, torch.int8])
def test_values_that_paddle_scatters_none_of_are_scattered(dtype: torch.dtype) -> None:
    place = torch.tensor([[0, 2], [1, 0]])
    values = torch.tensor([[1, 0], [1, 1]]).to(dtype)
    x = torch.zeros(2, 3, dtype=dtype)
    graph = capture(lambda x, i, v: (x.scatter(1, i, v), x.scatter(1, i, 1)), (x, place, values))
    assert compare_nodes(lower(graph, fallback=False), (x, place, values)).equal
