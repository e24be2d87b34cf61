"""The graph by its modules: folding, searching, colours, both sides, and how it moves."""

from __future__ import annotations

from typing import Any

import pytest
from cells import NET
from lab_page import Lab
from module_graph import Modules
from playwright.sync_api import expect

GPT = """
import torch
from torch import nn

class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.attn = nn.MultiheadAttention(width, 2, batch_first=True)
        wide = 4 * width
        self.mlp = nn.Sequential(nn.Linear(width, wide), nn.GELU(), nn.Linear(wide, width))

    def forward(self, x):
        y = self.norm(x)
        x = x + self.attn(y, y, y, need_weights=False)[0]
        return x + self.mlp(x)

class GPT(nn.Module):
    def __init__(self, layers, width=8):
        super().__init__()
        self.embed = nn.Embedding(16, width)
        self.blocks = nn.ModuleList(Block(width) for _ in range(layers))
        self.head = nn.Linear(width, 16)

    def forward(self, ids):
        x = self.embed(ids)
        for block in self.blocks:
            x = block(x)
        return self.head(x)

torch.manual_seed(0)
net = GPT(8).eval()
ids = torch.arange(6).reshape(1, 6)
out = net(ids)
"""

FOLDED = ("ids", "embed Embedding", "+  blocks × 8 Block", "head Linear", "output")
BLOCK = ("norm LayerNorm", "+  attn MultiheadAttention", "add", "+  mlp Sequential", "add")


def test_modules_fold_and_unfold_in_place(lab: Lab) -> None:
    lab.open("fold", [GPT])
    lab.run(0)
    lab.trace("net(ids)")
    graph = lab.graph
    graph.expect_labels(*FOLDED)
    by_the_keyboard(graph)
    before = graph.node("+  blocks × 8 Block")
    graph.toggle("+  blocks × 8 Block")
    stack = ("−  blocks × 8 Block", *(f"+  blocks.{i} Block" for i in range(8)))
    graph.expect_labels(*FOLDED[:2], *stack, *FOLDED[3:])
    after = graph.node("−  blocks × 8 Block")
    assert top(after) == pytest.approx(top(before), abs=1)
    a_drag_moves_the_whole(lab, "+  blocks.0 Block")
    graph.toggle("+  blocks.0 Block")
    expect(graph.way).to_have_text("GPT" + "blocks × 8 Block" + "blocks.0 Block")
    opened = (stack[0], "−  blocks.0 Block", *BLOCK, *stack[2:])
    graph.expect_labels(*FOLDED[:2], *opened, *FOLDED[3:])
    graph.way.get_by_role("button", name="blocks × 8 Block").click()
    graph.canvas.press("Enter")
    graph.expect_labels(*FOLDED)

    colours_at_every_level(graph)
    a_search_unfolds_what_it_finds(lab)
    graph.graph.get_by_role("button", name="Fold", exact=True).click()
    graph.expect_labels(*FOLDED)
    a_press_on_the_small_picture_moves_there(graph)


def by_the_keyboard(graph: Modules) -> None:
    graph.canvas.focus()
    for _ in range(3):
        graph.canvas.press("ArrowDown")
    assert graph.chosen() == ["+  blocks × 8 Block"]
    graph.canvas.press("Enter")
    graph.canvas.press("ArrowDown")
    assert graph.chosen() == ["+  blocks.0 Block"]
    graph.canvas.press("Escape")
    assert graph.chosen() == ["−  blocks × 8 Block"]
    graph.canvas.press("Enter")
    graph.canvas.press("Escape")
    assert graph.chosen() == []
    expect(graph.facts).to_contain_text("GPT: ")


def a_drag_moves_the_whole(lab: Lab, box: str) -> None:
    place = "canvas => canvas._cyreg.cy.pan().y"
    before = lab.graph.canvas.evaluate(place)
    x, y = lab.graph.screen(box)
    lab.page.mouse.move(x, y)
    lab.page.mouse.down()
    lab.page.mouse.move(x, y - 40, steps=8)
    lab.page.mouse.up()
    assert lab.graph.canvas.evaluate(place) == pytest.approx(before - 40, abs=2)


def colours_at_every_level(graph: Modules) -> None:
    legend = graph.graph.locator(".tf-Legend")
    expect(legend).to_have_text("Layer")
    graph.graph.get_by_label("Colour of the boxes").select_option("dtype")
    expect(legend).to_have_text("float32")
    stack = graph.node("+  blocks × 8 Block")["colour"]
    assert stack == graph.node("head Linear")["colour"] != graph.node("ids")["colour"]
    graph.graph.get_by_label("Colour of the boxes").select_option("memory")
    expect(legend).to_contain_text("kB")
    assert graph.node("+  blocks × 8 Block")["colour"] == "rgb(190, 60, 10)"


def a_search_unfolds_what_it_finds(lab: Lab) -> None:
    graph = lab.graph
    graph.graph.get_by_role("searchbox").fill("blocks.6.mlp.1")
    graph.graph.get_by_role("button", name="blocks.6.mlp.1").click()
    assert graph.chosen() == ["mlp.1 GELU"]
    expect(graph.facts).to_contain_text("blocks.6.mlp.1 (GELU)")
    node = graph.node("mlp.1 GELU")
    # The cell begins with an empty line.
    graph.facts.get_by_role("button", name="line 16").click()
    assert lab.selection(0) == "return x + self.mlp(x)"
    box = graph.canvas.bounding_box()
    assert box is not None
    assert 0 < node["at"]["x"] < box["width"] and 0 < node["at"]["y"] < box["height"]


