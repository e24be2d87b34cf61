"""A group's normalization passes torch's gradients, with weights and without."""

from __future__ import annotations

import paddle
import pytest
import torch

import workbench


@pytest.mark.parametrize("affine", [True, False])
def test_gradients_are_those_of_torch(affine: bool) -> None:
    torch.manual_seed(0)
    model = torch.nn.GroupNorm(2, 4, affine=affine)
    x, scale = torch.randn(2, 4, 5, requires_grad=True), torch.randn(2, 4, 5)
    (model(x) * scale).sum().backward()
    layer = workbench.lower(workbench.capture(model, (x.detach(),))).load()
    given = paddle.to_tensor(x.detach().numpy(), stop_gradient=False)
    (layer(given) * paddle.to_tensor(scale.numpy())).sum().backward()
    assert x.grad is not None
    torch.testing.assert_close(torch.tensor(given.grad.numpy()), x.grad)
