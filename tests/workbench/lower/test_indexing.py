"""Reading and writing by index: views with gaps, repeated places, masks and gradients."""

from __future__ import annotations

from typing import Any

import paddle
import pytest
import torch

from workbench.capture import capture
from workbench.compare.nodes.comparison import compare_nodes
from workbench.lower import lower


@pytest.mark.one_in(3)
@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize(
    ("indices", "shape"),
    [
        ((torch.tensor([0, 2]),), (2, 4, 5)),
        ((torch.tensor([0, -1]), torch.tensor([3, 1])), (2, 5)),
        ((None, torch.tensor([[1, 0], [3, 2]])), (3, 2, 2, 5)),
        ((None, None, torch.tensor([4, 0, 1])), (3, 4, 3)),
    ],
)
def test_it_writes_where_torch_does(indices: Any, shape: tuple[int, ...], accumulate: bool) -> None:
    x, values = torch.randn(3, 4, 5), torch.randn(shape)

    def put(x: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        return torch.ops.aten.index_put(x, indices, values, accumulate)

    layer = lower(capture(put, (x, values)), fallback=False).load()
    ours = layer(paddle.from_dlpack(x.clone()), paddle.from_dlpack(values.clone()))
    torch.testing.assert_close(torch.from_dlpack(ours.detach()), put(x, values))


def test_repeated_places_add_up_and_pass_gradients() -> None:
    index = torch.tensor([1, 1, 0])

    def put(x: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        return torch.ops.aten.index_put(x, [index], values, True)

    x, values = torch.zeros(3), torch.tensor([1.0, 2.0, 4.0], requires_grad=True)
    layer = lower(capture(put, (x, values)), fallback=False).load()
    given = paddle.to_tensor([1.0, 2.0, 4.0], stop_gradient=False)
    result = layer(paddle.zeros([3]), given)
    assert result.tolist() == [4, 3, 0]
    (result * paddle.to_tensor([1.0, 10.0, 100.0])).sum().backward()
    assert given.grad.tolist() == [10, 10, 1]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("shape", [(2, 3), (2,)])
@pytest.mark.parametrize("target", ["paddle", "jax"])
def test_values_of_the_same_mask_are_a_choice(target: str, shape: tuple[int, ...]) -> None:
    nnx = pytest.importorskip("flax.nnx") if target == "jax" else None

    def put(x: torch.Tensor, y: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        x = x.clone()
        x[mask] = y[mask]
        return x

    given = torch.randn(2, 3), torch.randn(2, 3), torch.rand(shape) > 0.5
    graph = capture(put, given)
    lowered = lower(graph, target=target)
    assert {line.node.partition("_")[0] for line in lowered.lines} <= {
        "clone",
        "unsqueeze",
        "where",
    }
    module, move = lowered.load(), lowered.backend.from_torch
    run = module if nnx is None else nnx.jit(lambda *arrays: module(*arrays))
    found = lowered.backend.to_torch(run(*map(move, given)))
    torch.testing.assert_close(found, put(*given))
    assert "index_put" in {node.op for node in graph.calls}


def test_sizes_that_the_data_decides_are_not_checked_against_their_own_limits() -> None:
    def pick(x: torch.Tensor) -> torch.Tensor:
        return x[x > 0] * 2

    assert "_expect_true" not in lower(capture(pick, torch.randn(2, 3))).source


def test_a_mask_that_chooses_nothing_changes_nothing() -> None:
    def put(x: torch.Tensor, mask: torch.Tensor, value: torch.Tensor) -> Any:
        return x.index_put((mask,), value), x[mask]

    x, value = torch.randn(2, 3, 4), torch.randn(4)
    layer = lower(capture(put, (x, torch.ones(2, 3) > 0, value))).load()
    for mask in (torch.zeros(2, 3) > 0, torch.eye(2, 3) > 0):
        found = layer(*(paddle.to_tensor(t.numpy()) for t in (x, mask, value)))
        for ours, theirs in zip(found, put(x, mask, value), strict=True):
            assert torch.equal(torch.from_numpy(ours.numpy()), theirs)


def test_a_part_of_a_view_with_gaps_is_read_where_it_lies() -> None:
    """Paddle 3.3 swaps dimensions there: shape and values are wrong without a word."""
    x, place = torch.randn(3, 4, 3), torch.tensor([1, 0])
    graph = capture(
        lambda x, i: (x[:, :2][:, i], x.transpose(0, 2)[:, i], x.mT[..., i], x[:, 1][:, i]),
        (x, place),
    )
    assert compare_nodes(lower(graph, fallback=False), (x, place), mode="free-running").equal


@pytest.mark.one_in(3)
@pytest.mark.parametrize("counts", [[2, 0, 3], [0, 0, 0]])
def test_rows_are_repeated_as_often_as_the_data_says(counts: list[int]) -> None:
    x, repeats = torch.randn(3, 2), torch.tensor(counts)
    graph = capture(lambda x, r: x.repeat_interleave(r, 0), (x, torch.tensor([1, 2, 1])))
    assert compare_nodes(lower(graph, fallback=False), (x, repeats)).equal
