"""The settings of a folder: files that are not open, the style, and where helpers go."""

from __future__ import annotations

import ast
import json
import re
from typing import TYPE_CHECKING

from playwright.sync_api import expect
from vscode_page import START_MS

if TYPE_CHECKING:
    from pathlib import Path

    from vscode_page import Workbench


UNSHOWN = "import torch\n\ntorch.on_disk(1)\n"
LAYER = "import torch\n\nlayer = torch.nn.Linear(2, 3)\n"
CLASS = "import torch\n\n\nclass Net(torch.nn.Module):\n    layer = torch.nn.Linear(2, 3)\n"
SETTINGS = {"torchferry.diagnosticMode": "workspace", "torchferry.style": "exact"}
LATER = {
    **SETTINGS,
    "torchferry.helpers": "inline",
    "torchferry.codeLens": False,
    "editor.codeActionsOnSave": {"source.fixAll.torchferry": "explicit"},
}


def test_settings_hold_and_take_effect_when_they_change(root: Path, window: Workbench) -> None:
    files = {"one.py": UNSHOWN, "two.py": UNSHOWN, "net.py": LAYER, "other.py": CLASS}
    for name, text in files.items():
        (root / name).write_text(text)
    window.open_file("two.py")
    window.expect_any_squiggle(START_MS)
    (root / ".vscode").mkdir()
    (root / ".vscode" / "settings.json").write_text(json.dumps(SETTINGS))
    rows = window.problems()
    on_disk, typed = (rows.filter(has_text=f"torch.{name}") for name in ("on_disk", "typed"))
    expect(on_disk).to_have_count(2, timeout=START_MS)
    window.open_file("one.py")
    window.write_line(3, "torch.typed(1)")
    expect(typed).to_have_count(1)
    # A discarded edit leaves nothing of a file whose findings stay.
    window.tidy()
    expect(typed).to_have_count(0)
    expect(on_disk).to_have_count(2)
    expect(rows.filter(has_text="at line 4")).to_have_count(0)
    assert (root / "one.py").read_text() == UNSHOWN

    window.open_file("net.py")
    window.expect_any_squiggle()
    window.source_action("Convert everything in this file to paddle")
    imported = window.lines.filter(has_text="from torchferry_helpers import TorchLinear")
    expect(imported).to_be_visible()
    window.save()
    text = (root / "net.py").read_text()
    assert "layer = TorchLinear(2, 3)\n" in text and "class TorchLinear" not in text
    module = window.written(root / "torchferry_helpers.py")
    ast.parse(module)
    assert "class TorchLinear" in module

    window.open_file("other.py")
    lenses = window.page.locator(".codelens-decoration")
    expect(lenses.first).to_contain_text("Convert to paddle")
    window.open_file(".vscode/settings.json")
    window.press("Control+A")
    window.page.keyboard.insert_text(json.dumps(LATER))
    window.save()
    window.open_file("other.py")
    window.expect_any_squiggle()
    expect(lenses).to_have_count(0)
    window.write_line(3, "size = 2")
    window.save()
    expect(window.lines.filter(has_text="class TorchLinear")).to_be_visible()
    text = (root / "other.py").read_text()
    assert "class TorchLinear" in text and "layer = TorchLinear(2, 3)\n" in text
    assert "import torch\n" not in text and "torchferry_helpers" not in text

    # The window is shared: the defaults hold again for the next test.
    window.open_file(".vscode/settings.json")
    window.press("Control+A")
    window.page.keyboard.insert_text("{}")
    window.save()
    (root / "again.py").write_text(CLASS)
    window.open_file("again.py")
    expect(lenses.first).to_contain_text("Convert to paddle")
    window.press("Control+J")  # the panel is closed again


def test_the_status_bar_shows_what_files_are_converted_to(root: Path, window: Workbench) -> None:
    (root / "layer.py").write_text(LAYER)
    window.open_file("layer.py")
    window.expect_any_squiggle(START_MS)
    expect(window.status).to_have_text(re.compile(r"Torchferry: Paddle [\d.]+, plain"))
    choose(window, "paddle==3.2", "exact")
    expect(window.status).to_have_text(re.compile("Torchferry: Paddle 3.2, exact"))
    choose(window, "The setting of the project", "The setting of the project")
    expect(window.status).to_have_text(re.compile(r"Torchferry: Paddle [\d.]+, plain"))


def choose(window: Workbench, target: str, style: str) -> None:
    """Click on the status bar, and choose a target and a style."""
    rows = window.page.locator(".quick-input-widget .monaco-list-row")
    window.status.locator("a").click()
    for title, choice in (("Convert to…", target), ("Choose the Style…", style)):
        window.page.locator(".quick-input-title").get_by_text(title).wait_for()
        rows.filter(has_text=choice).click()
