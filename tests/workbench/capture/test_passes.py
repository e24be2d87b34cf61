"""Passes over a graph, warnings of silent hazards, and the quantization flow's nodes."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import paddle
import pytest
import torch
from torch import nn

from workbench.capture import CaptureError, capture
from workbench.capture.passes import apply
from workbench.lower import lower

paddle.disable_signal_handler()


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.layer(x)) + 1  # relu here


def to_gelu(module: torch.fx.GraphModule) -> None:
    for node in module.graph.nodes:
        if node.target is torch.ops.aten.relu.default:
            with module.graph.inserting_after(node):
                new = module.graph.call_function(torch.ops.aten.gelu.default, node.args)
            node.replace_all_uses_with(new)
            module.graph.erase_node(node)


def test_a_pass_changes_a_copy_and_provenance_survives() -> None:
    net, x = Net().eval(), torch.randn(2, 3)
    graph = capture(net, x)
    changed = apply(graph, to_gelu)
    assert "relu" in {n.op for n in graph.calls}
    torch.testing.assert_close(graph.program.module()(x), net(x))
    gelu = next(n for n in changed.calls if n.op == "gelu")
    assert gelu.location is not None
    assert (
        Path(gelu.location.file)
        .read_text()
        .splitlines()[gelu.location.line - 1]
        .endswith("# relu here")
    )
    assert (gelu.shape, gelu.dtype) == ((2, 3), "float32")
    expected = nn.functional.gelu(net.layer(x)) + 1
    ours = lower(changed).load()(paddle.from_dlpack(x))
    torch.testing.assert_close(torch.from_dlpack(ours.detach()), expected.detach())


def test_a_pass_that_breaks_the_graph_is_named() -> None:
    def careless(module: torch.fx.GraphModule) -> None:
        node = next(n for n in module.graph.nodes if n.op == "call_function")
        module.graph.erase_node(node)

    with pytest.raises(CaptureError, match="the pass careless"):
        apply(capture(Net(), torch.randn(2, 3)), careless)


class Noisy(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * random.random()  # noise


def test_silent_hazards_come_with_the_graph() -> None:
    graph = capture(nn.Sequential(nn.Linear(3, 3), Noisy()), torch.ones(1, 3))
    (warning,) = graph.warnings
    line = next(
        i for i, t in enumerate(Path(__file__).read_text().splitlines(), 1) if t.endswith("# noise")
    )
    assert warning.startswith(f"TF408 {__file__}:{line}: ")
    assert capture(Net(), torch.ones(1, 3)).warnings == ()


@pytest.mark.parametrize("per_channel", [False, True])
def test_quantized_graphs_match_to_the_bit(per_channel: bool) -> None:
    import torch.ao.quantization.fx._decomposed

    ops: Any = torch.ops.quantized_decomposed
    scales, zeros = torch.tensor([0.02, 0.031, 0.007]), torch.tensor([0, 3, -4])

    def quantized(x: torch.Tensor) -> torch.Tensor:
        if per_channel:
            q = ops.quantize_per_channel(x, scales, zeros, 0, -128, 127, torch.int8)
            return ops.dequantize_per_channel(q, scales, zeros, 0, -128, 127, torch.int8)
        q = ops.quantize_per_tensor(x, 0.037, 5, 0, 255, torch.uint8)
        return ops.dequantize_per_tensor(q, 0.037, 5, 0, 255, torch.uint8)

    x = torch.randn(3, 500) * 3
    found = lower(capture(quantized, x))
    assert not found.fallbacks
    ours = torch.from_dlpack(found.load()(paddle.from_dlpack(x.clone())).detach())
    torch.testing.assert_close(ours, quantized(x), rtol=0, atol=0)
