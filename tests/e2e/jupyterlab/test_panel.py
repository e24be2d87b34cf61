"""The panel beside a notebook: it follows the active cell and mends it."""

from __future__ import annotations

import os
import random
import re

from cells import NET, WORK
from lab_page import Lab
from playwright.sync_api import expect

# More of them: TORCHFERRY_SWITCHES=200.
SWITCHES = int(os.environ.get("TORCHFERRY_SWITCHES", "8"))
APART = re.compile("tf-mod-apart")
NUMBERED = re.compile(r"\[\d+\]")


def test_follows_the_active_cell(lab: Lab) -> None:
    lab.open("follow", [NET, WORK, "md:# Some text"])
    lab.select(1)
    expect(lab.converted).to_contain_text("paddle.ones")
    expect(lab.findings.first).to_be_visible()
    lab.select(2)
    expect(lab.status).to_have_text("This cell is not code.")
    lab.select(0)
    expect(lab.converted).to_contain_text("class Net(nn.Layer)")
    expect(lab.status).to_be_hidden()


def test_helpers_are_folded_away(lab: Lab) -> None:
    # One short helper: of long code an editor draws only what is in sight.
    lab.open("helpers", ["import torch\ny = torch.relu(torch.ones(2))"])
    lab.select(0)
    expect(lab.converted).to_contain_text("y = paddle.nn.functional.relu(")
    expect(lab.converted).not_to_contain_text("added lines")
    lab.panel.get_by_label("Style").select_option("exact")
    expect(lab.converted).to_contain_text("added lines")
    expect(lab.converted).not_to_contain_text("def torch_relu")
    lab.converted.get_by_role("button", name="added lines").click()
    expect(lab.converted).to_contain_text("def torch_relu")
    lab.panel.get_by_label("Style").select_option("plain")
    expect(lab.converted).not_to_contain_text("added lines")


def test_answers_while_one_types(lab: Lab) -> None:
    lab.open("typing", ["import torch", "x = 1"])
    lab.select(1)
    expect(lab.panel).to_contain_text("Nothing to convert in this cell.")
    lab.type_in(1, "x = torch.ones(2, 3)")
    expect(lab.converted).to_contain_text("paddle.ones(2, 3)")
    lab.page.keyboard.type("\nz = torch.")
    expect(lab.status).to_contain_text("syntax")
    lab.page.keyboard.type("zeros(3)")
    expect(lab.converted).to_contain_text("paddle.zeros")
    expect(lab.status).to_be_hidden()


def test_a_finding_leads_to_its_place(lab: Lab) -> None:
    lab.open("lead", ["import torch", WORK])
    lab.select(1)
    finding = lab.findings.filter(has_text="torch.ones").first
    finding.locator(".tf-Finding-main").click()
    editor = lab.cell(1).locator(".jp-InputArea-editor .cm-editor")
    expect(editor).to_have_class(re.compile("cm-focused"))
    assert lab.selection(1) == "torch.ones"


def test_a_fix_changes_the_cell_and_can_be_undone(lab: Lab) -> None:
    lab.open("fix", ["import torch", WORK])
    lab.select(1)
    finding = lab.findings.filter(has_text="torch.ones").first
    finding.get_by_role("button", name="Fix").click()
    lab.expect_source(1, re.compile("paddle.ones"))
    assert lab.source(1) == "import paddle\nzeros = torch.zeros(2, 3)\nones = paddle.ones(2, 3)"
    lab.command("notebook:undo")
    lab.expect_source(1, re.compile("torch.ones"))
    assert lab.source(1) == WORK


def test_fix_all_converts_the_cell(lab: Lab) -> None:
    lab.open("fix-all", ["import torch", WORK])
    lab.select(1)
    expect(lab.converted).to_contain_text("paddle.ones")
    shown = lab.shown_code()
    lab.panel.get_by_role("button", name="Fix all").click()
    lab.expect_source(1, re.compile("paddle.ones"))
    assert lab.source(1) == shown


def test_converted_code_goes_into_a_new_cell(lab: Lab) -> None:
    lab.open("insert", ["import torch", WORK])
    lab.select(1)
    expect(lab.converted).to_contain_text("paddle.ones")
    shown = lab.shown_code()
    lab.panel.get_by_role("button", name="Insert the converted code below").click()
    lab.expect_source(2, re.compile("paddle.ones"))
    assert (lab.source(1), lab.source(2)) == (WORK, shown)


def test_a_hazard_is_mended_and_a_version_chosen(lab: Lab) -> None:
    branch = (
        "class Net(torch.nn.Module):\n    def forward(self, x):\n"
        "        if x.sum() > 0:\n            return x\n        return -x\n\n\n"
        "parts = list(Net().modules())"
    )
    lab.open("hazard", ["import torch", branch])
    lab.select(1)
    finding = lab.findings.filter(has_text="TF401")
    expect(finding.get_by_role("img")).to_have_accessible_name(re.compile("from being captured"))
    finding.get_by_role("button", name="Fix").click()
    lab.expect_source(1, re.compile(r"return torch\.where\(x\.sum\(\) > 0, x, -x\)"))
    expect(finding).to_have_count(0)
    expect(lab.converted).to_contain_text(".modules()")
    lab.panel.get_by_label("Target").select_option("paddle==3.1")
    expect(lab.converted).to_contain_text(".sublayers(include_self=True)")


