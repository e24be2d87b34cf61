"""The Jupyter server extension: serves Netron, out of its pip package, to the side panel."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jupyter_server.utils import url_path_join

from .netron_handler import NetronHandler

if TYPE_CHECKING:
    from jupyter_server.serverapp import ServerApp


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": "jupyter_ext.server_extension"}]


def _load_jupyter_server_extension(server: ServerApp) -> None:
    """Add the handler to a starting server; called by Jupyter."""
    folder = netron_folder()
    if folder is None:
        server.log.warning(
            "Torchferry cannot show graphs: the package netron is not installed next to"
            " JupyterLab. Next step: pip install 'torchferry[lab]'"
        )
        return
    application: Any = server.web_app
    address = url_path_join(application.settings["base_url"], "torchferry", "netron")
    application.add_handlers(".*$", [(rf"{address}/(.*)", NetronHandler, {"path": str(folder)})])


def netron_folder() -> Path | None:
    """Return the folder of the web page of the pip package `netron`, or None."""
    spec = find_spec("netron")
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent
