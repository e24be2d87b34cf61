"""Recurrent layers, a line each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import paddle
import pytest
import torch

from tests.workbench.recurrent_nets import DOUBLE, KINDS, OPTIONS, Net, squared
from workbench.capture import capture
from workbench.compare.nodes.comparison import compare_nodes
from workbench.lower import lower


@pytest.mark.one_in(4)
@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize(("kind", "how"), KINDS)
def test_values_and_gradients_are_torchs(
    kind: str, how: dict[str, Any], options: dict[str, Any]
) -> None:
    net, x = Net(kind, **how, **options), torch.randn(3, 4, 5, dtype=DOUBLE)
    lowered = lower(capture(net, (x,)))
    assert lowered.source.count("_recurrent(") == 2, "its definition, and one call"
    assert compare_nodes(lowered, (x,)).equal
    layer = lowered.load(share=False)
    squared(net(x)).backward()
    squared(layer(paddle.to_tensor(x.numpy()))).backward()
    ours = dict(layer.named_parameters())
    for name, weight in net.named_parameters():
        assert weight.grad is not None
        found = torch.from_numpy(ours[name].grad.numpy())
        torch.testing.assert_close(found, weight.grad, rtol=1e-9, atol=1e-9, msg=name)


def test_frozen_weights_are_no_hindrance() -> None:
    net, x = Net("GRU"), torch.randn(3, 4, 5, dtype=DOUBLE)
    net.rnn.weight_ih_l0.requires_grad_(False)
    layer = lower(capture(net, (x,))).load(share=False)
    given = paddle.to_tensor(x.numpy(), stop_gradient=False)
    squared(layer(given)).backward()
    x.requires_grad_()
    squared(net(x)).backward()
    assert x.grad is not None
    torch.testing.assert_close(torch.from_numpy(given.grad.numpy()), x.grad)


def test_they_are_exported(tmp_path: Path) -> None:
    x = torch.randn(3, 4, 5, dtype=DOUBLE)
    lowered = lower(capture(Net("LSTM").eval(), (x,)))
    assert lowered.export(tmp_path / "net.json", (x,)), "which is run and compared"


@pytest.mark.one_in(4)
@pytest.mark.parametrize("target", ["paddle", "jax"])
def test_uses_without_a_single_form_are_spelled_out(target: str) -> None:
    if target == "jax":
        pytest.importorskip("flax")
    x = torch.randn(3, 2, 5, dtype=DOUBLE)
    lowered = lower(capture(Net("LSTM", proj_size=2), (x,)), target=target)
    assert "_recurrent" not in lowered.source
    assert compare_nodes(lowered, (x,)).equal
    dropped = lower(capture(Net("GRU", num_layers=2, dropout=0.5), (x,)), target=target)
    assert dropped.source.count("_recurrent(") == 3, "its definition, and one call a layer"