def test_the_style_is_chosen_and_what_is_inserted_runs_as_it_stands(lab: Lab) -> None:
    cell = "layer = torch.nn.Linear(2, 3)\nprint(type(layer).__module__)"
    lab.open("style", ["import torch", cell])
    lab.select(1)
    expect(lab.converted).to_contain_text("paddle.nn.Linear(2, 3, weight_attr=init)")
    lab.panel.get_by_label("Style").select_option("exact")
    expect(lab.converted).to_contain_text("layer = TorchLinear(2, 3)")
    lab.panel.get_by_label("Style").select_option("plain")
    expect(lab.converted).to_contain_text("weight_attr=init")
    lab.panel.get_by_role("button", name="Insert the converted code below").click()
    lab.expect_source(2, re.compile("weight_attr=init"))
    assert lab.source(2).startswith("import paddle\n")
    assert "\ninit = paddle.nn.initializer.KaimingUniform(" in lab.source(2)
    lab.run(2)
    expect(lab.cell(2).locator(".jp-OutputArea-output").last).to_contain_text("paddle.nn.layer")


def test_the_types_of_live_objects_count(lab: Lab) -> None:
    lab.open("live", ["import torch\nglobals()['made'] = torch.ones(2, 3)", "made.permute(1, 0)"])
    lab.select(1)
    finding = lab.findings.filter(has_text="permute")
    lab.run(0)
    lab.select(1)
    expect(finding).to_be_visible()
    expect(finding).not_to_contain_text("unknown")
    expect(finding).not_to_contain_text("assumed")


def test_places_are_right_after_wide_characters(lab: Lab) -> None:
    lab.open("wide", ["import torch", 'note = "🔥🔥 é"; x = torch.ones(1)'])
    lab.select(1)
    finding = lab.findings.filter(has_text="torch.ones").first
    finding.locator(".tf-Finding-main").click()
    expect(lab.cell(1).locator(".cm-editor").first).to_have_class(re.compile("cm-focused"))
    assert lab.selection(1) == "torch.ones"
    finding.get_by_role("button", name="Fix").click()
    lab.expect_source(1, re.compile("paddle.ones"))
    assert lab.source(1).splitlines()[-1] == ('note = "🔥🔥 é"; x = paddle.ones(1)')


def test_by_keyboard_alone(lab: Lab) -> None:
    lab.open("keys", ["import torch", WORK])
    lab.select(1)
    rows = lab.panel.locator(".tf-Finding-main")
    expect(rows.nth(1)).to_be_visible()
    rows.first.focus()
    lab.page.keyboard.press("ArrowDown")
    expect(rows.nth(1)).to_be_focused()
    lab.page.keyboard.press("ArrowUp")
    expect(rows.first).to_be_focused()
    lab.page.keyboard.press("Enter")
    expect(lab.cell(1).locator(".cm-editor").first).to_have_class(re.compile("cm-focused"))
    fold = lab.section("Converted code").get_by_role("button", name="Converted code", exact=True)
    fold.focus()
    lab.page.keyboard.press("Space")
    expect(fold).to_have_attribute("aria-expanded", "false")
    expect(lab.converted).to_be_hidden()


def test_runs_both_sides(lab: Lab) -> None:
    lab.open("run", ["import torch", WORK])
    lab.run(0)
    lab.select(1)
    lab.section("Devices and run").get_by_role("button", name="Run both sides").click()
    expect(lab.section("Comparison").locator(".tf-Run-output")).to_contain_text("Same")
    expect(lab.section("Values")).to_contain_text("zeros")
    expect(lab.section("Values")).to_contain_text("ones")
    # The names are there, as after any run.
    lab.type_in(1, "print(ones.sum().item())")
    lab.run(1)
    expect(lab.cell(1).locator(".jp-OutputArea-output")).to_have_text("6.0\n")


def test_the_panel_says_what_it_does_the_first_time(lab: Lab) -> None:
    lab.open("hint", ["import torch"])
    hint = lab.panel.locator(".tf-Hint")
    expect(hint).to_contain_text("nothing runs until you ask")
    hint.get_by_role("button", name="Got it").click()
    expect(hint).to_be_hidden()
    lab.reload()
    expect(lab.panel.get_by_role("heading", name="Torchferry")).to_be_visible()
    expect(hint).to_be_hidden()
    lab.panel.get_by_title("What the panel does").click()
    expect(hint).to_be_visible()


def test_a_key_runs_the_cell_on_both_sides(lab: Lab) -> None:
    lab.open("key", ["import torch", "x = torch.ones(3)\ny = x * 2"])
    lab.run(0)
    lab.select(1)
    lab.page.keyboard.press("Control+Alt+Enter")
    expect(lab.section("Comparison").locator(".tf-Run-output")).to_contain_text("Same")


