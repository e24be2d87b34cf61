"""The graph by its modules: folding, searching, colours, both sides, and how smoothly it moves."""

from __future__ import annotations

from typing import Any

import pytest
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
net = GPT(24).eval()
ids = torch.arange(6).reshape(1, 6)
out = net(ids)
"""


def trace(lab: Lab, name: str) -> Modules:
    lab.open(name, [GPT])
    lab.run(0)
    expect(lab.call).to_have_value("net(ids)")
    lab.panel.get_by_role("button", name="Trace").click()
    lab.graph.expect_labels(*FOLDED)
    return lab.graph


FOLDED = ("ids", "embed Embedding", "+  blocks × 24 Block", "head Linear", "output")
BLOCK = ("norm LayerNorm", "+  attn MultiheadAttention", "add", "+  mlp Sequential", "add")


def test_modules_fold_and_unfold_in_place(lab: Lab) -> None:
    graph = trace(lab, "fold")
    before = graph.node("+  blocks × 24 Block")
    graph.toggle("+  blocks × 24 Block")
    stack = ("−  blocks × 24 Block", *(f"+  blocks.{i} Block" for i in range(24)))
    graph.expect_labels(*FOLDED[:2], *stack, *FOLDED[3:])
    after = graph.node("−  blocks × 24 Block")
    assert top(after) == pytest.approx(top(before), abs=1)
    graph.toggle("+  blocks.0 Block")
    expect(graph.way).to_have_text("GPT" + "blocks × 24 Block" + "blocks.0 Block")
    opened = (stack[0], "−  blocks.0 Block", *BLOCK, *stack[2:])
    graph.expect_labels(*FOLDED[:2], *opened, *FOLDED[3:])
    graph.way.get_by_role("button", name="blocks × 24 Block").click()
    graph.canvas.press("Enter")
    graph.expect_labels(*FOLDED)


def test_a_drag_within_a_box_moves_the_whole(lab: Lab) -> None:
    graph = trace(lab, "drag")
    graph.toggle("+  blocks × 24 Block")
    place = "canvas => canvas._cyreg.cy.pan().y"
    before = graph.canvas.evaluate(place)
    x, y = graph.screen("+  blocks.0 Block")
    lab.page.mouse.move(x, y)
    lab.page.mouse.down()
    lab.page.mouse.move(x, y - 40, steps=8)
    lab.page.mouse.up()
    assert graph.canvas.evaluate(place) == pytest.approx(before - 40, abs=2)


def test_the_keyboard_goes_from_box_to_box(lab: Lab) -> None:
    graph = trace(lab, "keys")
    graph.canvas.focus()
    for _ in range(3):
        graph.canvas.press("ArrowDown")
    assert graph.chosen() == ["+  blocks × 24 Block"]
    graph.canvas.press("Enter")
    graph.canvas.press("ArrowDown")
    assert graph.chosen() == ["+  blocks.0 Block"]
    graph.canvas.press("Escape")
    assert graph.chosen() == ["−  blocks × 24 Block"]
    graph.canvas.press("Escape")
    assert graph.chosen() == []
    expect(graph.facts).to_contain_text("GPT: ")


def test_a_press_on_the_small_picture_goes_there(lab: Lab) -> None:
    graph = trace(lab, "small")
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


def test_a_search_unfolds_what_it_finds(lab: Lab) -> None:
    graph = trace(lab, "search")
    graph.graph.get_by_role("searchbox").fill("blocks.17.mlp.1")
    graph.graph.get_by_role("button", name="blocks.17.mlp.1").click()
    assert graph.chosen() == ["mlp.1 GELU"]
    expect(graph.facts).to_contain_text("blocks.17.mlp.1 (GELU)")
    node = graph.node("mlp.1 GELU")
    # The cell begins with an empty line.
    graph.facts.get_by_role("button", name="line 16").click()
    assert lab.selection(0) == "return x + self.mlp(x)"
    box = graph.canvas.bounding_box()
    assert box is not None
    assert 0 < node["at"]["x"] < box["width"] and 0 < node["at"]["y"] < box["height"]
    graph.graph.get_by_role("button", name="Fold", exact=True).click()
    graph.expect_labels(*FOLDED)


def test_colours_at_every_level(lab: Lab) -> None:
    graph = trace(lab, "colours")
    legend = graph.graph.locator(".tf-Legend")
    expect(legend).to_have_text("Layer")
    graph.graph.get_by_label("Colour of the boxes").select_option("dtype")
    expect(legend).to_have_text("float32")
    stack = graph.node("+  blocks × 24 Block")["colour"]
    assert stack == graph.node("head Linear")["colour"] != graph.node("ids")["colour"]
    graph.graph.get_by_label("Colour of the boxes").select_option("memory")
    expect(legend).to_contain_text("kB")
    assert graph.node("+  blocks × 24 Block")["colour"] == "rgb(190, 60, 10)"


def test_both_sides_fold_together(lab: Lab) -> None:
    lab.open("sides", [GPT.replace("GPT(24)", "GPT(4)")])
    lab.run(0)
    expect(lab.call).to_have_value("net(ids)")
    lab.panel.get_by_role("button", name="Compare", exact=True).click()
    tab = lab.page.locator(".tf-GraphTab")
    expect(tab).to_contain_text("nodes agree")
    ours = Modules(tab)
    ours.expect_labels("ids", "embed Embedding", "+  blocks × 4 Block", "head Linear", "output")
    ours.other.toggle("+  blocks × 4 Block")
    assert ours.labels() == ours.other.labels()
    assert "+  blocks.2 Block" in ours.labels()
    ours.expect_alike()
    ours.click("+  blocks.1 Block")
    assert ours.other.chosen() == ["+  blocks.1 Block"]
    expect(ours.facts).to_contain_text("within rounding")
    ours.canvas.hover()
    lab.page.mouse.wheel(0, 240)
    ours.expect_alike()
    tab.get_by_label("Sides that are shown").select_option("target")
    expect(ours.canvas).to_be_hidden()
    expect(ours.other.canvas).to_be_visible()


def top(node: dict[str, Any]) -> float:
    """Where the upper edge of a box is."""
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
        # In a window of which one value is no number Paddle takes the largest of the others.
        self.blocks[3].gain[0, 0, 1, 1] = float("nan")

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x

net = Pools()
images = torch.ones(1, 1, 4, 4)
out = net(images)
"""


def test_the_worst_call_is_seen_from_outside(lab: Lab) -> None:
    lab.open("worst", [POOLS.strip()])
    lab.run(0)
    expect(lab.call).to_have_value("net(images)")
    lab.panel.get_by_role("button", name="Compare", exact=True).click()
    tab = lab.page.locator(".tf-GraphTab")
    verdict = tab.get_by_role("button", name="1 of 18 nodes differ")
    expect(verdict).to_be_visible()
    graph = Modules(tab)
    graph.expect_labels("x", "+  blocks", "output")
    red = "#c62828"
    assert graph.node("+  blocks")["colour"] == red
    graph.toggle("+  blocks")
    parts = ("+  blocks.0–2 × 3 Pool", "+  blocks.3 Pool", "+  blocks.4 Pool", "+  blocks.5 Pool")
    graph.expect_labels("x", "−  blocks", *parts, "output")
    assert [label for label in parts if graph.node(label)["colour"] == red] == [parts[1]]
    verdict.click()
    assert graph.chosen() == graph.other.chosen() == ["max_pool2d"]
    expect(graph.way).to_contain_text("blocks.3 Pool")
    expect(graph.facts).to_contain_text("F.max_pool2d(")
    expect(graph.facts.get_by_role("button", name="line 10")).to_be_visible()
