"""Serves Netron's page so that it asks nothing of any other host.

As it ships, the page asks a geolocation service where the reader is, puts a consent dialog in the
way and loads analytics. It does none of that when it takes itself for an unreleased version
(version 0.0.0, no date) and finds the consent cookie. A content security policy keeps it to this
server even if a later Netron should find another way.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from jupyter_server.auth.decorator import authorized
from jupyter_server.base.handlers import JupyterHandler
from tornado import web

if TYPE_CHECKING:
    from collections.abc import Awaitable

INDEX = "index.html"
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
        """Send a file; the page itself is sent changed, see `quiet_index`."""
        path = path or INDEX
        if PurePosixPath(path).suffix not in CONTENT_TYPES or "\0" in path:
            raise web.HTTPError(404)
        if path == INDEX:
            self.send_index(include_body)
            return None
        return web.StaticFileHandler.get(self, path, include_body)

    @web.authenticated
    @authorized
    def head(self, path: str) -> Awaitable[None] | None:  # type: ignore[override]
        """The headers of `get`."""
        return self.get(path, include_body=False)

    def send_index(self, include_body: bool) -> None:
        """Send the page with what keeps it quiet."""
        absolute = self.get_absolute_path(self.root, INDEX)
        text = b"".join(self.get_content(absolute)).decode()
        page = quiet_index(text).encode()
        # The cookie is the page's own: it goes to no other part of the server.
        folder = self.request.path.rpartition("/")[0] + "/"
        self.set_cookie("consent", "1", path=folder, samesite="Strict")
        self.set_header("Content-Type", CONTENT_TYPES[".html"])
        self.set_header("Content-Length", len(page))
        self.set_header("Cache-Control", "no-cache")
        self.finish(page if include_body else b"")

    def compute_etag(self) -> str | None:
        """None for the page: its tag would be that of the file, which is not what is sent."""
        return super().compute_etag() if hasattr(self, "absolute_path") else None

    def get_content_type(self) -> str:
        """By our own table: a system's may call a script plain text, which browsers refuse."""
        return CONTENT_TYPES[PurePosixPath(self.absolute_path or "").suffix]

    def set_extra_headers(self, path: str) -> None:
        """Netron adds a version to some addresses only, so let the browser ask each time."""
        self.set_header("Cache-Control", "no-cache")

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """A line of text: the framed page is no place for Jupyter's error page."""
        error = kwargs.get("exc_info", (None, None, None))[1]
        reason = self._reason
        if isinstance(error, web.HTTPError) and error.log_message:
            reason = error.log_message % error.args
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.finish(f"{status_code}: {reason}\n")


def quiet_index(text: str) -> str:
    """Netron's page without the version and date that make it phone out.

    Raises the server's error 500 when the page is not the one that this knows how to quieten: then
    it is not served at all.
    """
    text, versions = VERSION.subn('<meta name="version" content="0.0.0">', text)
    text, dates = DATE.subn("", text)
    if versions != 1 or dates != 1:
        raise web.HTTPError(
            500,
            "this Netron's page is unknown to Torchferry and might ask other hosts, so it is not "
            "shown. Next step: pip install 'netron>=9.3,<9.4'",
        )
    return text
