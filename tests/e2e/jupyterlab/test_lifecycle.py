"""The panel over time: busy and restarted kernels, several notebooks, the first page."""

from __future__ import annotations

import re

from cells import NET, WORK
from lab_page import Lab
from playwright.sync_api import expect

from jupyter_ext.launch import EXAMPLES, arrange, lay_out


def test_a_running_cell_keeps_nothing_waiting_but_what_must(lab: Lab) -> None:
    lab.open("busy", [NET, "import time\ntime.sleep(600)", "x = 1"])
    lab.run(0)
    expect(lab.call).to_have_value("net(torch.randn(2, 1, 32, 32))")
    lab.call.fill("net(torch.randn(2, 1, 28, 28))")
    lab.start(1)
    lab.type_in(2, WORK)
    expect(lab.converted).to_contain_text("paddle.ones(2, 3)")
    # Tracing runs where cells run; what was written for the cell is there again.
    lab.select(0)
    expect(lab.call).to_have_value("net(torch.randn(2, 1, 28, 28))")
    lab.button("Trace").click()
    expect(lab.section("Graph")).to_contain_text("Tracing")
    expect(lab.cell(1).locator(".jp-InputArea-prompt")).to_have_text("[*]:")
    lab.command("kernelmenu:interrupt")
    expect(lab.cell(1)).to_contain_text("KeyboardInterrupt")
    subject = lab.section("Graph").locator(".tf-Subject")
    expect(subject).to_contain_text("busy.ipynb")
    expect(lab.graph.facts).to_contain_text("Net: 5 nodes")


def test_kernels_that_are_restarted_shut_down_or_older(lab: Lab) -> None:
    lab.open("restart", ["import torch", "a = torch.ones(2)"])
    overview = lab.section("Notebook")
    overview.get_by_role("button", name="Run all").click()
    words = overview.locator(".tf-Cells-word")
    expect(words).to_have_text(["same"] * 2)
    lab.restart()
    expect(words).to_have_text(["stale"] * 2)
    sign = overview.locator(".tf-Cells-sign").first
    expect(sign).to_have_attribute("title", re.compile("Before the kernel restarted: "))
    lab.select(1)
    lab.type_in(1, "x = torch.zeros(7)")
    expect(lab.converted).to_contain_text("paddle.zeros")
    expect(lab.status).to_be_hidden()

    context = "window.jupyterapp.shell.currentWidget.sessionContext"
    lab.page.evaluate(f"{context}.shutdown()")
    expect(lab.status).to_contain_text("This notebook has no kernel")
    lab.page.evaluate(f"{context}.changeKernel({{name: 'python3'}})")
    expect(lab.converted).to_contain_text("paddle.zeros")

    # The version of what the two say to each other; an older kernel has another.
    set_version(lab, 1)
    expect(lab.status).to_contain_text("The kernel has another version of Torchferry")
    set_version(lab, 3)
    expect(lab.status).to_have_attribute("data-link", "ready")


def set_version(lab: Lab, version: int) -> None:
    """Have the kernel of `restart.ipynb` name this version to whoever opens the notebook again."""
    lab.type_in(1, f"import jupyter_ext.panel as own\nown.PROTOCOL = {version}\nown.PROTOCOL")
    lab.page.keyboard.press("Control+Enter")
    expect(lab.cell(1).locator(".jp-OutputArea-output")).to_have_text(str(version))
    lab.save()
    lab.page.evaluate("window.jupyterapp.shell.currentWidget.close()")
    expect(lab.tab("restart.ipynb")).to_have_count(0)
    lab.command("docmanager:open", path="restart.ipynb")
    expect(lab.cell(1)).to_be_visible()


def test_notebooks_side_by_side_and_long_ones(lab: Lab) -> None:
    lab.open("first", ["import torch", "a = torch.zeros(1)"])
    lab.open("second", ["import torch", "b = torch.ones(2)"], keep_others=True)
    lab.switch_to("first.ipynb")
    expect(lab.converted).to_have_text("import paddle")
    lab.select(1)
    expect(lab.converted).to_contain_text("paddle.zeros")
    lab.switch_to("second.ipynb")
    lab.select(1)
    expect(lab.converted).to_contain_text("paddle.ones")
    lab.switch_to("first.ipynb")
    expect(lab.converted).to_contain_text("paddle.zeros")

    rest = (f"# {'.' * 200}\nx{i} = torch.ones({i + 1}, 2)" for i in range(40))
    cells = ["import torch", *rest]
    lab.open("long", cells)
    lab.select(2)
    expect(lab.converted).to_contain_text("paddle.ones(2, 2)")
    sent: list[int] = []

    def note(frame: str | bytes) -> None:
        text = frame if isinstance(frame, str) else frame.decode(errors="replace")
        if '"do":"look"' in text.replace(" ", ""):
            sent.append(len(frame))

    lab.on_sent(note)
    lab.type_in(2, "y = torch.zeros(5)")
    expect(lab.converted).to_contain_text("paddle.zeros")
    # A keystroke sends its cell, not the notebook.
    assert sent and max(sent) < 4000 < len("".join(cells))


def test_the_first_page_and_a_new_notebook(lab: Lab) -> None:
    """`make lab` opens the tour with the panel, nothing unsaved; the launcher has its own card."""
    lay_out(EXAMPLES, lab.server.root)
    lab.page.goto("about:blank")  # the page that was open would save its layout again
    for workspace in lab.server.workspaces.glob("*"):
        workspace.unlink()
    arrange(lab.server.workspaces)
    lab.visit("tour", workspace="as it is")
    expect(lab.status).to_have_attribute("data-link", "ready")
    expect(lab.panel).to_be_visible()
    model = lab.page.evaluate_handle("window.jupyterapp.shell.currentWidget.context.model")
    assert not model.evaluate("model => model.dirty"), model.evaluate(
        "model => JSON.stringify(model.metadata ?? model.sharedModel.metadata)"
    )

    hint = lab.panel.locator(".tf-Hint")
    expect(hint).to_contain_text("nothing runs until you ask")
    hint.get_by_role("button", name="Got it").click()
    expect(hint).to_be_hidden()
    lab.panel.get_by_title("What the panel does").click()
    expect(hint).to_be_visible()
    hint.get_by_role("button", name="Got it").click()

    lab.command("launcher:create")
    lab.page.locator(".jp-LauncherCard", has_text="Port a Notebook").click()
    expect(lab.page.get_by_role("tab", name="Untitled.ipynb")).to_be_visible()
    expect(lab.panel).to_be_visible()
    # As for each new notebook, JupyterLab asks which kernel to start.
    lab.page.locator(".jp-Dialog").get_by_role("button", name="No Kernel").click()
    expect(lab.page.locator(".jp-Dialog")).to_have_count(0)
    expect(lab.status).to_contain_text("This notebook has no kernel")
