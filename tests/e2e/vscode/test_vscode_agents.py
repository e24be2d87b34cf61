"""The tools for agents: registered where the workspace is trusted, and served from there."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from vscode_page import START_MS, STEP_MS, Workbench

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import BrowserContext
    from vscode_server import WorkbenchServer


@pytest.mark.parametrize("is_trusted", [True, False])
def test_tools_are_registered(
    installed: WorkbenchServer, context: BrowserContext, tmp_path: Path, is_trusted: bool
) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "model.py").write_text("import torch\n\nx = torch.zeros(3)\n")
    server = installed.beside(tmp_path)
    selected = {"python.defaultInterpreterPath": sys.executable}
    server.configure({**selected, "chat.disableAIFeatures": False})
    try:
        server.start(*(["--disable-workspace-trust"] if is_trusted else []))
        page = context.new_page()
        window = Workbench(page, server.address(folder))
        window.open_file("model.py")
        window.expect_any_squiggle(START_MS)
        servers = window.choices("MCP: List Servers")
        servers.filter(has_text="Add Server").wait_for()
        ours = servers.filter(has_text="Torchferry")
        expect(ours).to_have_count(1 if is_trusted else 0)
        window.picture(tmp_path, "servers")
        if is_trusted:
            ours.click()
            servers.filter(has_text="Start Server").click()

            def show_output() -> None:
                window.choices("MCP: List Servers")
                ours.filter(has_text="Running").click(timeout=STEP_MS)
                servers.filter(has_text="Show Output").click()

            window.persist(show_output)  # the list closes where the start takes the focus
            found = re.compile(r"Discovered\s\d+\stools")
            told = page.locator(".panel .view-line").filter(has_text=found)
            expect(told).to_have_count(1, timeout=START_MS)
            window.picture(tmp_path, "started")
        page.close(run_before_unload=False)
    finally:
        server.stop()
