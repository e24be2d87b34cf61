"""The panel over time: busy and restarted kernels, several notebooks, reloads, themes."""

from __future__ import annotations

from cells import NET, WORK
from lab_page import Lab
from playwright.sync_api import expect


def test_answers_while_a_cell_runs(lab: Lab) -> None:
    lab.open("busy", ["import torch, time", "time.sleep(600)", "x = 1"])
    lab.run(0)
    lab.start(1)
    lab.type_in(2, WORK)
    expect(lab.converted).to_contain_text("paddle.ones(2, 3)")
    # Still running: the answer came beside it.
    expect(lab.cell(1).locator(".jp-InputArea-prompt")).to_have_text("[*]:")
    lab.command("kernelmenu:interrupt")
    expect(lab.cell(1)).to_contain_text("KeyboardInterrupt")


def test_tracing_waits_for_the_running_cell(lab: Lab) -> None:
    lab.open("wait", [NET, "import time\ntime.sleep(600)"])
    lab.run(0)
    expect(lab.call).to_have_value("net(torch.randn(2, 1, 32, 32))")
    lab.call.fill("net(torch.randn(2, 1, 28, 28))")
    lab.start(1)
    lab.select(0)
    # What was written for this cell is there again.
    expect(lab.call).to_have_value("net(torch.randn(2, 1, 28, 28))")
    lab.panel.get_by_role("button", name="Trace").click()
    expect(lab.section("Graph")).to_contain_text("Tracing")
    lab.command("kernelmenu:interrupt")
    expect(lab.graph.facts).to_contain_text("Net: 5 nodes")


def test_a_restarted_kernel_is_found_again(lab: Lab) -> None:
    lab.open("restart", ["import torch", WORK])
    lab.select(1)
    expect(lab.converted).to_contain_text("paddle.ones(2, 3)")
    lab.page.evaluate(
        "window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()"
    )
    lab.type_in(1, "x = torch.zeros(7)")
    expect(lab.converted).to_contain_text("paddle.zeros")
    expect(lab.status).to_be_hidden()


def test_a_kernel_that_was_shut_down_and_started_again(lab: Lab) -> None:
    lab.open("shut", ["import torch", WORK])
    lab.select(1)
    expect(lab.converted).to_contain_text("paddle.ones(2, 3)")
    lab.page.evaluate("window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    expect(lab.status).to_contain_text("This notebook has no kernel")
    lab.page.evaluate(
        "window.jupyterapp.shell.currentWidget.sessionContext.changeKernel({name: 'python3'})"
    )
    expect(lab.converted).to_contain_text("paddle.ones(2, 3)")


def test_several_notebooks_at_once(lab: Lab) -> None:
    lab.open("first", ["import torch", "a = torch.zeros(1)"])
    lab.open("second", ["import torch", "b = torch.ones(2)"], workspace="same")
    lab.switch_to("first.ipynb")
    expect(lab.converted).to_have_text("import paddle")
    lab.select(1)
    expect(lab.converted).to_contain_text("paddle.zeros")
    lab.switch_to("second.ipynb")
    lab.select(1)
    expect(lab.converted).to_contain_text("paddle.ones")
    lab.switch_to("first.ipynb")
    expect(lab.converted).to_contain_text("paddle.zeros")


def test_the_layout_comes_back_after_a_reload(lab: Lab) -> None:
    lab.open("reload", ["import torch", WORK])
    lab.section("Graph").get_by_role("button", name="Graph", exact=True).click()
    lab.reload()
    expect(lab.panel).to_be_visible()
    for heading, open_ in (("Graph", "false"), ("Findings", "true")):
        fold = lab.section(heading).get_by_role("button", name=heading, exact=True)
        expect(fold).to_have_attribute("aria-expanded", open_)


def test_a_notebook_of_300_cells(lab: Lab) -> None:
    cells = ["import torch", *(f"x{i} = torch.ones({i + 1}, 2)" for i in range(299))]
    lab.open("long", cells)
    lab.command("notebook:move-cursor-down")
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
    assert sent and max(sent) < 4000


def test_dark_theme(lab: Lab) -> None:
    lab.open("dark", [NET, "out = net(torch.ones(4, 1, 28, 28))"])
    lab.run(0)
    lab.run(1)
    expect(lab.call).to_have_value("net(torch.ones(4, 1, 28, 28))")
    lab.panel.get_by_role("button", name="Trace").click()
    lab.panel.get_by_role("button", name="Open the graph in the main area").click()
    lab.page.get_by_role("button", name="Netron").click()
    expect(lab.netron.locator("#node-name-conv2d")).to_be_visible()
    light = lab.colours_of_graph()
    lab.command("apputils:change-theme", theme="JupyterLab Dark")
    expect(lab.netron.locator("html[data-theme=dark]")).to_be_attached()
    dark = lab.colours_of_graph()
    assert light["background"] > 200 > 100 > dark["background"]
    assert light["edge"] < 100 < dark["edge"]
    lab.command("apputils:change-theme", theme="JupyterLab Light")
    expect(lab.netron.locator("html[data-theme=light]")).to_be_attached()
    assert lab.colours_of_graph() == light
    lab.command("apputils:change-theme", theme="JupyterLab Dark")
