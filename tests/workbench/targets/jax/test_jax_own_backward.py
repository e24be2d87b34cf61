"""Functions that state their own backward pass, in JAX."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import pytest
import torch
from flax import nnx
from torch.autograd import Function

from tests.workbench.own_functions import Net
from workbench.capture import capture
from workbench.lower import lower
from workbench.targets.jax.emitters.loading import from_torch, to_torch


def test_gradients_are_those_that_the_functions_state() -> None:
    net, x = Net(), torch.randn(6, 3)
    lowered = lower(capture(net, x), target="jax")
    assert not lowered.graph.warnings
    assert lowered.source.count("def _spike_backward") == 1, "both blocks have the same one"
    assert "nnx.List([Block() for _ in range(2)])" in lowered.source
    module, given = lowered.load(), from_torch(x)

    (net(x)[0] ** 2).sum().backward()
    gradients = nnx.jit(nnx.grad(lambda m: jnp.sum(m(given)[0] ** 2)))(module)
    found = {".".join(map(str, path)): leaf for path, leaf in nnx.to_flat_state(gradients)}
    for name, weight in net.named_parameters():
        assert weight.grad is not None
        torch.testing.assert_close(to_torch(found[name]), weight.grad, rtol=1e-4, atol=1e-4)


class _Solved(Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return 2 * x

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        return torch.linalg.lu_factor(gradient)[0]


@pytest.mark.xfail(
    torch.__version__ >= "2.14",
    reason="a constant of the pass that is left out becomes an output: it does not lower",
    strict=True,
)
def test_a_backward_pass_that_jax_lacks_is_left_out_and_reported() -> None:
    lowered = lower(capture(_Solved.apply, torch.eye(3)), target="jax")
    (caveat,) = (text for texts in lowered.caveats.values() for text in texts)
    assert "states its own backward pass (solved), which is left out" in caveat
    assert "linalg_lu_factor" in caveat
    found = to_torch(lowered.load()(from_torch(torch.eye(3))))
    torch.testing.assert_close(found, 2 * torch.eye(3))
