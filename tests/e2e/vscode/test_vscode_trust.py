"""An untrusted workspace has findings and fixes, and none of its code runs.

The remaining Python has nothing installed: the server is the one in the extension.
"""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from vscode_page import START_MS, STEP_MS

if TYPE_CHECKING:
    from collections.abc import Callable

    from vscode_page import Workbench
    from vscode_server import WorkbenchServer


MODEL = """\
import torch


class Net(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)
"""
RUN_CODE = ("Prove", "Show the Graph", "Run the Model", "Install torchferry")


def script(place: Path, *lines: str) -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("\n".join(("#!/bin/sh", *lines, "")))
    place.chmod(0o755)
    return place


def test_nothing_of_the_workspace_is_run_before_it_is_trusted(
    installed: WorkbenchServer,
    open_window: Callable[[str], Workbench],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder, ran = tmp_path / "work", tmp_path / "it-ran"
    (folder / ".vscode").mkdir(parents=True)
    (folder / "model.py").write_text(MODEL)
    trap = script(folder / "python", f'touch "{ran}"', f'exec "{sys.executable}" "$@"')
    names = ("torchferry.interpreter", "python.defaultInterpreterPath")
    settings = {**dict.fromkeys(names, str(trap)), "torchferry.loadRules": True}
    (folder / ".vscode" / "settings.json").write_text(json.dumps(settings))
    (folder / "pyproject.toml").write_text(
        '[tool.torchferry]\nrules = "rules.py"\n'
        '[tool.torchferry.models]\n"model.py:Net" = { port = "rules.py:Net" }\n'
    )
    (folder / "rules.py").write_text(f"import pathlib\npathlib.Path({str(ran)!r}).touch()\n")
    bare = Path(sys.base_prefix, "bin", f"python3.{sys.version_info.minor}")
    for name in ("python3", "python"):
        script(tmp_path / "bin" / name, f'exec "{bare}" -I "$@"')
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    guarded = installed.another(tmp_path)
    guarded.configure({"chat.disableAIFeatures": False})
    try:
        guarded.start()
        window = open_window(guarded.address(folder))
        window.open_file("model.py")
        window.expect_any_squiggle(START_MS)
        brought = re.compile("from the PATH, with the server that is part of the extension")
        expect(window.status.locator("a")).to_have_accessible_name(brought)
        lenses = window.page.locator(".codelens-decoration")
        expect(lenses.first).to_contain_text("Convert to paddle")
        shown = lenses.first.inner_text()
        assert "Show graph" not in shown and "Verify port" not in shown
        offered = window.commands("Torchferry: ", "Torchferry: Restart the Server")
        assert "Torchferry: Preview the Conversion" in offered
        assert not [title for title in offered if any(each in title for each in RUN_CODE)]
        agents = window.choices("MCP: List Servers")
        agents.filter(has_text="Add Server").wait_for()
        expect(agents.filter(has_text="Torchferry")).to_have_count(0)
        window.press("Escape")
        window.go_to(6, 20)
        window.quick_fix("Convert torch.relu to ")
        window.save()
        assert "torch.relu" not in (folder / "model.py").read_text()
        assert not ran.exists()
        window.command("Workspaces: Manage Workspace Trust")
        window.page.get_by_role("button", name="Trust", exact=True).click()
        agents_have_tools(window)
        assert ran.exists(), "now the interpreter that the workspace names is taken"
    finally:
        guarded.stop()


def agents_have_tools(window: Workbench) -> None:
    """See the server of tools for agents listed, start it, and see its tools found."""
    servers = window.choices("MCP: List Servers")
    ours = servers.filter(has_text="Torchferry")
    ours.click()
    servers.filter(has_text="Start Server").click()

    def show_output() -> None:
        window.choices("MCP: List Servers")
        ours.filter(has_text="Running").click(timeout=STEP_MS)
        servers.filter(has_text="Show Output").click()

    window.persist(show_output)  # the list closes where the start takes the focus
    found = re.compile(r"Discovered\s\d+\stools")
    reported = window.page.locator(".panel .view-line").filter(has_text=found)
    expect(reported).to_have_count(1, timeout=START_MS)
