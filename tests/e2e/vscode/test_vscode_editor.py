"""The extension in the real workbench: what a user sees, takes, and finds on disk."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from vscode_page import START_MS, Workbench

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TEXT = """\
import torch


def activate(x):
    y = torch.relu(x)  # kept
    return torch.abs(y)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    (folder / "deep").mkdir(parents=True)
    (folder / "one.py").write_text(TEXT)
    (folder / "deep" / "two.py").write_text(TEXT)
    (folder / "plain.py").write_text("import json\n\nprint(json.dumps({}))\n")
    return folder


def test_squiggle_fix_and_disk(
    folder: Path, open_folder: Callable[[Path], Workbench], tmp_path: Path
) -> None:
    window = open_folder(folder)
    window.open_file("one.py")
    window.expect_any_squiggle(START_MS)
    before = window.squiggles.count()
    window.page.screenshot(path=tmp_path / "squiggles.png")

    window.go_to(5, 16)
    offered = window.quick_fix("Convert torch.relu to paddle.nn.functional.relu")
    assert not [title for title in offered if "torch.abs" in title]
    window.save()
    changed = (folder / "one.py").read_text()
    assert "    y = paddle.nn.functional.relu(x)  # kept\n" in changed
    assert "    return torch.abs(y)\n" in changed
    ast.parse(changed)
    expect(window.squiggles).not_to_have_count(before)


def test_squiggles_while_typing(folder: Path, open_folder: Callable[[Path], Workbench]) -> None:
    window = open_folder(folder)
    window.open_file("plain.py")
    window.expect_squiggles(0)
    window.press("Control+Home")
    window.type("import torch\nweights = torch.zeros(3)\n")
    window.expect_any_squiggle(START_MS)
    window.save()
    assert (folder / "plain.py").read_text().startswith("import torch\nweights = torch.zeros(3)\n")


def test_the_whole_file(folder: Path, open_folder: Callable[[Path], Workbench]) -> None:
    window = open_folder(folder)
    window.open_file("deep/two.py")
    window.expect_any_squiggle(START_MS)
    window.source_action("Convert everything in this file to paddle")
    window.save()
    changed = (folder / "deep" / "two.py").read_text()
    assert not re.search(r"\btorch\b", changed)
    assert "paddle.abs(y)" in changed and "# kept" in changed
    ast.parse(changed)
    window.expect_squiggles(0)
    assert (folder / "one.py").read_text() == TEXT


def test_fix_all_command(folder: Path, open_folder: Callable[[Path], Workbench]) -> None:
    window = open_folder(folder)
    window.open_file("one.py")
    window.expect_any_squiggle(START_MS)
    window.command("Fix All")
    window.expect_squiggles(0)
    window.save()
    assert "torch" not in (folder / "one.py").read_text()


def test_hover_problems_and_status(
    folder: Path, open_folder: Callable[[Path], Workbench], tmp_path: Path
) -> None:
    window = open_folder(folder)
    window.open_file("one.py")
    window.expect_any_squiggle(START_MS)
    expect(window.status).to_contain_text("Torchferry")
    window.point_at_squiggle()
    expect(window.hover_text.first).to_contain_text("paddle.nn.functional.relu")
    window.page.screenshot(path=tmp_path / "hover.png")
    rows = window.problems()
    expect(rows.filter(has_text="torch.relu").first).to_be_visible()
    window.page.screenshot(path=tmp_path / "problems.png")


def test_restart(folder: Path, open_folder: Callable[[Path], Workbench]) -> None:
    window = open_folder(folder)
    window.open_file("one.py")
    window.expect_any_squiggle(START_MS)
    count = window.squiggles.count()
    window.command("Torchferry: Restart the Server")
    window.page.wait_for_function("() => !document.querySelector('.squiggly-hint, .squiggly-info')")
    window.expect_squiggles(count)