def a_press_on_the_small_picture_moves_there(graph: Modules) -> None:
    small = graph.graph.locator(".tf-Modules-minimap")
    expect(small).to_be_hidden()
    graph.graph.get_by_role("button", name="Unfold", exact=True).click()
    expect(small).to_be_visible()
    box, canvas = small.bounding_box(), graph.canvas.bounding_box()
    assert box is not None and canvas is not None
    small.click(position={"x": box["width"] / 2, "y": box["height"] - 6})
    last = graph.node("output")
    assert 0 < last["at"]["y"] < canvas["height"]
    graph.canvas.press("ArrowDown")
    assert graph.chosen() == ["ids"]
    graph.graph.get_by_role("button", name="Fit").click()
    graph.canvas.click(position={"x": 4, "y": 4})
    assert graph.chosen() == []


def top(node: dict[str, Any]) -> float:
    """Return the position of a box's upper edge."""
    return float(node["at"]["y"] - node["height"] / 2)


POOLS = """
import torch
from torch import nn

class Pool(nn.Module):
    def __init__(self, gain):
        super().__init__()
        self.register_buffer("gain", torch.full((1, 1, 4, 4), gain))

    def forward(self, x):
        x = nn.functional.max_pool2d(x * self.gain, 3, 1, 1)
        return torch.nan_to_num(x)

class Pools(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(Pool(1.0) for _ in range(6))
        # In a window with a NaN Paddle takes the largest of the others.
        self.blocks[3].gain[0, 0, 1, 1] = float("nan")

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x

net = Pools()
images = torch.ones(1, 1, 4, 4)
out = net(images)
"""


PAIR = ["x", "conv Conv2d", "relu", "max_pool2d", "view", "head Linear", "output"]


def test_both_sides_of_a_model(lab: Lab) -> None:
    call = "images = torch.ones(4, 1, 28, 28)\nout = net(images)"
    lab.open("pair", [f"{NET}\n{call}", POOLS.strip()])
    lab.run(0)
    compare(lab)
    tab = lab.page.locator(".tf-GraphTab:visible")
    expect(tab).to_contain_text("All 5 nodes agree")
    # Equal values and values within rounding have one colour.
    expect(tab.get_by_text("same or within rounding")).to_have_count(1)
    agreeing = [node for node in Modules(tab).nodes() if node["note"].startswith("float32")]
    assert len({node["colour"] for node in agreeing if node["label"] not in ("x", "output")}) == 1
    torch_side = Modules(tab)
    paddle_side = torch_side.other
    paddle_side.expect_labels(*PAIR)
    paddle_side.click("max_pool2d")
    assert torch_side.chosen() == ["max_pool2d"]
    expect(torch_side.facts).to_contain_text("max_pool2d")
    expect(torch_side.facts.get_by_role("button", name="line 13")).to_be_visible()
    expect(torch_side.facts).to_contain_text("F.max_pool2d(relu, 2)")
    tab.get_by_role("button", name="Netron").click()
    torch_page = tab.frame_locator("iframe >> nth=0")
    paddle_page = tab.frame_locator("iframe >> nth=1")
    expect(torch_page.locator("#node-name-linear.tf-coloured")).to_be_attached()
    expect(paddle_page.locator("#node-name-linear.tf-coloured")).to_be_attached()
    paddle_page.locator("#node-name-max_pool2d .node-item-type").click()
    expect(torch_page.locator("#node-name-max_pool2d.select")).to_be_attached()
    tab.get_by_label("Colour of the nodes").select_option("time")
    expect(tab).to_contain_text("takes longest")

    lab.switch_to("pair.ipynb")
    lab.run(1)
    compare(lab)
    verdict = tab.get_by_role("button", name="1 of 18 nodes differ")
    expect(verdict).to_be_visible()
    both_sides_fold_together(lab, Modules(tab))
    verdict.click()
    graph = Modules(tab)
    assert graph.chosen() == graph.other.chosen() == ["max_pool2d"]
    expect(graph.way).to_contain_text("blocks.3 Pool")
    expect(graph.facts).to_contain_text("F.max_pool2d(")
    expect(graph.facts.get_by_role("button", name="line 10")).to_be_visible()
    tab.get_by_label("Sides to show").select_option("target")
    expect(graph.canvas).to_be_hidden()
    expect(graph.other.canvas).to_be_visible()


def compare(lab: Lab) -> None:
    """Compare the call that is offered for the cell on both sides."""
    expect(lab.call).to_have_value("net(images)")
    lab.button("Compare").click()


def both_sides_fold_together(lab: Lab, graph: Modules) -> None:
    """Unfold the blocks, of which one differs, on one side, and see the same on both."""
    graph.expect_labels("x", "+  blocks", "output")
    red = "#c62828"
    assert graph.node("+  blocks")["colour"] == red
    graph.other.toggle("+  blocks")
    parts = ("+  blocks.0–2 × 3 Pool", "+  blocks.3 Pool", "+  blocks.4 Pool", "+  blocks.5 Pool")
    graph.expect_labels("x", "−  blocks", *parts, "output")
    assert graph.labels() == graph.other.labels()
    assert [label for label in parts if graph.node(label)["colour"] == red] == [parts[1]]
    graph.expect_alike()
    graph.click("+  blocks.4 Pool")
    assert graph.other.chosen() == ["+  blocks.4 Pool"]
    expect(graph.facts).to_contain_text("Differencenone")
    graph.canvas.hover()
    lab.page.mouse.wheel(0, 240)
    graph.expect_alike()
