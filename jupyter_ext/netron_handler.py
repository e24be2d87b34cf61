"""Serves Netron's page so that it asks nothing of any other host.

As it ships, the page asks a geolocation service where the reader is, puts a consent dialog in the
way and loads analytics. It does none of that when it takes itself for an unreleased version
(version 0.0.0, no date) and finds the consent cookie. A content security policy keeps it to this
server even if a later Netron should find another way.

It writes shapes in brackets of Chinese and Japanese, which are empty boxes where a system has no
font for these: they are sent as brackets that any font has.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from jupyter_server.auth.decorator import authorized
from jupyter_server.base.handlers import JupyterHandler
from tornado import web

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

INDEX = "index.html"
VIEW = "view.js"
CONTENT_TYPES = {
    ".css": "text/css",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
}
POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "worker-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self'",
        "form-action 'none'",
        "base-uri 'none'",
        "frame-ancestors 'self'",
    ]
)
VERSION = re.compile(r'<meta name="version" content="[^"]*">')
DATE = re.compile(r'<meta name="date" content="[^"]*">\n?')


class NetronHandler(JupyterHandler, web.StaticFileHandler):
    """The files of the package that a browser needs, for a reader who is logged in."""

    auth_resource = "contents"

    @property
    def content_security_policy(self) -> str:
        return POLICY

    @web.authenticated
    @authorized
    def get(  # type: ignore[override]
        self, path: str, include_body: bool = True
    ) -> Awaitable[None] | None:
        """Send a file; two are sent changed, see `quiet_index` and `plain_brackets`."""
        path = path or INDEX
        if PurePosixPath(path).suffix not in CONTENT_TYPES or "\0" in path:
            raise web.HTTPError(404)
        change = CHANGES.get(path)
        if change is not None:
            self.send_changed(path, change, include_body)
            return None
        return web.StaticFileHandler.get(self, path, include_body)

    @web.authenticated
    @authorized
    def head(self, path: str) -> Awaitable[None] | None:  # type: ignore[override]
        """Return the headers of `get`."""
        return self.get(path, include_body=False)

    def send_changed(self, path: str, change: Callable[[str], str], include_body: bool) -> None:
        """Send a file with a change in it."""
        absolute = self.get_absolute_path(self.root, path)
        content = change(b"".join(self.get_content(absolute)).decode()).encode()
        if path == INDEX:
            # The cookie belongs to the page: no other part of the server gets it.
            folder = self.request.path.rpartition("/")[0] + "/"
            self.set_cookie("consent", "1", path=folder, samesite="Strict")
        self.set_header("Content-Type", CONTENT_TYPES[PurePosixPath(path).suffix])
        self.set_header("Content-Length", len(content))
        self.set_header("Cache-Control", "no-cache")
        self.finish(content if include_body else b"")

    def compute_etag(self) -> str | None:
        """Return None for changed content: its tag would be that of the original file."""
        return super().compute_etag() if hasattr(self, "absolute_path") else None

    def get_content_type(self) -> str:
        """Return the type by our own table: a system's may call a script plain text."""
        return CONTENT_TYPES[PurePosixPath(self.absolute_path or "").suffix]

    def set_extra_headers(self, path: str) -> None:
        """Prevent caching, since Netron adds a version to some addresses only."""
        self.set_header("Cache-Control", "no-cache")

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Write a line of text, since Jupyter's error page does not suit a frame."""
        error = kwargs.get("exc_info", (None, None, None))[1]
        reason = self._reason
        if isinstance(error, web.HTTPError) and error.log_message:
            reason = error.log_message % error.args
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.finish(f"{status_code}: {reason}\n")


def quiet_index(text: str) -> str:
    """Return Netron's page without the version and date that make it contact other hosts.

    Raises the server's error 500 when the page is not the one that this knows how to quieten: then
    it is not served at all.
    """
    text, versions = VERSION.subn('<meta name="version" content="0.0.0">', text)
    text, dates = DATE.subn("", text)
    if versions != 1 or dates != 1:
        raise web.HTTPError(
            500,
            "the page of this version of Netron is unknown to Torchferry and might contact other"
            " hosts, so it is not shown. Next step: pip install 'netron>=9.3,<9.4'",
        )
    return text


def plain_brackets(script: str) -> str:
    """Return Netron's script with shapes in brackets that every font has."""
    return script.replace(r"\u3008", r"\u2039").replace(r"\u3009", r"\u203a")


CHANGES: dict[str, Callable[[str], str]] = {INDEX: quiet_index, VIEW: plain_brackets}
