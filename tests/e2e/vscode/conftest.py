"""A VS Code with our extension, and a window of it on a fresh folder for each test."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import extension_standins
import pytest
from playwright.sync_api import TimeoutError
from vscode_install import install
from vscode_page import Workbench
from vscode_server import WorkbenchServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, BrowserContext


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> WorkbenchServer:
    """The workbench, with our extension, and with this Python as the one that was selected."""
    node, code_server, vsix = install()
    folder = tmp_path_factory.mktemp("vscode")
    server = WorkbenchServer(node, code_server, folder)
    selected = {"python.defaultInterpreterPath": sys.executable}
    server.configure({**selected, "torchferry.logLevel": "info"})
    server.install(extension_standins.python(folder), extension_standins.kernel(folder), vsix)
    return server


@pytest.fixture(scope="session")
def server(installed: WorkbenchServer) -> Iterator[WorkbenchServer]:
    """It, running, where every folder is trusted."""
    try:
        installed.start("--disable-workspace-trust")
        yield installed
    finally:
        installed.stop()


@pytest.fixture(scope="module")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """One person's browser: what it has loaded of the workbench once, the next window finds."""
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    yield context
    context.close()


class SharedWindow:
    """One window for the tests of a file, which work in folders of their own beside each other."""

    def __init__(self, address: str, context: BrowserContext) -> None:
        self._address = address
        self._context = context
        self._window: Workbench | None = None

    def enter(self, folder: Path) -> Workbench:
        """The window, with files named from this folder on; opened where it is not."""
        window = self._window or Workbench(self._context.new_page(), self._address)
        self._window = window
        window.within = folder
        return window

    def leave(self) -> None:
        """Close what is open in it; a window that something stands in the way of is thrown away."""
        assert self._window is not None
        try:
            self._window.tidy()
        except TimeoutError:
            self._window.page.close(run_before_unload=False)
            self._window = None


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the shared window shows."""
    return tmp_path_factory.mktemp("work")


@pytest.fixture(scope="module")
def shared(server: WorkbenchServer, context: BrowserContext, root: Path) -> SharedWindow:
    return SharedWindow(server.address(root), context)


@pytest.fixture
def window(
    shared: SharedWindow, root: Path, folder: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[Workbench]:
    """The shared window, for the folder of one test. What it shows at the end is kept."""
    window = shared.enter(folder.relative_to(root))
    yield window
    window.page.screenshot(path=tmp_path / f"{request.node.name}.png")
    shared.leave()


@pytest.fixture
def open_folder(
    server: WorkbenchServer,
    context: BrowserContext,
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> Iterator[Callable[[Path], Workbench]]:
    """Opens a window of its own on a folder. What it shows at the end is kept beside the folder."""
    pages = []

    def open_folder(folder: Path) -> Workbench:
        pages.append(context.new_page())
        return Workbench(pages[-1], server.address(folder))

    yield open_folder
    for number, page in enumerate(pages):
        page.screenshot(path=tmp_path / f"{request.node.name}-{number}.png")
        page.close(run_before_unload=False)
