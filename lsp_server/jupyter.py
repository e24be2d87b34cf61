"""Makes the server known to JupyterLab, by the entry point `jupyter_lsp_spec_v1`."""

from __future__ import annotations

import sys
from typing import Any


def spec(manager: Any) -> dict[str, dict[str, Any]]:
    """Return the command of the server and its languages, for `jupyter_lsp`."""
    return {
        "torchferry": {
            "version": 2,
            "display_name": "Torchferry",
            "argv": [sys.executable, "-P", "-m", "lsp_server"],
            "languages": ["python"],
            "mime_types": ["text/python", "text/x-ipython"],
        }
    }
