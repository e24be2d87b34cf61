"""A graph for Model Explorer: nodes in namespaces, links, and node data of finite numbers."""

from __future__ import annotations

import json

import torch
from torch import nn

from workbench.capture import capture
from workbench.capture.figures import Measured, Verdict
from workbench.capture.model_explorer import document, node_data


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.act = nn.ReLU()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.act(self.fc(x))


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for block in self.blocks:
            x = block(x)
        return self.blocks[0](x)


GRAPH = capture(Net(), torch.ones(2, 4))


def test_nodes_are_in_the_namespaces_of_their_modules() -> None:
    (graph,) = document(GRAPH)["graphs"]
    nodes = {node["id"]: node for node in graph["nodes"]}
    assert len(nodes) == len(graph["nodes"])
    assert nodes["linear_1"]["label"] == "fc Linear"
    assert nodes["linear_1"]["namespace"] == "blocks x 4 Block/blocks.1 Block"
    # The second call of a module is a separate group: one group would make a cycle.
    assert nodes["linear"]["namespace"] != nodes["linear_3"]["namespace"]
    assert nodes["linear_3"]["namespace"].endswith("blocks.0 Block #2")
    assert nodes["linear"]["outputsMetadata"] == [
        {"id": "0", "attrs": [{"key": "tensor_shape", "value": "float32[2, 4]"}]}
    ]


def test_links_lead_to_nodes_that_are_there() -> None:
    (graph,) = document(GRAPH)["graphs"]
    read = {
        node["id"]: [edge["sourceNodeId"] for edge in node["incomingEdges"]]
        for node in graph["nodes"]
    }
    assert set().union(*read.values()) <= set(read)
    assert sorted(read["add"]) == ["relu", "x"]
    assert read["/output"] == ["add_3"]


def test_node_data_are_finite_and_distinct() -> None:
    measured = {
        "linear": Measured(Verdict.DIFFERENT, float("inf")),
        "relu": Measured(Verdict.ROUNDING, 0.5),
    }
    data = json.loads(json.dumps(node_data(GRAPH, measured), allow_nan=False))
    results = data[document(GRAPH)["graphs"][0]["id"]]["results"]
    assert set(results) == {"linear", "relu"}
    assert results["linear"]["value"] > 1 > results["relu"]["value"] == 0.5
    assert results["linear"]["bgColor"] != results["relu"]["bgColor"]
