"""The findings of a workspace as a tree: grouped, filtered, converted by the row, and counted."""

from __future__ import annotations

import ast
import json
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from vscode_page import START_MS, Workbench

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Locator

MODEL = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(8, 10)

    def forward(self, x: torch.Tensor):
        return torch.no_such_thing(self.head(x))
"""
SMALL = "import torch\n\nx = torch.zeros(3)\ny = torch.abs(x)\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "port"
    (folder / "deep").mkdir(parents=True)
    (folder / "model.py").write_text(MODEL)
    (folder / "deep" / "small.py").write_text(SMALL)
    return folder


def row(tree: Locator, text: str) -> Locator:
    return tree.locator(".monaco-list-row").filter(has_text=text).first


def convert(tree: Locator, text: str) -> None:
    """Press the button that a row shows under the mouse."""
    row(tree, text).hover()
    row(tree, text).get_by_role("button", name="Convert").click()


def test_by_file_by_code_and_by_what_stays(
    open_folder: Callable[[Path], Workbench], folder: Path, tmp_path: Path
) -> None:
    window = open_folder(folder)
    tree = window.side_view("Torchferry")
    row(tree, "model.py").wait_for(timeout=START_MS)
    expect(row(tree, "small.py")).to_contain_text("2 → 0 · deep")
    expect(tree).to_contain_text("uses of torch in 2 files; 1 of them stays")
    row(tree, "model.py").click()
    expect(row(tree, "torch.nn.Linear")).to_contain_text("TF110 · changes behaviour")
    window.picture(tmp_path, "by-file")

    row(tree, "torch.no_such_thing").click()
    expect(window.page.locator('[id="status.editor.selection"]')).to_contain_text("Ln 11")
    window.pick("Torchferry: Group the Findings…", "By what stays torch’s")
    stays = row(tree, "torch.no_such_thing")
    expect(stays).to_contain_text("1 → 1 · has no rule yet and stays as it is")
    expect(tree.locator(".monaco-list-row")).to_have_count(1)
    window.pick("Torchferry: Group the Findings…", "By code")
    expect(row(tree, "TF110")).to_contain_text("new weights are drawn by Paddle")
    window.picture(tmp_path, "by-code")


def test_rows_are_filtered_and_converted_and_the_port_is_counted(
    open_folder: Callable[[Path], Workbench], folder: Path, tmp_path: Path
) -> None:
    window = open_folder(folder)
    tree = window.side_view("Torchferry")
    row(tree, "small.py").wait_for(timeout=START_MS)
    window.ask("Torchferry: Filter the Findings…", "torch.abs")
    expect(tree.locator(".monaco-list-row")).to_have_count(1)
    convert(tree, "small.py")
    expect(tree.locator(".monaco-list-row")).to_have_count(0)
    window.page.locator(".tab", has_text="small.py").dblclick()
    window.save()
    text = (folder / "deep" / "small.py").read_text()
    assert "x = torch.zeros(3)\ny = paddle.abs(x)\n" in text, "what the filter hides is left alone"

    window.ask("Torchferry: Filter the Findings…", "")
    expect(row(tree, "small.py")).to_contain_text("1 → 0")
    window.pick("Torchferry: Group the Findings…", "By file")
    convert(tree, "small.py")
    expect(row(tree, "small.py")).to_have_count(0)
    window.save()
    changed = (folder / "deep" / "small.py").read_text()
    ast.parse(changed)
    assert "torch" not in changed
    assert (folder / "model.py").read_text() == MODEL
    expect(tree).to_contain_text("% of")
    window.picture(tmp_path, "converted")
    window.command("Torchferry: Show the Progress of the Port")
    expect(window.page_shown().locator("table")).to_contain_text("%")
    window.picture(tmp_path, "progress")


def test_a_notebook_is_in_the_tree_cell_by_cell(
    open_folder: Callable[[Path], Workbench], folder: Path, tmp_path: Path
) -> None:
    sources = ["import torch", "x = torch.zeros(3)", "y = torch.no_such_thing(x)"]
    cells = [
        {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
        | {"source": source}
        for source in sources
    ]
    book = folder / "book.ipynb"
    text = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    book.write_text(text)
    window = open_folder(folder)
    tree = window.side_view("Torchferry")
    row(tree, "book.ipynb").wait_for(timeout=START_MS)
    expect(row(tree, "book.ipynb")).to_contain_text("2 → 1")
    row(tree, "book.ipynb").click()
    expect(row(tree, "torch.zeros")).to_contain_text("cell 2, line 1 · TF100")
    row(tree, "torch.zeros").click()
    expect(window.cells).to_have_count(3)
    expect(window.page.locator(".statusbar").get_by_text("Cell 2 of 3")).to_be_visible()
    window.picture(tmp_path, "a-notebook")
    convert(tree, "torch.zeros")
    expect(row(tree, "book.ipynb")).to_contain_text("1 → 1")
    expect(window.cells.nth(1).locator(".view-lines")).to_have_text("x = paddle.zeros(3)")
    window.save()
    saved = [cell["source"] for cell in json.loads(book.read_text())["cells"]]
    assert ["".join(each) for each in saved][1:] == ["x = paddle.zeros(3)", sources[2]]