def test_the_launcher_has_a_notebook_to_port_in(lab: Lab) -> None:
    lab.open("launched", ["import torch"])
    lab.page.get_by_title("New Launcher").first.click()
    lab.page.locator(".jp-LauncherCard", has_text="Port a Notebook").click()
    expect(lab.page.get_by_role("tab", name="Untitled.ipynb")).to_be_visible()
    expect(lab.panel).to_be_visible()


def test_options_of_a_run_are_chosen_in_the_panel(lab: Lab) -> None:
    lab.open("options", ["import torch", "x = torch.rand(3)\ny = x * 2", "import os\nos.abort()"])
    lab.run(0)
    lab.select(1)
    run = lab.section("Devices and run")
    options = run.locator(".tf-RunOptions")
    options.locator("summary").click()
    run.get_by_label("Repeats").fill("3")
    run.get_by_label("Seed").fill("7")
    run.get_by_label("Relative tolerance").fill("-1")  # no number that it takes
    expect(options.locator("summary")).to_have_text("Options: repeats 3 seed 7")
    run.get_by_role("button", name="Run both sides").click()
    outcome = lab.section("Comparison").locator(".tf-Run-output")
    expect(outcome).to_contain_text("median of 3")
    lab.select(2)
    run.get_by_label("Repeats").fill("")
    run.get_by_label("Isolated").check()
    run.get_by_role("button", name="Run both sides").click()
    expect(outcome).to_contain_text("torch crashed: Aborted at line 2")


def test_devices_of_both_frameworks(lab: Lab) -> None:
    lab.open("devices", ["import torch"])
    device = lab.section("Devices and run").get_by_label("Device")
    expect(device.locator("option")).to_have_text(["cpu", "Find devices …"])
    device.select_option("find")
    expect(device.locator("option").last).not_to_have_text("Find devices …")
    expect(device.locator("option").first).to_have_text("cpu")
    expect(device).to_have_value("cpu")


def test_what_converts_exactly_is_grouped(lab: Lab) -> None:
    plain = "\n".join(f"x{i} = torch.abs(torch.tensor({i}.0))" for i in range(4))
    lab.open("group", ["import torch", f"{plain}\nmodel = torch.hub.load('a', 'b')"])
    lab.select(1)
    summary = lab.panel.locator(".tf-Findings-group")
    expect(summary).to_contain_text("convert exactly")
    expect(lab.findings.first).to_contain_text("torch.hub.load")
    expect(lab.findings.filter(has_text="torch.abs").first).to_be_hidden()
    summary.click()
    expect(lab.findings.filter(has_text="torch.abs").first).to_be_visible()


SLOW = """%%convert
import time
for step in range(20):
    time.sleep(0.05)
total = torch.ones(2)"""


def test_the_panel_follows_while_a_cell_runs_on_both_sides(lab: Lab) -> None:
    """What is inserted is the active cell's own, at whatever moment another is taken."""
    cells = [f"step{number} = torch.full(({number},), {number})" for number in range(2, 6)]
    lab.open("follow-running", ["%load_ext jupyter_ext\nimport torch", SLOW, *cells])
    lab.run(0)
    lab.select(1)
    insert = lab.panel.get_by_role("button", name="Insert the converted code below")
    chance = random.Random(5)
    for _ in range(SWITCHES):
        lab.start(1)
        number = chance.randrange(2, 6)
        lab.page.wait_for_timeout(chance.uniform(0, 900))
        lab.select(number)
        insert.click()
        expect(lab.cell(number + 1).locator(".cm-content")).to_contain_text("paddle.full")
        assert f"\nstep{number} = paddle.full(" in lab.source(number + 1)
        lab.command("notebook:delete-cell")
        expect(lab.cell(1).locator(".jp-InputArea-prompt").first).to_have_text(NUMBERED)
        expect(lab.cell(1).locator(".jp-OutputArea")).to_contain_text("Same")


def test_a_comparison_says_whose_it_is(lab: Lab) -> None:
    lab.open("whose", ["import torch", WORK, "other = torch.ones(1)"])
    lab.run(0)
    lab.select(1)
    lab.panel.get_by_role("button", name="Run both sides").click()
    subject = lab.section("Comparison").locator(".tf-Subject")
    expect(subject).to_contain_text("whose.ipynb")
    expect(subject).to_contain_text("zeros = torch.zeros(2, 3)")
    expect(lab.section("Comparison")).to_contain_text("Same")
    expect(subject).not_to_have_class(APART)
    lab.select(2)
    expect(subject).to_contain_text("another cell")
    expect(subject).to_have_class(APART)
    subject.get_by_role("button").click()
    expect(lab.cell(1)).to_have_class(re.compile("jp-mod-active"))
    expect(subject).not_to_have_class(APART)
    lab.type_in(1, "zeros = torch.zeros(4)")
    expect(subject).to_contain_text("the cell has changed since")
