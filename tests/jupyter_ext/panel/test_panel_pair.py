"""Two graphs side by side: every node has its verdict."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from jupyter_ext.panel.pair import Paired
from jupyter_ext.panel.trace import Traced
from workbench.capture import capture
from workbench.compare.nodes.comparison import compare_nodes
from workbench.lower import lower


def test_a_node_of_several_results_is_judged_and_counted() -> None:
    model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU()).eval()
    images = torch.randn(2, 1, 8, 8)
    graph = capture(model, (images,))
    lowered = lower(graph, target="paddle")
    comparison = compare_nodes(lowered, (images,))
    paired = Paired(Traced("model(images)", graph, {}, b""), lowered, comparison)
    calls = [node.name for node in graph.program.graph.nodes if node.op == "call_function"]
    assert any("batch_norm" in name for name in calls)
    assert set(calls) == set(paired.rows())
    assert paired.summary() == f"All {len(calls)} nodes agree"
    boxes = paired.content()["boxes"]
    judged = [box["figures"] for box in boxes.values() if box["figures"]["calls"]]
    assert [box["name"] for box in boxes.values() if box["type"]] == ["0", "1", "2"]
    assert all(figures["verdict"] in {"same", "rounding"} for figures in judged)
    assert boxes["/"]["figures"]["torchMs"] > 0


def test_a_target_that_takes_graphs_shows_its_calls() -> None:
    pytest.importorskip("flax")
    model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.MaxPool2d(2)).eval()
    images = torch.randn(2, 1, 8, 8)
    graph = capture(model, (images,))
    lowered = lower(graph, target="jax")
    comparison = compare_nodes(lowered, (images,))
    content = Paired(Traced("model(images)", graph, {}, b""), lowered, comparison).content()
    assert (content["target"], content["summary"]) == ("jax", "All 2 nodes agree")
    assert content["rows"]["max_pool2d"]["code"] == "max_pool2d = _max_pool(conv2d, [2, 2], [2, 2])"
