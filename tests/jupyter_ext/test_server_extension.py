"""A real Jupyter server with the extension: Netron for those who are logged in, and quiet."""

from __future__ import annotations

import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message
from pathlib import Path

import pytest
from tornado.web import HTTPError

from jupyter_ext.netron_handler import CONTENT_TYPES, quiet_index
from jupyter_ext.server_extension import netron_folder
from tests.jupyter_process import jupyter

TOKEN = "a-token-of-the-tests"


@dataclass
class Answer:
    status: int
    headers: Message
    text: str


class Client:
    """Asks a server for paths below its address."""

    def __init__(self, url: str) -> None:
        self.url = url

    def get(self, path: str, *, token: str | None = TOKEN, method: str = "GET") -> Answer:
        request = urllib.request.Request(self.url + path, method=method)
        if token:
            request.add_header("Authorization", f"token {token}")
        opener = urllib.request.build_opener(_Stay)
        try:
            with opener.open(request, timeout=30) as answer:
                return Answer(answer.status, answer.headers, answer.read().decode())
        except urllib.error.HTTPError as error:
            return Answer(error.code, error.headers, error.read().decode(errors="replace"))


class _Stay(urllib.request.HTTPRedirectHandler):
    """A redirect is an answer, too."""

    def redirect_request(self, *_: object) -> None:
        return None


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    base = tmp_path_factory.mktemp("server")
    arguments = [
        "--ServerApp.base_url=/some/where",
        f"--ServerApp.root_dir={base}",
        "--ServerApp.jpserver_extensions=jupyter_ext.server_extension=True",
    ]
    names = ("HOME", "JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR")
    folders = {name: base / name for name in names}
    with jupyter("jupyter_server", arguments, token=TOKEN, folders=folders) as url:
        yield Client(url)


def test_the_page_is_changed_so_that_it_stays_quiet(client: Client) -> None:
    answer = client.get("/torchferry/netron/index.html")
    assert answer.status == 200
    assert '<meta name="version" content="0.0.0">' in answer.text
    assert '<meta name="date"' not in answer.text
    cookies = answer.headers.get_all("Set-Cookie") or []
    consent = [cookie for cookie in cookies if cookie.startswith("consent=1")]
    assert len(consent) == 1
    assert "Path=/some/where/torchferry/netron/" in consent[0]


def test_shapes_are_in_brackets_that_every_font_has(client: Client) -> None:
    folder = netron_folder()
    assert folder is not None
    assert r"\u3008" in (folder / "view.js").read_text()
    script = client.get("/torchferry/netron/view.js").text
    assert r"return `\u2039${content}\u203a`" in script
    assert not re.search(r"\\u300[89]|[\u3008\u3009]", script)


def test_the_folder_itself_gives_the_page(client: Client) -> None:
    assert "Netron" in client.get("/torchferry/netron/").text


@pytest.mark.parametrize("path", ["index.html", "view.js", "grapher.css", "nothing.js"])
def test_the_policy_lets_nothing_leave(client: Client, path: str) -> None:
    policy = client.get(f"/torchferry/netron/{path}").headers["Content-Security-Policy"]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["connect-src"] == rules["script-src"] == rules["frame-ancestors"] == "'self'"
    assert "http" not in policy


@pytest.mark.parametrize("path", ["view.js", "onnx-metadata.json", "grapher.css", "icon.png"])
def test_files_have_types_that_a_browser_takes(client: Client, path: str) -> None:
    answer = client.get(f"/torchferry/netron/{path}", method="HEAD")
    assert answer.status == 200
    assert answer.headers["Content-Type"] == CONTENT_TYPES[Path(path).suffix]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_every_script_that_the_page_loads_is_there(client: Client) -> None:
    page = client.get("/torchferry/netron/index.html").text
    scripts = re.findall(r'<script[^>]* src="([^"]+)"', page)
    assert scripts
    for script in scripts:
        assert client.get(f"/torchferry/netron/{script}").status == 200


@pytest.mark.parametrize("path", ["", "index.html", "view.js", "nothing.js"])
def test_nothing_without_logging_in(client: Client, path: str) -> None:
    for method in ("GET", "HEAD"):
        answer = client.get(f"/torchferry/netron/{path}", token=None, method=method)
        assert answer.status in (302, 403)
        assert "Netron" not in answer.text


@pytest.mark.parametrize(
    "path",
    ["server.py", "__pycache__/server.cpython-311.pyc", "../pip/__init__.py", "%2e%2e/six.py"],
)
def test_only_the_page_of_the_package(client: Client, path: str) -> None:
    assert client.get(f"/torchferry/netron/{path}").status in (403, 404)


@pytest.mark.parametrize("path", ["../", "..%2f", "%2e%2e/"])
def test_no_way_out_of_the_folder(client: Client, path: str) -> None:
    answer = client.get(f"/torchferry/netron/{path}jupyterlab/static/index.html")
    assert answer.status in (403, 404)


def test_a_refusal_names_the_path(client: Client) -> None:
    answer = client.get("/torchferry/netron/..%2f..%2fother.js")
    assert (answer.status, answer.text) == (
        403,
        "403: ../../other.js is not in root static directory\n",
    )


@pytest.mark.parametrize("path", ["%00.js", "view%00.js", "view.js%00", f"{'a' * 5000}.js"])
def test_an_impossible_path_is_not_found(client: Client, path: str) -> None:
    assert client.get(f"/torchferry/netron/{path}").status == 404


def test_an_unknown_page_is_not_served() -> None:
    with pytest.raises(HTTPError) as caught:
        quiet_index("<html><head><title>Another Netron</title></head></html>")
    assert caught.value.status_code == 500
    assert "pip install 'netron" in (caught.value.log_message or "")


def test_the_installed_netron_is_known() -> None:
    folder = netron_folder()
    assert folder is not None
    text = (folder / "index.html").read_text()
    assert quiet_index(text) != text
    # Assumptions of the three changes: only under these conditions the page asks other hosts.
    script = (folder / "browser.js").read_text()
    assert "this._meta.version[0] !== '0.0.0'" in script
    assert "this._getCookie('consent')" in script
