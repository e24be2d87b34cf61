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


def folder(tmp_path: Path, **settings: str) -> Path:
    made = tmp_path / "project"
    (made / ".vscode").mkdir(parents=True)
    (made / ".vscode" / "settings.json").write_text(
        json.dumps({f"torchferry.{name}": value for name, value in settings.items()})
    )
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
