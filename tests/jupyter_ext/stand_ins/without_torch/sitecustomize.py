"""Makes imports of torch and of Torchferry fail in every process that starts with this folder."""

from __future__ import annotations

import sys

BLOCKED = ("torch", "torchvision", "torchferry", "workbench", "jupyter_ext", "lsp_server")


class Blocked:
    """An import finder that raises ImportError for some packages."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """Refuse a blocked package; leave others to other finders."""
        if name.partition(".")[0] in BLOCKED:
            raise ImportError(f"{name} is blocked")


sys.meta_path.insert(0, Blocked())  # type: ignore[arg-type]
