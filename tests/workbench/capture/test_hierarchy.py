"""A graph as boxes in boxes: names, stacks, edges at every level, the worst seen from outside."""

from __future__ import annotations

import json

import pytest
import torch
from torch import nn

from workbench.capture import Graph, capture
from workbench.capture.figures import Measured, Verdict
from workbench.capture.hierarchy import Box, Hierarchy, hierarchy


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width)
        self.act = nn.ReLU()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        # The same module twice: in one box it would be before and behind the norm.
        return self.act(self.norm(self.act(self.first(x)))) + x


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4))
        self.blocks = nn.ModuleList(Block(4) for _ in range(5))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.stem(x).mean(dim=(2, 3))
        for block in self.blocks:
            x = block(x)
        return x * 2


@pytest.fixture(scope="module")
def graph() -> Graph:
    return capture(Net().eval(), torch.ones(2, 1, 5, 5))


def drawn(box: Box) -> list[str]:
    return [f"{child.name} {child.type}".strip() for child in box.children]


def named(tree: Hierarchy, name: str) -> Box:
    return next(box for box in tree.boxes.values() if box.name == name)


def test_boxes_have_the_names_of_modules(graph: Graph) -> None:
    tree = hierarchy(graph)
    assert drawn(tree.root) == [
        "x",
        "stem Sequential",
        "mean",
        "blocks Block",
        "mul",
        "output",
    ]
    # Batch norm is a call and what takes its result out of a tuple: one box.
    assert drawn(named(tree, "stem")) == ["stem.0 Conv2d", "stem.1 BatchNorm2d"]
    assert drawn(named(tree, "blocks.0")) == [
        "first Linear",
        "act ReLU",
        "norm LayerNorm",
        "act ReLU",
        "add",
    ]


def test_blocks_that_are_alike_are_one_stack(graph: Graph) -> None:
    stack = named(hierarchy(graph), "blocks")
    assert stack.repeat == 5
    assert drawn(stack) == [f"blocks.{i} Block" for i in range(5)]
    assert stack.figures.calls == 25


def test_a_block_that_differs_is_outside_the_stack(graph: Graph) -> None:
    tree = hierarchy(graph)
    wrong = named(tree, "blocks.3").children[2].id
    measured = {node.name: Measured(Verdict.SAME, torch_ms=1.0) for node in graph.calls}
    measured[wrong] = Measured(Verdict.DIFFERENT, excess=9.0, torch_ms=4.0)
    # A block in which one call rounds differently is still the same block.
    measured[named(tree, "blocks.1").children[0].id] = Measured(Verdict.ROUNDING)
    tree = hierarchy(graph, measured)
    assert drawn(named(tree, "blocks")) == [
        "blocks.0–2 Block",
        "blocks.3 Block",
        "blocks.4 Block",
    ]
    for box in tree.boxes[wrong].above():
        assert (box.figures.verdict, box.figures.worst) == (Verdict.DIFFERENT, wrong)
    assert named(tree, "blocks.4").figures.verdict is Verdict.SAME
    assert named(tree, "blocks.3").figures.torch_ms == 8.0


def test_blocks_of_other_shapes_are_no_stack() -> None:
    model = nn.Sequential(*(Block(4) for _ in range(3)), nn.Linear(4, 8), Block(8), Block(8))
    tree = hierarchy(capture(model, torch.ones(2, 4)))
    assert drawn(tree.root) == [
        "input",
        "0–2 Block",
        "3 Linear",
        "4 Block",
        "5 Block",
        "output",
    ]


def test_edges_at_every_level_lead_forward_and_lose_none(graph: Graph) -> None:
    tree = hierarchy(graph)
    linked = set()
    for holder, between in tree.edges.items():
        order = [child.id for child in tree.boxes[holder].children]
        for (start, end), links in between.items():
            assert order.index(start) < order.index(end)
            for giver, taker in links:
                assert tree.boxes[start] in tree.boxes[giver].above()
                assert tree.boxes[end] in tree.boxes[taker].above()
                linked.add((giver, taker))
    calls = {node.name for node in graph.calls if node.op != "getitem"}
    wanted = {
        (giver, node.name)
        for node in graph.calls
        for giver in node.inputs
        if giver in calls and node.name in calls
    }
    assert wanted <= linked


def test_a_long_list_is_in_parts() -> None:
    class Long(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            for _ in range(150):
                x = x.sin() + 1
            return x

    tree = hierarchy(capture(Long(), torch.ones(2)))
    assert max(len(box.children) for box in tree.boxes.values()) <= 122
    assert sum(1 for box in tree.boxes.values() if box.op in ("sin", "add")) == 300


def test_it_is_json(graph: Graph) -> None:
    measured = {node.name: Measured(Verdict.DIFFERENT, float("inf")) for node in graph.calls}
    content = hierarchy(graph, measured).content()
    read = json.loads(json.dumps(content, allow_nan=False))
    assert read["/"]["children"][0] == "x"
    assert read["/stem"]["edges"] == [
        {
            "from": "conv2d",
            "to": read["/stem"]["children"][1],
            "links": [["conv2d", read["/stem"]["children"][1]]],
        }
    ]
    assert read["conv2d"]["kind"] == "Layer"
    assert read["conv2d"]["figures"]["dtypes"] == ["float32"]
