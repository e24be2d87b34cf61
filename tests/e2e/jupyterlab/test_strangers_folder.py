"""An untrusted notebook: files next to it run only after a person agrees."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from lab_page import Lab, Server
from playwright.sync_api import expect

# Modules that would run if they were imported by their names.
TRAPS = ("jupyter_ext/__init__", "jupyter_ext/panel", "workbench", "libcst", "torch")
RULES = """
from workbench.rules.own import OwnRules

rules = OwnRules()
rules.row("softer.soft", "paddle.tanh({x}) * 2", signature="(x) -> Tensor")
"""
CELL = "import torch\nfrom softer import soft\ny = soft(torch.ones(2))"
OWN = re.compile(r"paddle\.tanh")


@dataclass
class Stranger:
    """A folder with a notebook in it, and with modules that leave a mark where they run."""

    lab: Lab
    folder: Path
    marks: Path
    sent: list[str]

    def ran(self) -> set[str]:
        """Return the modules that have run since this was last asked."""
        found = {mark.name for mark in self.marks.iterdir()}
        for name in found:
            (self.marks / name).unlink()
        return found

    def settle(self) -> None:
        """Wait until the page has its kernel, which has answered all that it was asked by then."""
        self.lab.page.evaluate(_SETTLE)

    def executed(self) -> list[str]:
        """Return the code that kernels were asked to run, and the comms that we opened."""
        asked = [text for text in self.sent if '"execute_request"' in text]
        return asked + [t for t in self.sent if '"comm_open"' in t and '"torchferry"' in t]


_SETTLE = """async () => {
    await window.jupyterapp.restored;
    const { sessionContext } = window.jupyterapp.shell.currentWidget;
    await sessionContext.ready;
    const kernel = sessionContext.session.kernel;
    await kernel.info;
    // What was sent before goes first, on either channel.
    for (const _ of [1, 2]) {
        await kernel.requestKernelInfo();
        await kernel.requestCommInfo({});
    }
}"""


def trap(marks: Path, name: str) -> str:
    return f"open({str(marks / name)!r}, 'w').close()\n"


@pytest.fixture
def stranger(lab: Lab, tmp_path: Path) -> Stranger:
    folder = lab.server.root / "stranger"
    marks = tmp_path / "marks"
    marks.mkdir()
    (folder / "jupyter_ext").mkdir(parents=True, exist_ok=True)
    for name in TRAPS:
        (folder / f"{name}.py").write_text(trap(marks, name.replace("/", ".")))
    (folder / "pyproject.toml").write_text('[tool.torchferry]\nrules = "evil.py"\n')
    (folder / "evil.py").write_text(trap(marks, "evil") + RULES)
    lab.write("stranger/given", [CELL])
    lab.write("stranger/other", [CELL])
    return Stranger(lab, folder, marks, lab.sent_from_now())


@pytest.fixture
def language_servers(server: Server) -> Iterator[None]:
    """Language servers, which other pages do without, are on once a page is loaded again."""
    pytest.importorskip("jupyterlab_lsp", reason="pip install jupyterlab-lsp")
    server.configure(language_servers=True)
    yield
    server.configure(language_servers=False)
    if server.lab is not None:
        server.lab.page.context.close()


def test_nothing_of_the_folder_runs_unasked(lab: Lab, stranger: Stranger) -> None:
    lab.visit("stranger/given")
    stranger.settle()
    assert (stranger.executed(), stranger.ran()) == ([], set())
    lab.command("docmanager:open", path="stranger/other.ipynb")
    expect(lab.tab("other.ipynb")).to_have_class(re.compile("lm-mod-current"))
    stranger.settle()
    lab.switch_to("given.ipynb")
    lab.restart()
    stranger.settle()
    assert (stranger.executed(), stranger.ran()) == ([], set())

    # The panel is the installed one.
    lab.show_panel()
    lab.select(0)
    expect(lab.converted).to_contain_text("paddle.ones(2)")
    device = lab.section("Devices and run").get_by_label("Device")
    expect(device.locator("option")).to_have_text(["cpu", "Find devices …"])
    device.select_option("find")
    expect(device.locator("option").last).not_to_have_text("Find devices …")
    expect(device.locator("option").first).to_have_text("cpu")
    expect(device).to_have_value("cpu")
    assert stranger.ran() == set()
    own_rules_wait_for_an_answer_that_can_be_taken_back(lab, stranger)

    # Put away, it stays still.
    lab.command("application:toggle-right-area")
    expect(lab.panel).to_be_hidden()
    stranger.settle()
    stranger.sent.clear()
    lab.switch_to("other.ipynb")
    stranger.settle()
    lab.restart()
    stranger.settle()
    assert (stranger.executed(), stranger.ran()) == ([], set())


def own_rules_wait_for_an_answer_that_can_be_taken_back(lab: Lab, stranger: Stranger) -> None:
    asked = lab.panel.locator(".tf-Rules")
    expect(asked).to_contain_text("evil.py")
    expect(asked).to_contain_text("code")
    expect(lab.converted).not_to_contain_text(OWN)
    asked.get_by_role("button", name="Trust and load").click()
    expect(lab.converted).to_contain_text(OWN)
    assert stranger.ran() == {"evil"}
    # Remembered: another kernel does not ask.
    lab.restart()
    lab.type_in(0, f"{CELL}\nz = 1")
    expect(lab.converted).to_contain_text("z = 1")
    expect(lab.converted).to_contain_text(OWN)
    assert stranger.ran() == {"evil"}
    asked.get_by_role("button", name="Revoke").click()
    expect(lab.converted).not_to_contain_text(OWN)
    asked.get_by_role("button", name="Not now").click()
    expect(asked).to_be_hidden()
    lab.type_in(0, f"{CELL}\nz = 2")
    expect(lab.converted).to_contain_text("z = 2")
    expect(lab.converted).not_to_contain_text(OWN)
    assert stranger.ran() == set()


@pytest.mark.usefixtures("language_servers")
def test_a_page_that_comes_back_shows_what_the_language_server_finds(
    lab: Lab, stranger: Stranger
) -> None:
    """Below `%%convert` too; nothing of the folder runs for it, nor for a panel put away."""
    cells = ["import torch", "x = torch.hub.load('a', 'b')", "%%convert\ny = torch.ham()"]
    lab.write("stranger/served", cells)
    lab.show("stranger/served")
    if lab.panel.is_visible():  # another test on this page may have shown it
        lab.command("application:toggle-right-area")
    expect(lab.panel).to_be_hidden()
    lab.save_layout()
    lab.page.reload()
    expect(lab.tab("served.ipynb")).to_be_visible()
    for index, name in ((1, "torch.hub.load"), (2, "torch.ham")):
        marked = lab.cell(index).locator(".cm-lintRange-error")
        expect(marked.first).to_have_text(re.compile(re.escape(name)))
    # The line of the magic is none of the server's business.
    expect(lab.cell(2).locator(".cm-line").first.locator(".cm-lintRange")).to_have_count(0)
    stranger.settle()
    expect(lab.panel).to_be_hidden()
    assert (stranger.executed(), stranger.ran()) == ([], set())
