"""The extension in the real workbench: what a user sees, takes, and finds on disk."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from vscode_page import START_MS, Workbench
from vscode_server import WorkbenchServer

if TYPE_CHECKING:
    from collections.abc import Callable

TEXT = """\
import torch


def activate(x):
    y = torch.exp(x)  # kept
    return torch.abs(y)
"""


@pytest.fixture
def folder(root: Path, request: pytest.FixtureRequest) -> Path:
    folder = Path(mkdtemp(prefix=request.node.name, dir=root))
    (folder / "deep").mkdir()
    (folder / "one.py").write_text(TEXT)
    (folder / "deep" / "two.py").write_text(TEXT)
    (folder / "plain.py").write_text("import json\n\nprint(json.dumps({}))\n")
    return folder


def test_squiggle_fix_and_disk(folder: Path, window: Workbench, tmp_path: Path) -> None:
    window.open_file("one.py")
    window.expect_any_squiggle(START_MS)
    before = window.squiggles.count()
    window.page.screenshot(path=tmp_path / "squiggles.png")

    window.go_to(5, 16)
    offered = window.quick_fix("Convert torch.exp to paddle.exp")
    assert not [title for title in offered if "torch.abs" in title]
    window.save()
    changed = (folder / "one.py").read_text()
    assert "    y = paddle.exp(x)  # kept\n" in changed
    assert "    return torch.abs(y)\n" in changed
    ast.parse(changed)
    expect(window.squiggles).not_to_have_count(before)


def test_squiggles_while_typing(folder: Path, window: Workbench) -> None:
    window.open_file("plain.py")
    window.expect_squiggles(0)
    window.press("Control+Home")
    window.type("import torch\nweights = torch.zeros(3)\n")
    window.expect_any_squiggle(START_MS)
    window.save()
    assert (folder / "plain.py").read_text().startswith("import torch\nweights = torch.zeros(3)\n")


def test_the_whole_file(folder: Path, window: Workbench) -> None:
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


def test_the_whole_file_from_an_import_and_back_in_one_step(
    folder: Path, window: Workbench, tmp_path: Path
) -> None:
    window.open_file("one.py")
    window.expect_any_squiggle(START_MS)
    window.go_to(1, 10)
    window.menu("Convert everything in this file to paddle")
    window.picture(tmp_path, "on-an-import")
    window.press("Escape")
    window.quick_fix("Convert everything in this file to paddle")
    window.save()
    assert (folder / "one.py").read_text() == TEXT.replace("torch", "paddle")
    window.press("Control+Z")
    window.save()
    assert (folder / "one.py").read_text() == TEXT


def test_fix_all_command(folder: Path, window: Workbench) -> None:
    window.open_file("one.py")
    window.expect_any_squiggle(START_MS)
    window.command("Fix All")
    window.expect_squiggles(0)
    window.save()
    assert "torch" not in (folder / "one.py").read_text()


def test_hover_problems_and_status(folder: Path, window: Workbench, tmp_path: Path) -> None:
    (folder / "one.py").write_text(f"{TEXT}\n\ntorch.no_such_thing(1)\n")
    window.open_file("one.py")
    window.expect_any_squiggle(START_MS)
    expect(window.status).to_contain_text("Torchferry")
    # Nothing names an interpreter but the Python extension, which has selected one.
    expect(window.status.locator("a")).to_have_accessible_name(re.compile("the Python extension"))
    window.point_at_squiggle()
    expect(window.hover_text.first).to_contain_text("paddle.exp")
    window.page.screenshot(path=tmp_path / "hover.png")
    rows = window.problems()
    expect(rows.filter(has_text="torch.no_such_thing").first).to_be_visible()
    window.page.screenshot(path=tmp_path / "problems.png")


def test_a_discarded_edit_leaves_nothing(folder: Path, window: Workbench, tmp_path: Path) -> None:
    window.open_file("one.py")
    window.expect_any_squiggle(START_MS)
    count = window.squiggles.count()
    window.write_line(7, "torch.no_such_thing(1)")
    rows = window.problems()
    expect(rows.filter(has_text="torch.no_such_thing").first).to_be_visible()
    window.tidy()
    expect(rows).to_have_count(0)
    window.page.screenshot(path=tmp_path / "discarded.png")
    window.open_file("one.py")
    window.expect_squiggles(count)
    assert (folder / "one.py").read_text() == TEXT


def test_restart(folder: Path, window: Workbench) -> None:
    window.open_file("one.py")
    window.expect_any_squiggle(START_MS)
    count = window.squiggles.count()
    window.command("Torchferry: Restart the Server")
    window.page.wait_for_function("() => !document.querySelector('.squiggly-hint, .squiggly-info')")
    window.expect_squiggles(count)


def test_actions_on_a_name_and_a_function(folder: Path, window: Workbench) -> None:
    text = TEXT + "\n\ndef other(x):\n    return torch.abs(torch.abs(x))\n"
    (folder / "one.py").write_text(text)
    window.open_file("one.py")
    window.expect_any_squiggle(START_MS)
    window.go_to(6, 20)
    window.quick_fix("Convert function activate (2 uses)")
    window.save()
    changed = (folder / "one.py").read_text()
    assert "paddle.exp(x)  # kept\n    return paddle.abs(y)\n" in changed
    assert changed.endswith(text[text.index("def other") :])
    window.go_to(len(changed.split("\n")) - 1, 20)
    window.quick_fix("Convert all 2 uses of torch.abs in this file")
    window.save()
    changed = (folder / "one.py").read_text()
    assert changed.endswith("    return paddle.abs(paddle.abs(x))\n")


def test_actions_on_a_statement_a_class_and_the_file(folder: Path, window: Workbench) -> None:
    layer = (
        "\n\nclass Layer(torch.nn.Module):\n    def forward(self, x):\n"
        "        x = torch.exp(torch.exp(x))\n        return torch.no_such_thing(torch.abs(x))\n"
    )
    (folder / "one.py").write_text(TEXT + layer)
    window.open_file("one.py")
    window.expect_any_squiggle(START_MS)
    window.go_to(11, 20)
    window.quick_fix("Convert this statement (2 uses)")
    window.save()
    changed = (folder / "one.py").read_text()
    assert "        x = paddle.exp(paddle.exp(x))\n        return torch.no_such_thing" in changed
    window.go_to(changed[: changed.index("class Layer")].count("\n") + 2, 10)
    window.quick_fix("Convert class Layer")
    window.save()
    changed = (folder / "one.py").read_text()
    assert "class Layer(paddle.nn.Layer):" in changed
    assert TEXT.removeprefix("import torch\n") in changed, "only the class is changed"
    line = changed[: changed.index("no_such_thing")].count("\n") + 1
    window.go_to(line, 24)
    window.quick_fix("Ignore TF201 in this file")
    window.save()
    assert (folder / "one.py").read_text().startswith("# torchferry: ignore-file[TF201]\n")


def test_preview_follows(folder: Path, window: Workbench, tmp_path: Path) -> None:
    window.open_file("one.py")
    window.expect_any_squiggle(START_MS)
    window.command("Torchferry: Preview the Conversion")
    converted = window.page.locator(".monaco-diff-editor .modified .view-lines")
    expect(converted).to_contain_text("paddle.exp", timeout=START_MS)
    window.page.screenshot(path=tmp_path / "preview.png")
    window.page.locator(".monaco-diff-editor .original .view-line").first.click()
    window.press("Control+End")
    window.type("z = torch.sin(w)\n")
    expect(converted).to_contain_text("paddle.sin", timeout=START_MS)
    assert (folder / "one.py").read_text() == TEXT, "a preview writes nothing"


def test_preview_is_where_the_cursor_is(folder: Path, window: Workbench, tmp_path: Path) -> None:
    # Fourteen hundred lines, of which every seventh or so becomes others.
    functions = [
        f"def step_{i}(x):\n    x = torch.exp(x)\n    y = x + {i}\n    return torch.abs(y)\n\n\n"
        for i in range(230)
    ]
    (folder / "one.py").write_text("import torch\n\n\n" + "".join(functions))
    window.open_file("one.py")
    window.expect_any_squiggle(START_MS)
    window.go_to(3 + 6 * 115 + 3, 1)
    window.command("Torchferry: Preview the Conversion")
    for side in ("original", "modified"):
        lines = window.page.locator(f".monaco-diff-editor .{side} .view-lines .view-line")
        expect(lines.filter(has_text="y = x + 115")).to_be_visible(timeout=START_MS)
    expect(window.page.get_by_text("stopped early")).to_have_count(0)
    window.page.screenshot(path=tmp_path / "preview-far-down.png")


def test_a_killed_server_comes_back(
    folder: Path, open_folder: Callable[[Path], Workbench], server: WorkbenchServer
) -> None:
    window = open_folder(folder)
    window.open_file("one.py")
    window.expect_any_squiggle(START_MS)
    assert server.kill("lsp_server")
    window.write_line(7, "z = torch.sin(w)")
    expect(window.squiggles).not_to_have_count(0, timeout=START_MS)
    expect(window.lines.filter(has_text="torch.sin")).to_have_count(1)
    window.go_to(7, 8)
    window.quick_fix("Convert torch.sin to paddle.sin")
    window.save()
    assert "z = paddle.sin(w)\n" in (folder / "one.py").read_text()
