"""A VS Code with our extension, and a window of it on a fresh folder for each test."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from vscode_install import install
from vscode_page import Workbench
from vscode_server import WorkbenchServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WorkbenchServer]:
    """The workbench, with our extension installed and this Python to run its server in."""
    node, code_server, vsix = install()
    server = WorkbenchServer(node, code_server, tmp_path_factory.mktemp("vscode"))
    server.configure({"torchferry.interpreter": sys.executable, "torchferry.logLevel": "info"})
    server.install(vsix)
    try:
        server.start()
        yield server
    finally:
        server.stop()


@pytest.fixture
def open_folder(
    server: WorkbenchServer, browser: Browser, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[Callable[[Path], Workbench]]:
    """Opens a window on a folder. What it shows when a test ends is kept beside the folder."""
    contexts = []

    def open_folder(folder: Path) -> Workbench:
        context = browser.new_context(viewport={"width": 1400, "height": 900})
        contexts.append(context)
        return Workbench(context.new_page(), server.address(folder))

    yield open_folder
    for number, context in enumerate(contexts):
        context.pages[0].screenshot(path=tmp_path / f"{request.node.name}-{number}.png")
        context.close()
