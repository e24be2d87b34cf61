"""Gradients of layers and products that Paddle itself has otherwise, or not at all."""

from __future__ import annotations

from collections.abc import Callable

import paddle
import pytest
import torch

import workbench


def _same_gradient(model: Callable[[torch.Tensor], torch.Tensor], *shape: int) -> None:
    x = torch.randn(shape, requires_grad=True)
    expected = model(x)
    scale = torch.randn_like(expected)
    (expected * scale).sum().backward()
    layer = workbench.lower(workbench.capture(model, (x.detach(),))).load()
    given = paddle.to_tensor(x.detach().numpy(), stop_gradient=False)
    (layer(given) * paddle.to_tensor(scale.numpy())).sum().backward()
    assert x.grad is not None
    torch.testing.assert_close(torch.tensor(given.grad.numpy()), x.grad)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("affine", [True, False])
def test_a_groups_normalization(affine: bool) -> None:
    _same_gradient(torch.nn.GroupNorm(2, 4, affine=affine), 2, 4, 5)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("shape", [(2, 1, 4, 5), (4, 5), (5,), (1, 4, 5)])
def test_a_product_with_a_matrix_for_each_head(shape: tuple[int, ...]) -> None:
    weight = torch.randn(3, 5, 6)
    _same_gradient(lambda x: x @ weight, *shape)


def test_a_matrix_for_each_head_before_a_batch() -> None:
    weight = torch.randn(3, 6, 4)
    _same_gradient(lambda x: weight @ x, 2, 1, 4, 5)
