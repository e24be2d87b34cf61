"""The panel next to a notebook: it follows the active cell, mends it, and writes as one chooses."""

from __future__ import annotations

import os
import re
import signal

from cells import NET, WORK
from lab_page import Lab
from playwright.sync_api import expect

FOCUSED = re.compile("cm-focused")
LOST = "x0 = torch.hub.load('a', 'b')"


def test_the_panel_follows_the_active_cell(lab: Lab) -> None:
    exact = "\n".join(f"x{i} = torch.abs(torch.tensor({i}.0))" for i in range(1, 5))
    made = "import torch\nglobals()['made'] = torch.ones(2, 3)"
    cells = [NET, WORK, "md:# Some text", "x = 1", made, "made.permute(1, 0)", f"{exact}\n{LOST}"]
    lab.open("follow", cells)
    lab.select(1)
    expect(lab.converted).to_contain_text("paddle.ones")
    expect(lab.findings.first).to_be_visible()
    lab.select(2)
    expect(lab.status).to_have_text("This cell is not code.")
    lab.select(0)
    expect(lab.converted).to_contain_text("class Net(nn.Layer)")
    expect(lab.status).to_be_hidden()

    # It answers while one types.
    lab.select(3)
    expect(lab.panel).to_contain_text("Nothing to convert in this cell.")
    lab.type_in(3, "x = torch.ones(2, 3)")
    expect(lab.converted).to_contain_text("paddle.ones(2, 3)")
    lab.page.keyboard.type("\nz = torch.")
    expect(lab.status).to_contain_text("syntax")
    lab.page.keyboard.type("zeros(3)")
    expect(lab.converted).to_contain_text("paddle.zeros")
    expect(lab.status).to_be_hidden()

    # The types of live objects count.
    lab.run(4)
    lab.select(5)
    finding = lab.findings.filter(has_text="permute")
    expect(finding).to_be_visible()
    expect(finding).not_to_contain_text("unknown")
    expect(finding).not_to_contain_text("assumed")

    # Exact conversions are in a folded group.
    lab.select(6)
    group = lab.panel.locator(".tf-Findings-group")
    expect(group).to_contain_text("convert exactly")
    expect(lab.findings.first).to_contain_text("torch.hub.load")
    expect(lab.findings.filter(has_text="torch.abs").first).to_be_hidden()
    group.click()
    expect(lab.findings.filter(has_text="torch.abs").first).to_be_visible()


def test_findings_lead_to_their_places_and_are_fixed(lab: Lab) -> None:
    wide = 'note = "🔥🔥 é"; x = torch.ones(1)'
    lab.open("fix", ["import torch", WORK, wide])
    lab.select(1)
    finding = lab.findings.filter(has_text="torch.ones").first
    finding.locator(".tf-Finding-main").click()
    expect(lab.cell(1).locator(".cm-editor").first).to_have_class(FOCUSED)
    assert lab.selection(1) == "torch.ones"
    by_keyboard_alone(lab)

    finding.get_by_role("button", name="Fix").click()
    lab.expect_source(1, re.compile("paddle.ones"))
    assert lab.source(1) == "import paddle\nzeros = torch.zeros(2, 3)\nones = paddle.ones(2, 3)"
    lab.command("notebook:undo")
    lab.expect_source(1, re.compile("torch.ones"))
    assert lab.source(1) == WORK

    expect(lab.converted).not_to_contain_text("import paddle")
    expect(lab.converted).to_contain_text("paddle.zeros(2, 3)")
    shown = lab.shown_code()
    lab.button("Insert the converted code below, as a new cell").click()
    lab.expect_source(2, re.compile("paddle.ones"))
    # Torch's names keep their values.
    own = shown.replace("zeros =", "zeros_paddle =").replace("ones =", "ones_paddle =")
    assert (lab.source(1), lab.source(2)) == (WORK, f"import paddle\n{own}")
    expect(finding).to_have_count(0)
    lab.select(1)
    expect(finding).to_be_visible()
    lab.button("Fix all: convert the whole cell in place").click()
    lab.expect_source(1, re.compile("paddle.ones"))
    assert lab.source(1) == f"import paddle\n{shown}"

    # Places are right after wide characters.
    lab.select(3)
    expect(lab.converted).to_contain_text(wide.replace("torch", "paddle"))
    finding.locator(".tf-Finding-main").click()
    expect(lab.cell(3).locator(".cm-editor").first).to_have_class(FOCUSED)
    assert lab.selection(3) == "torch.ones"
    finding.get_by_role("button", name="Fix").click()
    lab.expect_source(3, re.compile("paddle.ones"))
    assert lab.source(3).splitlines()[-1] == 'note = "🔥🔥 é"; x = paddle.ones(1)'


