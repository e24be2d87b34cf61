"""Tracing from the panel: the graph, Netron's page of it, and the way back to the line."""

from __future__ import annotations

import re

from cells import CALL, NET
from lab_page import Lab
from module_graph import Modules
from playwright.sync_api import expect

BOXES = ["x", "conv Conv2d", "relu", "max_pool2d", "view", "head Linear", "output"]


def test_a_graph_leads_to_its_lines_and_opens_in_tabs(lab: Lab) -> None:
    lab.open("trace", [NET, CALL])
    lab.run(0)
    lab.run(1)
    lab.trace("net(images)")
    lab.graph.expect_labels(*BOXES)
    facts = lab.graph.facts
    expect(facts).to_contain_text("Net: 5 nodes")
    lab.graph.click("conv Conv2d")
    expect(facts).to_contain_text("conv (Conv2d)")
    expect(facts).to_contain_text("float32[4, 8, 28, 28]")
    facts.get_by_role("button", name="line 12").click()
    expect(lab.cell(0).locator(".cm-editor").first).to_have_class(re.compile("cm-focused"))
    assert lab.selection(0) == "x = torch.relu(self.conv(x))"

    lab.button("Open the graph in the main area").click()
    tab = lab.page.locator(".tf-GraphTab:visible")
    Modules(tab).expect_labels(*BOXES)
    tab.get_by_role("button", name="Netron").click()
    expect(lab.netron.locator("#node-name-linear")).to_be_visible()
    follows_the_theme(lab)
    lab.button("Open the captured program (.pt2)").click()
    program = lab.page.locator(".tf-GraphTab:visible", has=lab.page.get_by_title("Program of"))
    expect(program.frame_locator("iframe").locator(".graph-node").first).to_be_visible()
    # Both come back with the page, from the kernel that holds them; it is asked when one looks.
    hint = lab.panel.locator(".tf-Hint")
    hint.get_by_text("Got it").dispatch_event("click")  # by whoever opened the page
    fold = lab.section("Graph").get_by_role("button", name="Graph", exact=True)
    fold.click()
    sent = lab.sent_from_now()
    lab.reload()
    # The panel is as it was left, too.
    expect(fold).to_have_attribute("aria-expanded", "false")
    expect(hint).to_be_hidden()
    fold.click()
    expect(program.frame_locator("iframe").locator(".graph-node").first).to_be_visible()
    assert not [text for text in sent if '"again"' in text]
    lab.switch_to("Net")
    Modules(tab).expect_labels(*BOXES)


def follows_the_theme(lab: Lab) -> None:
    """See Netron's page dark where JupyterLab is, and light again."""
    light = lab.colours_of_graph()
    lab.command("apputils:change-theme", theme="JupyterLab Dark")
    expect(lab.netron.locator("html[data-theme=dark]")).to_be_attached()
    dark = lab.colours_of_graph()
    assert light["background"] > 200 > 100 > dark["background"]
    assert light["edge"] < 100 < dark["edge"]
    lab.command("apputils:change-theme", theme="JupyterLab Light")
    expect(lab.netron.locator("html[data-theme=light]")).to_be_attached()
    assert lab.colours_of_graph() == light


def test_the_call_is_picked_and_what_cannot_be_traced_says_why(lab: Lab) -> None:
    cells = [NET, "other = nn.Sequential(nn.Linear(4, 3), nn.Tanh())", "x = 1", NAMED, BRANCH]
    lab.open("calls", cells)
    lab.run(0)
    expect(lab.call).to_have_value(re.compile(r"^net\("))
    graph = lab.section("Graph")
    lab.select(2)
    expect(lab.call).to_have_value("")
    lab.button("Trace").click()
    expect(graph).to_contain_text("This cell neither calls nor creates a model")
    lab.run(3)
    lab.trace("named(torch.ones(3))")
    expect(graph).to_contain_text("raises while it is captured")
    expect(graph).to_contain_text("return x * len(f'{x.sum().item():.3f}')")
    lab.run(4)
    lab.trace("branch(torch.ones(3))")
    expect(graph).to_contain_text("assumed that `x.sum() > 0` gives True")
    lab.run(1)
    expect(lab.call).to_have_value("other(torch.randn(2, 4))")
    lab.call.fill("other(torch.randn(7, 4))")
    lab.page.keyboard.press("Enter")
    expect(lab.button("Trace")).to_be_enabled()
    lab.graph.expect_labels("input", "0 Linear", "1 Tanh", "output")
    assert lab.graph.node("1 Tanh")["note"] == "float32[7, 3]"


NAMED = """class Named(nn.Module):
    def forward(self, x):
        return x * len(f'{x.sum().item():.3f}')


named = Named()
out = named(torch.ones(3))"""
BRANCH = """class Branch(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x
        return -x


branch = Branch()
out = branch(torch.ones(3))"""
