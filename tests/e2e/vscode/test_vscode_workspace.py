"""Files that are not open are checked too, where the settings say so."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from playwright.sync_api import expect
from vscode_page import START_MS, Workbench

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_a_discarded_edit_leaves_nothing_of_a_file_whose_findings_stay(
    open_folder: Callable[[Path], Workbench], tmp_path: Path
) -> None:
    folder = tmp_path / "project"
    (folder / ".vscode").mkdir(parents=True)
    settings = {"torchferry.diagnosticMode": "workspace"}
    (folder / ".vscode" / "settings.json").write_text(json.dumps(settings))
    text = "import torch\n\ntorch.on_disk(1)\n"
    for name in ("one.py", "two.py"):
        (folder / name).write_text(text)
    window = open_folder(folder)
    window.open_file("two.py")
    rows = window.problems()
    on_disk = rows.filter(has_text="torch.on_disk")
    expect(on_disk).to_have_count(2, timeout=START_MS)
    window.open_file("one.py")
    window.write_line(3, "torch.typed(1)")
    expect(rows.filter(has_text="torch.typed")).to_have_count(1)
    window.picture(tmp_path, "typed")
    window.tidy()
    expect(rows.filter(has_text="torch.typed")).to_have_count(0)
    expect(on_disk).to_have_count(2)
    expect(rows.filter(has_text="at line 4")).to_have_count(0)
    window.picture(tmp_path, "discarded")
    assert (folder / "one.py").read_text() == text
