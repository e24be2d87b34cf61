"""The settings that hold for a file: its project's pyproject.toml, and what the editor adds."""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pygls.uris import to_fs_path

from workbench.convert import settings as project_settings
from workbench.convert.settings import OFF, settings_for
from workbench.errors import TorchferryError
from workbench.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Callable

    from lsp_server.settings import Settings

logger = logging.getLogger(__name__)

FILE = project_settings.FILE


class Projects:
    """Reads each folder's settings once, until they are said to have changed.

    Args:
        chosen: what the editor's user chose; it goes before what a project says.
        root: the folder that a text without a place of its own belongs to.
        tell: shows the user a message.
    """

    def __init__(self, chosen: Settings, root: str | None, tell: Callable[[str], None]) -> None:
        self._chosen = chosen
        self._root = root
        self._tell = tell
        self._by_folder: dict[str, project_settings.Settings] = {}

    def of(self, uri: str) -> project_settings.Settings:
        """The settings for a document or a notebook."""
        path = path_of(uri)
        folder = str(path.parent) if path else self._root or ""
        known = self._by_folder.get(folder)
        if known is None:
            known = self._by_folder[folder] = self._read(folder)
        return known

    def excludes(self, uri: str) -> bool:
        """Whether the project says to leave a file alone."""
        path = path_of(uri)
        return path is not None and self.of(uri).excludes(path)

    def _read(self, folder: str) -> project_settings.Settings:
        found = project_settings.Settings()
        if folder:
            try:
                found = settings_for(Path(folder))
            except TorchferryError as error:
                self._tell(f"Torchferry goes by its own settings: {error}")
            except OSError as error:
                logger.warning("No project settings for a folder: %s", error.strerror)
        return replace(
            found,
            target=self._chosen.target or found.target,
            severities={**found.severities, **self._severities},
        )

    @cached_property
    def _severities(self) -> dict[str, Severity | None]:
        words = {OFF: None, **{str(severity): severity for severity in Severity}}
        found: dict[str, Severity | None] = {}
        for code, word in self._chosen.severities.items():
            if word in words:
                found[str(code)] = words[word]
            else:
                logger.warning("torchferry.severities: %r is none of %s", word, ", ".join(words))
        return found


def path_of(uri: str) -> Path | None:
    """The file that an address names; None for a text that is in none."""
    if not uri.startswith("file:"):
        return None
    path = to_fs_path(uri)
    return Path(path) if path else None
