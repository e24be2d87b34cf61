"""The style as a setting of the editor, and helpers that a fix puts beside the file."""

from __future__ import annotations

import ast
import json
from typing import TYPE_CHECKING

from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from vscode_page import Workbench

TEXT = """\
import torch

layer = torch.nn.Linear(2, 3)
"""
MODULE = "torchferry_helpers.py"
CONVERT = "Convert everything in this file to paddle"


ON_SAVE = {"editor.codeActionsOnSave": {"source.fixAll.torchferry": "explicit"}}


def folder(tmp_path: Path, *, on_save: bool = False, **settings: str) -> Path:
    made = tmp_path / "project"
    (made / ".vscode").mkdir(parents=True)
    ours = {f"torchferry.{name}": value for name, value in settings.items()}
    (made / ".vscode" / "settings.json").write_text(json.dumps(ours | (ON_SAVE if on_save else {})))
    (made / "net.py").write_text(TEXT)
    return made


def test_plain_is_what_one_gets(open_folder: Callable[[Path], Workbench], tmp_path: Path) -> None:
    made = folder(tmp_path)
    window = open_folder(made)
    window.open_file("net.py")
    window.expect_any_squiggle()
    window.source_action(CONVERT)
    window.save()
    assert "layer = paddle.nn.Linear(2, 3, weight_attr=init)\n" in (made / "net.py").read_text()
    assert not (made / MODULE).exists()


def test_the_menu_says_how_safe_each_fix_is(
    open_folder: Callable[[Path], Workbench], tmp_path: Path
) -> None:
    made = folder(tmp_path)
    more = "\n\ndef f(x):\n    return torch.abs(layer(x)), x.scatter_add_(0, x, x)\n"
    (made / "net.py").write_text(TEXT + "other = torch.nn.Linear(3, 2)\n" + more)
    window = open_folder(made)
    window.open_file("net.py")
    window.expect_any_squiggle()
    window.go_to(3, 20)
    titles = window.menu("Convert torch.nn.Linear to paddle.nn.Linear (changes behaviour: TF110)")
    everywhere = "Convert all 2 uses of torch.nn.Linear in this file; 2 change behaviour (TF110)"
    assert everywhere in titles
    assert any(title.startswith("Convert everything in this file to paddle") for title in titles)
    window.picture(tmp_path, "safety")
    window.press("Escape")
    window.go_to(8, 20)
    assert "Convert torch.abs to paddle.abs" in window.menu("Convert torch.abs to paddle.abs")
    window.press("Escape")
    window.point_at_squiggle()
    expect(window.hover_text.first).to_contain_text("Fix: changes behaviour.")
    window.picture(tmp_path, "safety-hover")


def test_on_save_the_whole_file_in_the_style_and_with_the_helpers_that_were_chosen(
    open_folder: Callable[[Path], Workbench], tmp_path: Path
) -> None:
    made = folder(tmp_path, on_save=True, style="exact", helpers="inline")
    window = open_folder(made)
    window.open_file("net.py")
    window.expect_any_squiggle()
    window.write_line(3, "size = 2")
    window.save()
    lines = window.page.locator(".view-line")
    expect(lines.filter(has_text="class TorchLinear")).to_be_visible()
    text = (made / "net.py").read_text()
    assert "class TorchLinear" in text and "layer = TorchLinear(2, 3)\n" in text
    assert "import torch\n" not in text and not (made / MODULE).exists()


def test_a_fix_puts_its_helpers_beside_the_file_in_the_same_step(
    open_folder: Callable[[Path], Workbench], tmp_path: Path
) -> None:
    made = folder(tmp_path, style="exact")
    window = open_folder(made)
    window.open_file("net.py")
    window.expect_any_squiggle()
    window.source_action(CONVERT)
    lines = window.page.locator(".view-line")
    expect(lines.filter(has_text="from torchferry_helpers import TorchLinear")).to_be_visible()
    window.save()
    text = (made / "net.py").read_text()
    assert "layer = TorchLinear(2, 3)\n" in text and "class TorchLinear" not in text
    module = (made / MODULE).read_text()
    ast.parse(module)
    assert "class TorchLinear" in module
