"""A workspace that is not trusted: findings and fixes, and nothing of its own is run."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from vscode_page import START_MS, Workbench

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext
    from vscode_server import WorkbenchServer

MODEL = """\
import torch


class Net(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)
"""
RUN_CODE = ("Prove", "Show the Graph", "Run the Model", "Install torchferry")


def test_nothing_of_the_workspace_is_run(
    installed: WorkbenchServer,
    context: BrowserContext,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder, ran = tmp_path / "work", tmp_path / "it-ran"
    (folder / ".vscode").mkdir(parents=True)
    (folder / "model.py").write_text(MODEL)
    trap = folder / "python"
    trap.write_text(f'#!/bin/sh\ntouch "{ran}"\nexec "{sys.executable}" "$@"\n')
    trap.chmod(0o755)
    names = ("torchferry.interpreter", "python.defaultInterpreterPath")
    settings = {**dict.fromkeys(names, str(trap)), "torchferry.loadRules": True}
    (folder / ".vscode" / "settings.json").write_text(json.dumps(settings))
    (folder / "pyproject.toml").write_text(
        '[tool.torchferry]\nrules = "rules.py"\n'
        '[tool.torchferry.models]\n"model.py:Net" = { port = "rules.py:Net" }\n'
    )
    (folder / "rules.py").write_text(f"import pathlib\npathlib.Path({str(ran)!r}).touch()\n")
    # The Python that is left: the first on the path.
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    guarded = installed.beside(tmp_path)
    guarded.configure({})
    try:
        guarded.start()
        window = Workbench(context.new_page(), guarded.address(folder))
        window.open_file("model.py")
        window.expect_any_squiggle(START_MS)
        expect(window.status.locator("a")).to_have_accessible_name(re.compile("from the path"))
        lenses = window.page.locator(".codelens-decoration")
        expect(lenses.first).to_contain_text("Convert to paddle")
        shown = lenses.first.inner_text()
        assert "Show graph" not in shown and "Verify port" not in shown
        offered = window.commands("Torchferry: ", "Torchferry: Restart the Server")
        assert "Torchferry: Preview the Conversion" in offered
        assert not [title for title in offered if any(each in title for each in RUN_CODE)]
        window.go_to(6, 20)
        window.quick_fix("Convert torch.relu to ")
        window.save()
        assert "torch.relu" not in (folder / "model.py").read_text()
        assert not ran.exists()
    finally:
        guarded.stop()
