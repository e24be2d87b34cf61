"""The settings that hold for a file: its project's pyproject.toml, and what the editor adds."""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from lsp_server.workspace.addresses import path_of
from workbench.convert.configuration import settings as project_settings
from workbench.convert.configuration.keys import OFF
from workbench.convert.configuration.settings import settings_for
from workbench.errors import TorchferryError
from workbench.findings import Severity
from workbench.targets import Target
from workbench.targets.own import aim, read

if TYPE_CHECKING:
    from collections.abc import Callable

    from lsp_server.settings import Settings

logger = logging.getLogger(__name__)

FILE = project_settings.FILE


class Projects:
    """The settings of each folder, read once until they change.

    Args:
        chosen: the settings of the editor's user, which override a project's.
        root: the folder of a text without a path.
        tell: shows the user a message.
    """

    def __init__(
        self, chosen: Settings, root: str | None, show_message: Callable[[str], None]
    ) -> None:
        self._chosen = chosen
        self._root = root
        self._show_message = show_message
        self._by_folder: dict[str, project_settings.Settings] = {}

    def of(self, uri: str) -> project_settings.Settings:
        """Return the settings for a document or a notebook."""
        path = path_of(uri)
        folder = str(path.parent) if path else self._root or ""
        known = self._by_folder.get(folder)
        if known is None:
            known = self._by_folder[folder] = self._read(folder)
        return known

    def target(self, uri: str) -> Target:
        """Return the target of a document or a notebook, with its project's own rules.

        Raises:
            TorchferryError: there is no such target.
        """
        settings = self.of(uri)
        if settings.rules is not None:
            for problem in read(settings.target, settings.rules).problems:
                self._show_message(problem)
        return aim(settings.target, settings.rules, settings.style, settings.init)

    def has_rules(self, uri: str) -> bool:
        """Return whether a file is a module of own rules that is loaded, or one of its helpers."""
        path = path_of(uri)
        known = {(each.target, each.rules) for each in self._by_folder.values()}
        with suppress(TorchferryError):  # no such target: the check of a file reports it
            return any(path in read(spec, rules).files for spec, rules in known if rules)
        return False

    def are_outdated(self) -> bool:
        """Return whether a file of settings has changed since it was read."""
        return any(self._read(folder) != known for folder, known in self._by_folder.items())

    def excludes(self, uri: str) -> bool:
        """Return whether the project excludes a file."""
        path = path_of(uri)
        return path is not None and self.of(uri).excludes(path)

    def _allowed(self, rules: Path | None) -> Path | None:
        """Return the module of own rules if the user allows it, or None after a message."""
        if rules is None or (self._chosen.loadRules and self._chosen.trusted):
            return rules
        self._show_message(
            f"The project's own rules are not used: {rules} is code, and loading it runs it."
            " Turn on"
            " the setting torchferry.loadRules in a workspace that you trust."
        )
        return None

    def _read(self, folder: str) -> project_settings.Settings:
        found = project_settings.Settings()
        if folder:
            try:
                found = settings_for(Path(folder), Path(self._root) if self._root else None)
            except TorchferryError as error:
                self._show_message(f"Torchferry uses its default settings: {error}")
            except OSError as error:
                logger.warning("No project settings for a folder: %s", error.strerror)
            except Exception as error:
                # A project's file may be faulty in any way, and the server must continue.
                self._show_message(
                    f"Torchferry uses its default settings in {folder}: the {FILE} there, or"
                    " above, could"
                    f" not be read ({type(error).__name__}); fix it, then save it"
                )
        chosen = self._chosen
        found = found.but(target=chosen.target, style=chosen.style, helpers=chosen.helpers)
        return replace(
            found,
            rules=self._allowed(found.rules),
            severities={**found.severities, **self._severities},
        )

    @cached_property
    def _severities(self) -> dict[str, Severity | None]:
        words = {OFF: None, **{str(severity): severity for severity in Severity}}
        found: dict[str, Severity | None] = {}
        for code, word in self._chosen.severities.items():
            if isinstance(word, str) and word in words:
                found[str(code)] = words[word]
            else:
                logger.warning("torchferry.severities: %r is none of %s", word, ", ".join(words))
        return found
