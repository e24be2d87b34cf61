"""One real JupyterLab for all browser tests of the panel, and a real Chromium to look at it."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from lab_page import Lab, Server
from playwright.sync_api import Browser, expect

from tests.jupyter_process import jupyter

# The first import of torch takes seconds, more where other work is going on.
expect.set_options(timeout=30_000)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """JupyterLab on an empty folder."""
    with jupyterlab(tmp_path_factory.mktemp("jupyterlab")) as server:
        yield server


@contextmanager
def jupyterlab(base: Path, *more: str) -> Iterator[Server]:
    """JupyterLab with its own folders for settings and state, and `more` arguments."""
    root = base / "notebooks"
    root.mkdir(parents=True)
    token = secrets.token_hex(16)
    own = {
        "HOME": base / "home",
        "IPYTHONDIR": base / "ipython",
        "JUPYTER_CONFIG_DIR": base / "config",
        "JUPYTER_DATA_DIR": base / "data",
        "JUPYTER_RUNTIME_DIR": base / "runtime",
        "JUPYTERLAB_SETTINGS_DIR": base / "settings",
        "JUPYTERLAB_WORKSPACES_DIR": base / "workspaces",
        "TORCHFERRY_CONFIG_HOME": base / "torchferry",
    }
    # Without this, JupyterLab asks in each fresh set-up whether to fetch its news.
    quiet = own["JUPYTERLAB_SETTINGS_DIR"] / "@jupyterlab" / "apputils-extension"
    quiet.mkdir(parents=True)
    (quiet / "notification.jupyterlab-settings").write_text('{"fetchNews": "false"}')
    arguments = [
        f"--ServerApp.root_dir={root}",
        "--LabApp.expose_app_in_browser=True",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        *more,
    ]
    with jupyter("jupyterlab", arguments, token=token, folders=own) as url:
        names = "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTERLAB_WORKSPACES_DIR"
        kept = [own[name] for name in names]
        lab = Server(url, token, root, *kept)
        lab.configure(language_servers=False)
        yield lab


@pytest.fixture
def lab(
    server: Server, browser: Browser, request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[Lab]:
    """The page of this server, with nothing open; at the end, no request may have left the machine.

    A test that fails leaves no page and no kernel to the next one.
    """
    lab = server.lab
    if lab is None or lab.page.is_closed():
        context = browser.new_context(
            viewport={"width": 1440, "height": 900}, reduced_motion="reduce"
        )
        context.set_default_timeout(30_000)
        lab = server.lab = Lab(context.new_page(), server)
    lab.asked.clear()
    request.node.stash[_HOLDS] = False
    yield lab
    shots = os.environ.get("TORCHFERRY_SCREENSHOTS")
    if shots:
        Path(shots).mkdir(parents=True, exist_ok=True)
        lab.page.screenshot(path=Path(shots) / f"{request.node.name}.png")
    if request.node.stash[_HOLDS]:
        lab.tidy()
    else:
        server.end_kernels()
        lab.page.context.close()
    allowed = {"127.0.0.1", "localhost", ""}
    strangers = {url for url in lab.asked if urlsplit(url).hostname not in allowed | {None}}
    assert not strangers, f"requests left this machine: {sorted(strangers)}"
    assert any(url.startswith(server.url) for url in lab.asked)


_HOLDS = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Note for `lab` whether the test itself passed."""
    report: pytest.TestReport = yield
    if report.when == "call":
        item.stash[_HOLDS] = report.passed
    return report
