"""The extension in the real workbench: what a user sees, takes, and finds on disk."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from playwright.sync_api import expect
from vscode_page import START_MS

if TYPE_CHECKING:
    from pathlib import Path

    from vscode_page import Workbench
    from vscode_server import WorkbenchServer


TEXT = """\
import torch


def activate(x):
    y = torch.exp(x)  # kept
    return torch.abs(y)
"""
WHOLE = "Convert everything in this file to paddle"


def test_findings_are_explained_and_fixed_where_they_are(folder: Path, window: Workbench) -> None:
    text = f"{TEXT}\n\nlayer = torch.nn.Linear(2, 3)\ntorch.no_such_thing(1)\n"
    (folder / "one.py").write_text(text)
    window.open_file("one.py")
    window.expect_any_squiggle(START_MS)
    before = window.squiggles.count()
    expect(window.status).to_contain_text("Torchferry")
    # Nothing names an interpreter but the Python extension, which has selected one.
    expect(window.status.locator("a")).to_have_accessible_name(re.compile("the Python extension"))
    window.point_at_squiggle()
    expect(window.hover_text.first).to_contain_text("paddle.exp")
    expect(window.hover_text.first).to_contain_text("Fix: safe.")
    rows = window.problems()
    refused = rows.filter(has_text="torch.no_such_thing")
    expect(refused.first).to_be_visible()

    window.go_to(5, 16)
    offered = window.quick_fix("Convert torch.exp to paddle.exp")
    assert not [title for title in offered if "torch.abs" in title]
    window.save()
    changed = (folder / "one.py").read_text()
    ast.parse(changed)
    assert "    y = paddle.exp(x)  # kept\n    return torch.abs(y)\n" in changed
    expect(window.squiggles).not_to_have_count(before)

    line = changed[: changed.index("torch.nn.Linear")].count("\n") + 1
    window.go_to(line, 20)
    window.menu("Convert torch.nn.Linear to paddle.nn.Linear (can compute differently: TF110)")
    window.press("Escape")
    window.go_to(line + 1, 10)
    window.quick_fix("Ignore TF201 in this statement")
    window.save()
    ignored = "torch.no_such_thing(1)  # torchferry: ignore[TF201]\n"
    assert (folder / "one.py").read_text().endswith(ignored)
    expect(refused).to_have_count(0)
    window.press("Control+J")  # the panel is closed again


def test_squiggles_follow_typing_and_a_discarded_edit_leaves_nothing(
    folder: Path, window: Workbench
) -> None:
    (folder / "plain.py").write_text("import json\n\nprint(json.dumps({}))\n")
    window.open_file("plain.py")
    window.expect_squiggles(0)
    window.press("Control+Home")
    window.type("import torch\nweights = torch.zeros(3)\n")
    window.expect_any_squiggle(START_MS)
    window.save()
    saved = (folder / "plain.py").read_text()
    assert saved.startswith("import torch\nweights = torch.zeros(3)\n")
    count = window.squiggles.count()

    window.write_line(3, "torch.no_such_thing(1)")
    rows = window.problems()
    expect(rows.filter(has_text="torch.no_such_thing").first).to_be_visible()
    window.tidy()
    expect(rows).to_have_count(0)
    window.press("Control+J")
    window.open_file("plain.py")
    window.expect_squiggles(count)
    assert (folder / "plain.py").read_text() == saved


def test_the_whole_file_and_back_in_one_step(folder: Path, window: Workbench) -> None:
    text = f"{TEXT}\n\nlayer = torch.nn.Linear(2, 3)\n"
    (folder / "deep").mkdir()
    for name in ("one.py", "deep/one.py"):
        (folder / name).write_text(text)
    window.open_file("deep/one.py")
    window.expect_any_squiggle(START_MS)
    window.go_to(1, 10)  # on an import
    window.quick_fix(WHOLE)
    window.save()
    changed = (folder / "deep" / "one.py").read_text()
    ast.parse(changed)
    assert not re.search(r"\btorch\b", changed) and "# kept" in changed
    assert "layer = paddle.nn.Linear(2, 3, weight_attr=init)\n" in changed, "plain is the default"
    window.expect_squiggles(0)
    assert [path.name for path in (folder / "deep").iterdir()] == ["one.py"]
    assert (folder / "one.py").read_text() == text

    window.press("Control+Z")
    window.save()
    assert (folder / "deep" / "one.py").read_text() == text
    window.expect_any_squiggle()
    window.command("Fix All")
    window.expect_squiggles(0)
    window.save()
    assert (folder / "deep" / "one.py").read_text() == changed


def test_the_preview_is_where_the_cursor_is_and_follows(folder: Path, window: Workbench) -> None:
    functions = [
        f"def step_{i}(x):\n    x = torch.exp(x)\n    y = x + {i}\n    return torch.abs(y)\n\n\n"
        for i in range(40)
    ]
    text = "import torch\n\n\n" + "".join(functions)
    (folder / "one.py").write_text(text)
    window.open_file("one.py")
    window.expect_any_squiggle(START_MS)
    window.go_to(3 + 6 * 20 + 3, 1)
    window.command("Torchferry: Preview the Conversion")
    sides = window.page.locator(".monaco-diff-editor")
    for side in ("original", "modified"):
        lines = sides.locator(f".{side} .view-lines .view-line")
        expect(lines.filter(has_text="y = x + 20")).to_be_visible(timeout=START_MS)
    expect(sides.locator(".modified .view-lines")).to_contain_text("paddle.exp")
    expect(window.page.get_by_text("stopped early")).to_have_count(0)

    original = sides.locator(".original .view-lines .view-line")
    original.filter(has_text="y = x + 20").click()
    window.press("Control+End")
    window.type("z = torch.sin(w)\n")
    expect(sides.locator(".modified .view-lines")).to_contain_text("paddle.sin", timeout=START_MS)
    assert (folder / "one.py").read_text() == text, "a preview writes nothing"


def test_a_server_comes_back_after_a_restart_and_after_its_death(
    folder: Path, window: Workbench, server: WorkbenchServer
) -> None:
    (folder / "one.py").write_text(TEXT)
    window.open_file("one.py")
    window.expect_any_squiggle(START_MS)
    count = window.squiggles.count()
    window.command("Torchferry: Restart the Server")
    window.page.wait_for_function("() => !document.querySelector('.squiggly-hint, .squiggly-info')")
    window.expect_squiggles(count)

    assert server.kill("lsp_server")
    window.write_line(7, "z = torch.sin(w)")
    expect(window.lines.filter(has_text="torch.sin")).to_have_count(1)
    window.go_to(7, 8)
    window.quick_fix("Convert torch.sin to paddle.sin")
    expect(window.lines.filter(has_text="paddle.sin")).to_have_count(1)
    window.save()
    assert "z = paddle.sin(w)\n" in (folder / "one.py").read_text()
