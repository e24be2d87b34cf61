"""A project as a whole: findings as a tree, its conversion, and its models."""

from __future__ import annotations

import ast
import json
import re
from typing import TYPE_CHECKING

from playwright.sync_api import expect
from vscode_page import START_MS

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Locator
    from vscode_page import Workbench


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
CELLS = ["import torch", "x = torch.zeros(3)", "y = torch.no_such_thing(x)"]


def write_notebook(place: Path) -> None:
    cells = [
        {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
        | {"source": source}
        for source in CELLS
    ]
    text = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    place.write_text(text)


def row(tree: Locator, text: str) -> Locator:
    return tree.locator(".monaco-list-row").filter(has_text=text).first


def convert(tree: Locator, text: str) -> None:
    """Press the button that a row shows under the mouse."""
    row(tree, text).hover()
    row(tree, text).get_by_role("button", name="Convert").click()


def test_the_findings_of_a_project_and_its_conversion(
    root: Path, window: Workbench, tmp_path: Path
) -> None:
    (root / "deep").mkdir()
    (root / "model.py").write_text(MODEL)
    (root / "deep" / "small.py").write_text(SMALL)
    write_notebook(root / "book.ipynb")
    tree = window.side_view("Torchferry")
    row(tree, "model.py").wait_for(timeout=START_MS)
    expect(row(tree, "small.py")).to_contain_text("2 → 0 · deep")
    expect(tree).to_contain_text("uses of torch in 3 files; 2 cannot be converted")

    # Findings that the filter hides are not converted.
    window.ask("Torchferry: Filter the Findings…", "torch.abs")
    expect(tree.locator(".monaco-list-row")).to_have_count(1)
    convert(tree, "small.py")
    expect(tree.locator(".monaco-list-row")).to_have_count(0)
    window.page.locator(".tab", has_text="small.py").dblclick()
    window.save()
    assert "x = torch.zeros(3)\ny = paddle.abs(x)\n" in (root / "deep" / "small.py").read_text()
    window.ask("Torchferry: Filter the Findings…", "")
    expect(row(tree, "small.py")).to_contain_text("1 → 0")
    convert(tree, "small.py")
    expect(row(tree, "small.py")).to_have_count(0)
    window.save()
    changed = (root / "deep" / "small.py").read_text()
    ast.parse(changed)
    assert "torch" not in changed

    # Group by reason, by code, and again by file: a row leads to its location.
    window.pick("Torchferry: Group the Findings…", "By name, only uses that cannot be converted")
    stays = row(tree, "torch.no_such_thing")
    expect(stays).to_contain_text("2 → 2 · has no rule yet and is not converted")
    expect(tree.locator(".monaco-list-row")).to_have_count(1)
    window.pick("Torchferry: Group the Findings…", "By code")
    expect(row(tree, "TF110")).to_contain_text("new weights are drawn from torch's")
    window.pick("Torchferry: Group the Findings…", "By file")
    row(tree, "model.py").click()
    expect(row(tree, "torch.nn.Linear")).to_contain_text("TF110 · can compute differently")
    row(tree, "torch.no_such_thing").click()
    expect(window.page.locator('[id="status.editor.selection"]')).to_contain_text("Ln 11")
    row(tree, "model.py").click()  # folded again

    # A notebook, cell by cell.
    expect(row(tree, "book.ipynb")).to_contain_text("2 → 1")
    row(tree, "book.ipynb").click()
    expect(row(tree, "torch.zeros")).to_contain_text("cell 2, line 1 · TF100")
    row(tree, "torch.zeros").click()
    expect(window.cells).to_have_count(3)
    expect(window.page.locator(".statusbar").get_by_text("Cell 2 of 3")).to_be_visible()
    convert(tree, "torch.zeros")
    expect(row(tree, "book.ipynb")).to_contain_text("1 → 1")
    expect(window.cells.nth(1).locator(".view-lines")).to_have_text("x = paddle.zeros(3)")
    window.save()
    saved = [cell["source"] for cell in json.loads((root / "book.ipynb").read_text())["cells"]]
    assert ["".join(each) for each in saved][1:] == ["x = paddle.zeros(3)", CELLS[2]]

    # How far the port is, and the rest of it in another folder.
    expect(tree).to_contain_text("% of")
    window.tidy()
    window.command("Torchferry: Show the Progress of the Port")
    expect(window.page_shown().locator("table")).to_contain_text("%")
    window.tidy()
    window.command("Torchferry: Plan the Port of the Workspace")
    expect(window.messages.first).to_contain_text("of torch in 2 files convert", timeout=START_MS)
    expect(window.page.locator(".tab", has_text="torchferry-plan.md")).to_be_visible()
    assert "`model.py`" in (root / "torchferry-plan.md").read_text()
    window.tidy()
    place = tmp_path / "converted"
    window.command("Torchferry: Convert the Workspace…", str(place))
    report = window.page_shown().locator("main")
    expect(report).to_contain_text("uses of torch converted", timeout=START_MS)
    report.locator("details", has_text="model.py").locator("summary").click()
    expect(report).to_contain_text("torch.no_such_thing")
    expect(window.messages.first).to_contain_text("2 are not converted")
    assert (place / "deep" / "small.py").read_text() == changed
    assert "# torchferry TF201" in (place / "model.py").read_text()
    assert (root / "model.py").read_text() == MODEL, "nothing of the original is changed"
    themes = window.choices("Preferences: Color Theme")
    window.page.keyboard.type("Dark Modern")
    themes.filter(has_text="Dark Modern").first.click()
    expect(window.page_shown().locator("body")).to_have_css("background-color", "rgb(13, 17, 23)")
    window.press("Control+B")  # the side bar is closed again


NET = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(8, 4)

    def forward(self, x):
        return torch.relu(self.head(x))
"""
PORT = """\
import paddle
from paddle import nn


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(8, 4)

    def forward(self, x):
        return paddle.tanh(self.head(x))
"""
TABLE = "[tool.torchferry.models]\n"
NAMED = '"model.py:Net" = { port = "port.py:Net", inputs = ["2x8"] }\n'
WRONG = '"model.py:Net()" = { inputs = ["2x9"] }\n'
SETTINGS = TABLE + NAMED + WRONG


def test_models_and_rules_are_tests(root: Path, window: Workbench) -> None:
    (root / "model.py").write_text(NET)
    (root / "port.py").write_text(PORT)
    (root / "pyproject.toml").write_text(SETTINGS)
    window.open_file("model.py")
    window.expect_any_squiggle(START_MS)
    window.command("Testing: Focus on Test Explorer View")
    rows = window.page.locator(".test-explorer .monaco-list-row")
    named = ["Netmodel.py:Net ↔ port.py:Net", "Netmodel.py:Net(), both sides"]
    expect(rows).to_have_text([*named, "Rules that open files use"])
    for each in rows.all():
        expect(each).to_have_accessible_name(re.compile("Not yet run"))

    # A port that differs: where, and why. An editor without the focus asks for no lenses.
    window.lines.first.click()
    lens = window.page.locator(".codelens-decoration a", has_text="Verify port")
    lens.click(timeout=START_MS)
    message = window.messages.filter(has_text="Net: port.py:11: the values diverge here")
    expect(message).to_be_visible(timeout=START_MS)
    expect(rows.first).to_have_accessible_name(re.compile("Failed"))
    expect(rows.nth(1)).to_have_accessible_name(re.compile("Not yet run"))
    window.open_file("port.py")
    what = "the port calls tanh, the original relu (in the original: model.py:11)"
    expect(window.page.locator(".editor-group-container").get_by_text(what)).to_be_visible()

    # All models, and no rules: this one has inputs that it cannot take.
    (root / "pyproject.toml").write_text(f"{TABLE}{WRONG}")
    window.command("Test: Refresh Tests")
    expect(rows).to_have_count(2)
    window.command("Test: Run All Tests")
    for number, state in enumerate(("Errored", "Not yet run")):
        expect(rows.nth(number)).to_have_accessible_name(re.compile(state), timeout=START_MS)
    window.open_file("model.py")
    reason = "model.py:11: Net raises while it is captured"
    expect(window.page.locator(".editor-group-container").get_by_text(reason)).to_be_visible()
    expect(rows.nth(1)).to_contain_text("Rules that open files use")

    # A rule is proved on request.
    rows.nth(1).click()
    window.press("ArrowRight")
    file = rows.filter(has_text=re.compile(r"^model\.py"))
    file.click()
    window.press("ArrowRight")
    relu = rows.filter(has_text="torch.relu")
    expect(relu).to_contain_text("line 11")
    # The model has a button next to its line, and no rule does.
    expect(window.page.locator(".testing-run-glyph")).to_have_count(1)
    relu.hover()
    relu.get_by_label("Run Test").click()
    expect(relu).to_have_accessible_name(re.compile("Passed"), timeout=START_MS)
    expect(rows.filter(has_text="torch.nn.Linear")).to_have_accessible_name(re.compile("Not yet"))
    window.press("Control+B")  # the side bar is closed again
