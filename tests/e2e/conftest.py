"""The Chromium that all browser tests drive."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from scripts.browser import BrowserMissingError, find_browser

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


_RUNNING: pytest.StashKey[Browser] = pytest.StashKey()


@pytest.fixture(scope="module")
def browser(request: pytest.FixtureRequest) -> Browser:
    """Chromium without a screen; where there is none the tests fail and say what to do.

    All browser tests that run one after the other share it. It ends before other tests run: its
    event loop would be in the way of their own.
    """
    [folder] = [node for node in request.node.listchain() if node.path == Path(__file__).parent]
    if _RUNNING not in folder.stash:
        folder.stash[_RUNNING] = _launch(folder)
    return folder.stash[_RUNNING]


def _launch(folder: pytest.Collector) -> Browser:
    try:
        program = find_browser()
    except BrowserMissingError as error:
        pytest.fail(str(error))
    with contextlib.ExitStack() as stack:
        playwright = stack.enter_context(sync_playwright())
        chromium = playwright.chromium.launch(executable_path=program, args=FLAGS)
        stack.callback(chromium.close)
        stack.callback(folder.stash.__delitem__, _RUNNING)
        folder.addfinalizer(stack.pop_all().close)
    return chromium
