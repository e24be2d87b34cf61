"""A VS Code with our extension, and one window for the tests, each in its own folder."""

from __future__ import annotations

import contextlib
import functools
import shutil
import sys
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

import extension_standins
import pytest
from playwright.sync_api import Browser, BrowserContext, TimeoutError
from vscode_install import install
from vscode_page import Workbench
from vscode_server import WorkbenchServer

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

_FAILED: pytest.StashKey[bool] = pytest.StashKey()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note which tests failed: what their windows show is kept."""
    report = yield
    item.stash[_FAILED] = item.stash.get(_FAILED, False) or report.failed
    return report


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
    """The same workbench, running, where every folder is trusted."""
    try:
        installed.start("--disable-workspace-trust")
        yield installed
    finally:
        installed.stop()


def _person(browser: Browser) -> BrowserContext:
    return browser.new_context(viewport={"width": 1400, "height": 800}, reduced_motion="reduce")


_same_person = functools.cache(_person)


@pytest.fixture(scope="module")
def context(browser: Browser) -> BrowserContext:
    """One person's browser, which loads the files of the workbench once for all windows."""
    return _same_person(browser)


class SharedWindow:
    """One window on a folder, for tests that write there what they need."""

    def __init__(self, address: str, context: BrowserContext) -> None:
        self._address = address
        self._context = context
        self._window: Workbench | None = None

    def enter(self) -> Workbench:
        """Return the window, opened where it is not."""
        if self._window is None:
            self._window = Workbench(self._context.new_page(), self._address)
        self._window.within = Path()
        return self._window

    def leave(self, *, failed: bool) -> None:
        """Close what is open in it; a window that may be in a bad state is thrown away."""
        assert self._window is not None
        with contextlib.suppress(TimeoutError):
            if not failed:
                return self._window.tidy()
        self._window.page.close(run_before_unload=False)
        self._window = None
        # The same person's next window would open what this one had open.
        assert self._context.browser is not None
        self._context = _person(self._context.browser)
        return None


_shared = functools.cache(SharedWindow)


@pytest.fixture(scope="session")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the shared window shows."""
    return tmp_path_factory.mktemp("work")


@pytest.fixture
def window(
    server: WorkbenchServer,
    context: BrowserContext,
    root: Path,
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> Iterator[Workbench]:
    """The shared window, on an empty folder."""
    shared = _shared(server.address(root), context)
    window = shared.enter()
    yield window
    failed = request.node.stash[_FAILED]
    if failed:
        window.page.screenshot(path=tmp_path / "failed.png")
    shared.leave(failed=failed)
    for entry in root.iterdir():
        shutil.rmtree(entry) if entry.is_dir() else entry.unlink()


@pytest.fixture
def folder(root: Path, window: Workbench, request: pytest.FixtureRequest) -> Path:
    """A folder of one test's own in the shared window, which names its files from there on."""
    folder = Path(mkdtemp(prefix=request.node.name, dir=root))
    window.within = folder.relative_to(root)
    return folder


@pytest.fixture
def open_window(
    context: BrowserContext, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[Callable[[str], Workbench]]:
    """Yield a function that opens a new window at an address, for a test about trust."""
    windows: list[Workbench] = []

    def open_window(address: str) -> Workbench:
        windows.append(Workbench(context.new_page(), address))
        return windows[-1]

    yield open_window
    for number, window in enumerate(windows):
        if request.node.stash[_FAILED]:
            window.page.screenshot(path=tmp_path / f"failed-{number}.png")
        window.page.close(run_before_unload=False)
