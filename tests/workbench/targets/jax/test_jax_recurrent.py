"""Recurrent layers in JAX: scans."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from flax import nnx

from tests.workbench.recurrent_nets import DOUBLE, KINDS, OPTIONS, Net, squared
from workbench.capture import capture
from workbench.compare.nodes.comparison import compare_nodes
from workbench.lower import lower
from workbench.targets.jax.emitters.loading import from_torch, to_torch


@pytest.mark.one_in(4)
@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize(("kind", "how"), KINDS)
def test_values_and_gradients_are_torchs(
    kind: str, how: dict[str, Any], options: dict[str, Any]
) -> None:
    net, x = Net(kind, **how, **options), torch.randn(3, 4, 5, dtype=DOUBLE)
    lowered = lower(capture(net, (x,)), target="jax")
    assert lowered.source.count("_recurrent(") == 2, "its definition, and one call"
    assert compare_nodes(lowered, (x,)).equal
    given = from_torch(x)
    gradients = nnx.jit(nnx.grad(lambda m: squared(m(given))))(lowered.load())
    found = {".".join(map(str, path)): leaf for path, leaf in nnx.to_flat_state(gradients)}
    squared(net(x)).backward()
    for name, weight in net.named_parameters():
        assert weight.grad is not None
        torch.testing.assert_close(to_torch(found[name]), weight.grad, rtol=1e-9, atol=1e-9)
