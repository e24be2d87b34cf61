"""Whole folders and models in the real workbench: the report, the graph, and what is ignored."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from vscode_page import START_MS, Workbench

import workbench

if TYPE_CHECKING:
    from collections.abc import Callable

MODEL = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(8, 10)

    def forward(self, x: torch.Tensor):
        x = torch.relu(x)
        return self.head(x)


class Choosing(nn.Module):
    def forward(self, x: torch.Tensor):
        if x.sum() > 0:
            return x
        return torch.no_such_thing(x)
"""


@pytest.fixture
def folder(root: Path, request: pytest.FixtureRequest) -> Path:
    folder = Path(mkdtemp(prefix=request.node.name, dir=root))
    (folder / "deep").mkdir()
    (folder / "model.py").write_text(MODEL)
    (folder / "deep" / "plain.py").write_text("import torch\n\nx = torch.zeros(3)\n")
    return folder


def test_the_workspace_with_a_report(
    folder: Path, open_folder: Callable[[Path], Workbench], tmp_path: Path
) -> None:
    window = open_folder(folder)
    window.open_file("model.py")
    window.expect_any_squiggle(START_MS)
    place = tmp_path / "converted"
    window.command("Torchferry: Convert the Workspace…", str(place))
    report = window.page_shown().locator("main")
    expect(report).to_contain_text("uses of torch converted", timeout=START_MS)
    expect(report).to_contain_text("torch.no_such_thing")
    expect(window.messages.first).to_contain_text("1 remain")
    window.page.screenshot(path=tmp_path / "report.png")
    assert (place / "deep" / "plain.py").read_text() == "import paddle\n\nx = paddle.zeros(3)\n"
    assert "# torchferry TF201" in (place / "model.py").read_text()
    assert (folder / "model.py").read_text() == MODEL, "nothing of the original is changed"


def test_one_file_with_a_report(folder: Path, window: Workbench) -> None:
    window.open_file("deep/plain.py")
    window.expect_any_squiggle(START_MS)
    window.save_as("Torchferry: Convert This File to…", re.compile(r"deep/plain_paddle\.py$"))
    expect(window.messages.first).to_contain_text("100 % of 1 uses", timeout=START_MS)
    assert (folder / "deep" / "plain_paddle.py").read_text().startswith("import paddle\n")
    expect(window.page_shown().locator("main")).to_contain_text("uses of torch converted")


def test_a_hazard_is_rewritten_and_a_finding_ignored(folder: Path, window: Workbench) -> None:
    window.open_file("model.py")
    window.expect_any_squiggle(START_MS)
    window.go_to(19, 25)
    window.quick_fix("Ignore TF201 in this statement")
    window.save()
    changed = (folder / "model.py").read_text()
    assert "        return torch.no_such_thing(x)  # torchferry: ignore[TF201]\n" in changed
    assert not [each for each in workbench.check(changed) if each.code == "TF201"]
    window.go_to(17, 20)
    window.quick_fix("Choose with torch.where")
    window.save()
    assert "return torch.where(x.sum() > 0, x, " in (folder / "model.py").read_text()


def test_a_size_that_is_rounded_is_divided_as_whole_numbers(
    folder: Path, window: Workbench
) -> None:
    text = MODEL.replace("torch.relu(x)", "x.view(int(x.shape[0] / 2), -1)")
    (folder / "model.py").write_text(text)
    window.open_file("model.py")
    window.expect_any_squiggle(START_MS)
    window.go_to(11, 22)
    window.quick_fix("Divide as whole numbers, which cuts as int() does")
    window.save()
    assert "x.view(x.shape[0] // 2, -1)" in (folder / "model.py").read_text()


