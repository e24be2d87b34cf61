"""A model's graph and its run on both sides, and what is known and proved of one use."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from vscode_page import START_MS

if TYPE_CHECKING:
    from pathlib import Path

    from vscode_page import Workbench


MODEL = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.head = nn.Linear(*sizes)

    def forward(self, x: torch.Tensor):
        x = torch.relu(x)
        return self.head(x)


class Through(nn.Module):
    def forward(self, x: torch.Tensor):
        return torch.from_numpy(x.numpy())


sizes = (8, 10)
"""
GRAPH = "Torchferry: Show the Graph of the Model at the Cursor"


def test_the_graph_of_a_model_that_a_call_makes(folder: Path, window: Workbench) -> None:
    pytest.importorskip("torch")
    (folder / "model.py").write_text(MODEL)
    window.open_file("model.py")
    window.expect_any_squiggle(START_MS)
    window.go_to(8, 1)
    window.command(GRAPH, "2x8")
    box = window.page.locator(".quick-input-widget")
    call = box.locator("input").first
    expect(box).to_contain_text("How is Net constructed?", timeout=START_MS)
    expect(box).to_contain_text("missing 1 required positional argument: 'sizes'")
    expect(call).to_have_value("Net(sizes)")
    window.press("Enter")
    graph = window.page_shown()
    node = graph.locator(".graph-node", has_text="relu").first
    node.wait_for(timeout=START_MS)
    expect(graph.locator("body")).to_contain_text("‹10×8›")
    node.click()
    place = window.page.locator('[id="status.editor.selection"]')
    expect(place).to_contain_text("Ln 11", timeout=START_MS)

    window.tidy()
    window.open_file("model.py")
    window.go_to(8, 1)
    # The answers from before are proposed.
    window.ask("Torchferry: Run the Model at the Cursor Side by Side", "2x8")
    expect(box).to_contain_text("How is Net constructed?")
    expect(call).to_have_value("Net(sizes)")
    window.press("Enter")
    report = window.page_shown().locator("body")
    expect(report).to_contain_text("all 2 nodes agree", timeout=START_MS)


@pytest.mark.thorough
def test_a_call_or_a_model_that_fails(folder: Path, window: Workbench) -> None:
    pytest.importorskip("torch")
    (folder / "model.py").write_text(MODEL)
    window.open_file("model.py")
    window.expect_any_squiggle(START_MS)
    window.go_to(8, 1)
    window.command(GRAPH, "2x8")
    box = window.page.locator(".quick-input-widget")
    expect(box).to_contain_text("How is Net constructed?", timeout=START_MS)
    window.type("size")
    window.press("Enter")
    # A call that fails is asked for again, with the reason.
    expect(box).to_contain_text("name 'size' is not defined", timeout=START_MS)
    window.press("Escape")

    window.go_to(16, 1)
    window.command(GRAPH, "2x8")
    # The words of the command line, which name the line.
    expect(window.messages.first).to_contain_text("model.py:17", timeout=START_MS)


def test_facts_about_a_use(folder: Path, window: Workbench) -> None:
    (folder / "model.py").write_text(MODEL)
    window.open_file("model.py")
    window.expect_any_squiggle(START_MS)
    window.go_to(11, 20)
    window.command("Torchferry: Explain the Use at the Cursor")
    page = window.page_shown().locator("body")
    expect(page).to_contain_text("What was run on both sides", timeout=START_MS)


@pytest.mark.thorough
def test_a_proof_of_the_use_at_the_cursor(folder: Path, window: Workbench) -> None:
    (folder / "model.py").write_text(MODEL)
    window.open_file("model.py")
    window.expect_any_squiggle(START_MS)
    window.go_to(11, 20)
    window.command("Torchferry: Prove the Rule for the Use at the Cursor")
    page = window.page_shown().locator("body")
    expect(page).to_contain_text("gave the same result on both sides", timeout=START_MS)
    expect(page).to_contain_text("paddlepaddle")
