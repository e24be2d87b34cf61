"""The Chromium that all browser tests drive."""

from __future__ import annotations

from collections.abc import Iterator

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


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium without a screen; where there is none the tests fail and say what to do.

    It ends with each file: while it runs, its event loop is in the way of other tests' own.
    """
    try:
        program = find_browser()
    except BrowserMissingError as error:
        pytest.fail(str(error))
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield chromium
        chromium.close()