def test_a_graph_fails_with_the_words_of_the_command_line(
    folder: Path, window: Workbench, tmp_path: Path
) -> None:
    pytest.importorskip("torch")
    text = MODEL.replace("torch.relu(x)", "torch.from_numpy(x.numpy())")
    (folder / "model.py").write_text(text)
    call = [sys.executable, "-P", "-m", "workbench.cli", "trace"]
    place = f"{folder / 'model.py'}:Net"
    ran = subprocess.run([*call, place, "-i", "2x8"], capture_output=True, text=True, check=False)
    assert ran.returncode == 2 and "model.py:11" in ran.stderr
    window.open_file("model.py")
    window.expect_any_squiggle(START_MS)
    window.go_to(8, 1)
    window.command("Torchferry: Show the Graph of the Model at the Cursor", "2x8")
    told = ran.stderr.strip().removeprefix("torchferry: ")
    expect(window.messages.first).to_have_text(told, timeout=START_MS)
    window.picture(tmp_path, "why-there-is-no-graph")


def test_the_graph_leads_to_the_line(folder: Path, window: Workbench, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    window.open_file("model.py")
    window.expect_any_squiggle(START_MS)
    window.go_to(8, 1)
    window.command("Torchferry: Show the Graph of the Model at the Cursor", "2x8")
    graph = window.page_shown()
    node = graph.locator(".graph-node", has_text="relu").first
    node.wait_for(timeout=START_MS)
    expect(graph.locator("body")).to_contain_text("‹10×8›")
    window.page.screenshot(path=tmp_path / "graph.png")
    node.click()
    place = window.page.locator('[id="status.editor.selection"]')
    expect(place).to_contain_text("Ln 11", timeout=START_MS)
    window.tidy()
    window.open_file("model.py")
    window.go_to(8, 1)
    # What it was called with before is proposed.
    window.command("Torchferry: Run the Model at the Cursor Side by Side", "2x8")
    report = window.page_shown()
    expect(report.locator("body")).to_contain_text("all 2 nodes agree", timeout=START_MS)
    window.page.screenshot(path=tmp_path / "side-by-side.png")


def test_a_class_with_arguments_is_made_by_a_call(
    folder: Path, window: Workbench, tmp_path: Path
) -> None:
    pytest.importorskip("torch")
    text = MODEL.replace("def __init__(self):", "def __init__(self, sizes):")
    (folder / "model.py").write_text(f"{text}\n\nsizes = (8, 10)\n".replace("8, 10)", "*sizes)", 1))
    window.open_file("model.py")
    window.expect_any_squiggle(START_MS)
    window.go_to(8, 1)
    window.command("Torchferry: Show the Graph of the Model at the Cursor", "2x8")
    box = window.page.locator(".quick-input-widget")
    expect(box).to_contain_text("How is Net made?", timeout=START_MS)
    expect(box).to_contain_text("missing 1 required positional argument: 'sizes'")
    expect(box.locator("input").first).to_have_value("Net(sizes)")
    window.picture(tmp_path, "call")
    window.type("size")
    window.press("Enter")
    # A call that fails is asked for again, with the reason.
    expect(box).to_contain_text("name 'size' is not defined", timeout=START_MS)
    box.locator("input").first.fill("Net(sizes)")
    window.press("Enter")
    graph = window.page_shown()
    graph.locator(".graph-node", has_text="relu").first.wait_for(timeout=START_MS)
    window.page.screenshot(path=tmp_path / "graph-of-a-call.png")
    window.tidy()
    window.open_file("model.py")
    window.go_to(8, 1)
    window.ask("Torchferry: Show the Graph of the Model at the Cursor", "2x8")
    expect(box).to_contain_text("How is Net made?")
    expect(box.locator("input").first).to_have_value("Net(sizes)")


def test_what_is_known_of_a_use(folder: Path, window: Workbench, tmp_path: Path) -> None:
    window.open_file("model.py")
    window.expect_any_squiggle(START_MS)
    window.go_to(11, 20)
    window.command("Torchferry: Explain the Use at the Cursor")
    page = window.page_shown()
    expect(page.locator("body")).to_contain_text("What was run on both sides", timeout=START_MS)
    window.page.screenshot(path=tmp_path / "explained.png")
    window.tidy()
    window.open_file("model.py")
    window.go_to(11, 20)
    window.command("Torchferry: Prove the Use at the Cursor Now")
    proof = window.page_shown().locator("body")
    expect(proof).to_contain_text("gave the same on both sides", timeout=START_MS)
    expect(proof).to_contain_text("paddlepaddle")
