"""Models that settings name, as tests and with lenses: run on request, failures at their line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playwright.sync_api import expect
from vscode_page import START_MS, Workbench

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MODEL = """\
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
SETTINGS = """\
[tool.torchferry.models]
"model.py:Net" = { port = "port.py:Net", inputs = ["2x8"] }
"model.py:Net()" = { inputs = ["2x8"] }
"""


def test_ports_and_models_are_tests(
    open_folder: Callable[[Path], Workbench], tmp_path: Path
) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "model.py").write_text(MODEL)
    (folder / "port.py").write_text(PORT)
    (folder / "pyproject.toml").write_text(SETTINGS)
    window = open_folder(folder)
    window.open_file("model.py")
    window.expect_any_squiggle(START_MS)
    window.command("Testing: Focus on Test Explorer View")
    rows = window.page.locator(".test-explorer .monaco-list-row")
    rules = "Rules that open files use"
    named = ["Netmodel.py:Net ↔ port.py:Net", "Netmodel.py:Net(), both sides"]
    expect(rows).to_have_text([*named, rules])
    for row in rows.all():
        expect(row).to_have_accessible_name(re.compile("Not yet run"))

    window.page.locator(".codelens-decoration a", has_text="Verify port").click()
    told = window.messages.filter(has_text="Net: port.py:11: the numbers part here")
    expect(told).to_be_visible(timeout=START_MS)
    expect(rows.first).to_have_accessible_name(re.compile("Failed"))
    expect(rows.nth(1)).to_have_accessible_name(re.compile("Not yet run"))
    window.open_file("port.py")
    what = "the port calls tanh, the original relu (in the original: model.py:11)"
    beside_line = window.page.locator(".editor-group-container").get_by_text(what)
    expect(beside_line).to_be_visible()
    window.picture(tmp_path, "a-port-that-differs")

    (folder / "port.py").write_text(PORT.replace("paddle.tanh", "nn.functional.relu"))
    window.command("Test: Run All Tests")
    for row in rows.all()[:2]:
        expect(row).to_have_accessible_name(re.compile("Passed"), timeout=START_MS)
    expect(rows.nth(2)).to_have_accessible_name(re.compile("Not yet run"))
    window.picture(tmp_path, "all-agree")

    (folder / "pyproject.toml").write_text(SETTINGS.replace('"2x8"] }', '"2x9"] }', 1))
    window.command("Test: Refresh Tests")
    window.command("Test: Run All Tests")
    expect(rows.first).to_have_accessible_name(re.compile("Errored"), timeout=START_MS)
    expect(rows.nth(1)).to_have_accessible_name(re.compile("Passed"), timeout=START_MS)


def test_rules_in_use_are_proved_on_request(
    open_folder: Callable[[Path], Workbench], tmp_path: Path
) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "model.py").write_text(MODEL)
    window = open_folder(folder)
    window.open_file("model.py")
    window.expect_any_squiggle(START_MS)
    window.command("Testing: Focus on Test Explorer View")
    rows = window.page.locator(".test-explorer .monaco-list-row")
    expect(rows).to_have_text(["Rules that open files use"])
    rows.first.click()
    window.page.keyboard.press("ArrowRight")
    expect(rows).to_have_count(2)
    expect(rows.nth(1)).to_contain_text("model.py")
    rows.nth(1).click()
    window.page.keyboard.press("ArrowRight")
    relu = rows.filter(has_text="torch.relu")
    expect(relu).to_contain_text("line 11")
    expect(window.page.locator(".testing-run-glyph")).to_have_count(0)  # no button beside each line
    relu.hover()
    relu.get_by_label("Run Test").click()
    expect(relu).to_have_accessible_name(re.compile("Passed"), timeout=START_MS)
    expect(rows.filter(has_text="torch.nn.Linear")).to_have_accessible_name(re.compile("Not yet"))
    window.picture(tmp_path, "a-rule-proved")
