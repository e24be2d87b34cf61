"""The settings of a folder: files that are not open, the style, and where helpers go."""

from __future__ import annotations

import ast
import json
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from vscode_page import START_MS

if TYPE_CHECKING:
    from pathlib import Path

    from vscode_page import Workbench

pytestmark = pytest.mark.one_in(2)

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
    window.press("Control+J")  # the panel is closed again
