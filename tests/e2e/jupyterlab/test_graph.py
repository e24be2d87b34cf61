"""Tracing from the panel: the graph, Netron's page of it, and the way back to the line."""

from __future__ import annotations

import re

import pytest
from cells import CALL, NET
from lab_page import Lab
from module_graph import Modules
from playwright.sync_api import expect

BOXES = ["x", "conv Conv2d", "relu", "max_pool2d", "view", "head Linear", "output"]


def trace(lab: Lab) -> None:
    lab.open("trace", [NET, CALL])
    lab.run(0)
    lab.run(1)
    expect(lab.call).to_have_value("net(images)")
    lab.panel.get_by_role("button", name="Trace").click()
    lab.graph.expect_labels(*BOXES)


def test_the_graph_of_the_cells_model(lab: Lab) -> None:
    trace(lab)
    expect(lab.graph.facts).to_contain_text("Net: 5 nodes")


def test_a_node_leads_to_its_line(lab: Lab) -> None:
    trace(lab)
    lab.graph.click("conv Conv2d")
    facts = lab.graph.facts
    expect(facts).to_contain_text("conv (Conv2d)")
    expect(facts).to_contain_text("float32[4, 8, 28, 28]")
    facts.get_by_role("button", name="line 12").click()
    expect(lab.cell(0).locator(".cm-editor").first).to_have_class(re.compile("cm-focused"))
    assert lab.selection(0) == "x = torch.relu(self.conv(x))"


def test_a_graph_in_the_main_area(lab: Lab) -> None:
    trace(lab)
    lab.panel.get_by_role("button", name="Open the graph in the main area").click()
    tab = lab.page.locator(".tf-GraphTab:visible")
    Modules(tab).expect_labels(*BOXES)
    tab.get_by_role("button", name="Netron").click()
    expect(lab.netron.locator("#node-name-linear")).to_be_visible()
    lab.panel.get_by_role("button", name="Open the program (.pt2)").click()
    program = lab.page.locator(".tf-GraphTab:visible", has=lab.page.get_by_title("Program of"))
    expect(program.frame_locator("iframe").locator(".graph-node").first).to_be_visible()
    # Both come back with the page, from the kernel that holds them; it is asked when one looks.
    sent = lab.sent_from_now()
    lab.reload()
    expect(program.frame_locator("iframe").locator(".graph-node").first).to_be_visible()
    assert not [text for text in sent if '"again"' in text]
    lab.switch_to("Net")
    Modules(tab).expect_labels(*BOXES)


def test_the_person_picks_another_call(lab: Lab) -> None:
    lab.open("pick", [NET, "other = nn.Sequential(nn.Linear(4, 3), nn.Tanh())"])
    lab.run(0)
    lab.run(1)
    expect(lab.call).to_have_value("other(torch.randn(2, 4))")
    lab.call.fill("other(torch.randn(7, 4))")
    lab.page.keyboard.press("Enter")
    lab.graph.expect_labels("input", "0 Linear", "1 Tanh", "output")
    assert lab.graph.node("1 Tanh")["note"] == "float32[7, 3]"


def test_no_model_in_the_cell(lab: Lab) -> None:
    lab.open("none", ["import torch\nx = torch.ones(3)"])
    lab.run(0)
    lab.panel.get_by_role("button", name="Trace").click()
    expect(lab.section("Graph")).to_contain_text("No model is called or made in this cell")


def test_what_cannot_be_traced_says_why(lab: Lab) -> None:
    lab.open(
        "untraceable",
        [
            NET,
            "class Named(nn.Module):\n    def forward(self, x):\n"
            "        return x * len(f'{x.sum().item():.3f}')\n\n\n"
            "named = Named()\nout = named(torch.ones(3))",
            "class Branch(nn.Module):\n    def forward(self, x):\n"
            "        if x.sum() > 0:\n            return x\n        return -x\n\n\n"
            "branch = Branch()\nout = branch(torch.ones(3))",
        ],
    )
    lab.run(0)
    lab.run(1)
    expect(lab.call).to_have_value("named(torch.ones(3))")
    trace = lab.panel.get_by_role("button", name="Trace")
    trace.click()
    graph = lab.section("Graph")
    expect(graph).to_contain_text("raises while it is captured")
    expect(graph).to_contain_text("return x * len(f'{x.sum().item():.3f}')")
    lab.run(2)
    expect(lab.call).to_have_value("branch(torch.ones(3))")
    trace.click()
    expect(graph).to_contain_text("assumed that `x.sum() > 0` gives True")


def test_both_sides_of_a_model(lab: Lab) -> None:
    lab.open("pair", [NET, "images = torch.ones(4, 1, 28, 28)\nout = net(images)"])
    lab.run(0)
    lab.run(1)
    expect(lab.call).to_have_value("net(images)")
    lab.panel.get_by_role("button", name="Compare", exact=True).click()
    tab = lab.page.locator(".tf-GraphTab")
    expect(tab).to_contain_text("All 5 nodes agree")
    torch_side = Modules(tab)
    paddle_side = torch_side.other
    paddle_side.expect_labels(*BOXES)
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


def test_both_sides_of_a_model_in_a_target_that_takes_graphs(lab: Lab) -> None:
    pytest.importorskip("flax")
    lab.open("pair-jax", [NET, "images = torch.ones(4, 1, 28, 28)\nout = net(images)"])
    lab.run(0)
    lab.run(1)
    expect(lab.call).to_have_value("net(images)")
    lab.panel.get_by_label("Target").select_option("jax")
    lab.panel.get_by_role("button", name="Compare", exact=True).click()
    tab = lab.page.locator(".tf-GraphTab")
    expect(tab).to_contain_text("All 5 nodes agree")
    torch_side = Modules(tab)
    torch_side.other.click("max_pool2d")
    expect(torch_side.facts).to_contain_text("_max_pool(relu, [2, 2], [2, 2])")
    expect(lab.panel).to_contain_text("takes whole models by their graph, not source code")
