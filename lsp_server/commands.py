"""What a client can have done by name: preview, conversion in place, a look at the environment."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from lsp_server.actions import resolved

if TYPE_CHECKING:
    from lsp_server.desk import Desk

_PACKAGES = ("torchferry", "pygls", "libcst", "torch", "paddlepaddle")


def preview(desk: Desk, uri: str) -> dict[str, Any]:
    """The whole program converted, as text, with what stays unconverted."""
    found = desk.documents.get(uri)
    if found is None:
        raise JsonRpcException(f"{uri} is not open, or is no Python; open it, then ask again.")
    program, document = found
    conversion = desk.convert(program)
    return {
        "code": conversion.code,
        "version": document.version,
        "findings": len(conversion.findings),
        "unconverted": len(conversion.unconverted),
    }


def lines_edit(desk: Desk, uri: str, revision: int, first: int, last: int) -> types.WorkspaceEdit:
    """The edit that converts some lines of a program, which must be as they were."""
    data = {"uri": uri, "revision": revision, "what": "lines", "lines": [first, last]}
    edit = resolved(desk, types.CodeAction(title="", data=data)).edit
    assert edit is not None
    return edit


def environment() -> dict[str, str | None]:
    """What the server runs in. Packages are looked up and not imported; None: not installed."""
    found: dict[str, str | None] = {
        "python": platform.python_version(),
        "executable": sys.executable,
    }
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = None
    return found