def by_keyboard_alone(lab: Lab) -> None:
    """Go through the findings of cell 1, and fold a section, without the mouse."""
    rows = lab.panel.locator(".tf-Finding-main")
    expect(rows.nth(1)).to_be_visible()
    rows.first.focus()
    lab.page.keyboard.press("ArrowDown")
    expect(rows.nth(1)).to_be_focused()
    lab.page.keyboard.press("ArrowUp")
    expect(rows.first).to_be_focused()
    lab.page.keyboard.press("Enter")
    expect(lab.cell(1).locator(".cm-editor").first).to_have_class(FOCUSED)
    fold = lab.section("Converted code").get_by_role("button", name="Converted code", exact=True)
    fold.focus()
    lab.page.keyboard.press("Space")
    expect(fold).to_have_attribute("aria-expanded", "false")
    expect(lab.converted).to_be_hidden()
    lab.page.keyboard.press("Space")
    expect(lab.converted).to_be_visible()


def test_hazards_styles_and_versions(lab: Lab) -> None:
    branch = (
        "class Net(torch.nn.Module):\n    def forward(self, x):\n"
        "        if x.sum() > 0:\n            return x\n        return -x\n\n\n"
        "parts = list(Net().modules())"
    )
    cells = ["import torch", "layer = torch.nn.Linear(2, 3)", "y = torch.relu(torch.ones(2))"]
    lab.open("style", [*cells, branch])
    style, target = lab.panel.get_by_label("Style"), lab.panel.get_by_label("Target")
    lab.select(1)
    expect(lab.converted).to_contain_text("paddle.nn.Linear(2, 3, weight_attr=init)")
    style.select_option("exact")
    lab.page.wait_for_function(
        "async () => (await (await fetch('/lab/api/settings/torchferry:panel')).json())"
        ".settings.style === 'exact'"
    )
    expect(lab.converted).to_contain_text("layer = TorchLinear(2, 3)")
    lab.select(2)
    expect(lab.converted).to_contain_text("y = torch_relu(")
    expect(lab.converted).not_to_contain_text("def torch_relu")  # it goes into a module
    style.select_option("plain")
    expect(lab.converted).to_contain_text("y = paddle.nn.functional.relu(")

    lab.select(3)
    finding = lab.findings.filter(has_text="TF401")
    expect(finding.get_by_role("img")).to_have_accessible_name(re.compile("Prevents the capture"))
    finding.get_by_role("button", name="Fix").click()
    lab.expect_source(3, re.compile(r"return torch\.where\(x\.sum\(\) > 0, x, -x\)"))
    expect(finding).to_have_count(0)
    expect(lab.converted).to_contain_text(".modules()")
    target.select_option("paddle==3.1")
    expect(lab.converted).to_contain_text(".sublayers(include_self=True)")
    target.select_option("jax")
    expect(lab.converted).to_contain_text("nnx.")
    target.select_option("paddle")
    style.select_option("")
    expect(lab.converted).to_contain_text(".modules()")


def test_the_panel_waits_for_a_kernel_that_does_not_answer(lab: Lab) -> None:
    lab.open("wait", ["import os, torch\nprint(os.getpid())", WORK, "x = torch.ones(2)"])
    lab.run(0)
    kernel = int(lab.cell(0).locator(".jp-OutputArea-output").inner_text())
    lab.select(1)
    expect(lab.converted).to_contain_text("paddle.zeros(2, 3)")
    os.kill(kernel, signal.SIGSTOP)
    try:
        lab.select(2)
        # The content of another cell must not look like this one's.
        waiting = lab.panel.locator(".tf-mod-waiting")
        expect(waiting.locator(".tf-Code")).to_have_css("opacity", "0.5")
        expect(waiting.locator(".tf-Findings")).to_have_css("opacity", "0.5")
        expect(lab.button("Fix all: convert the whole cell in place")).to_be_disabled()
    finally:
        os.kill(kernel, signal.SIGCONT)
    expect(lab.converted).to_contain_text("x = paddle.ones(2)")
    expect(waiting).to_have_count(0)
    expect(lab.panel.locator(".tf-Code")).to_have_css("opacity", "1")
