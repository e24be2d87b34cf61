"""One real JupyterLab for all browser tests of the panel, and a real Chromium to look at it."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from lab_page import Lab, Server
from playwright.sync_api import Browser, BrowserContext, expect

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
    """JupyterLab with folders of its own for everything that it keeps, and `more` arguments."""
    root = base / "notebooks"
    root.mkdir()
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
    # Otherwise JupyterLab asks in each fresh set-up whether to fetch its news.
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
        kept = own["JUPYTER_CONFIG_DIR"], own["JUPYTERLAB_WORKSPACES_DIR"]
        lab = Server(url, token, root, *kept)
        # Where it is installed, it would talk to language servers in every test.
        lab.disable("@jupyter-lsp/jupyterlab-lsp")
        yield lab


@pytest.fixture(scope="module")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """One person's browser: what it has loaded of JupyterLab once, the next page finds there."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    yield context
    context.close()


@pytest.fixture
def lab(
    server: Server, context: BrowserContext, request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[Lab]:
    """A fresh JupyterLab page; at the end, no request may have left this machine."""
    page = context.new_page()
    page.set_default_timeout(30_000)
    asked: list[str] = []
    page.on("request", lambda each: asked.append(each.url))
    opened = Lab(page, server)
    yield opened
    shots = os.environ.get("TORCHFERRY_SCREENSHOTS")
    if shots:
        Path(shots).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=Path(shots) / f"{request.node.name}.png")
    opened.leave_kernels()
    page.close()
    shutil.rmtree(tmp_path, ignore_errors=True)
    allowed = {"127.0.0.1", "localhost", ""}
    strangers = {url for url in asked if urlsplit(url).hostname not in allowed | {None}}
    assert not strangers, f"requests left this machine: {sorted(strangers)}"
    assert any("/lab" in url for url in asked)
