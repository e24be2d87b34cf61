"""Writing by index: repeated places, whole dimensions, masks and gradients."""

from __future__ import annotations

from typing import Any

import paddle
import pytest
import torch

from workbench.capture import capture
from workbench.lower import lower


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
