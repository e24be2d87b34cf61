"""The user's settings, from the messages of the client."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

logger = logging.getLogger(__name__)

OPEN_FILES = "openFiles"
WORKSPACE = "workspace"


@dataclass(frozen=True)
class Settings:
    """The server's settings; see `docs/editors/` for what each does.

    Where `target`, `style` or `helpers` is empty the project's own settings decide, and then the
    defaults. A
    project's own rules are code: they are loaded where the user says so and trusts the workspace.
    """

    target: str = ""
    style: str = ""
    helpers: str = ""
    enable: bool = True
    codeLens: bool = True  # noqa: N815 - named as the client spells it
    inlayHints: bool = False  # noqa: N815
    hazards: bool = True
    severities: Mapping[str, Any] = field(default_factory=dict)
    diagnosticMode: str = OPEN_FILES  # noqa: N815
    interpreter: str = ""
    loadRules: bool = False  # noqa: N815
    trusted: bool = False
    clientCommands: tuple[str, ...] = ()  # noqa: N815

    @classmethod
    def read(cls, sent: Any) -> Settings:
        """Return settings from initialization options or a configuration, nested or absent.

        A value of the wrong type is logged and left at its default, as is a name not known here.
        """
        if isinstance(sent, Mapping) and isinstance(sent.get("torchferry"), Mapping):
            sent = sent["torchferry"]
        if not isinstance(sent, Mapping):
            return cls()
        known: dict[str, Any] = {}
        for name, default in vars(cls()).items():
            value = sent.get(name)
            if value is None:
                continue
            value = tuple(map(str, value)) if isinstance(value, list) else value
            if isinstance(value, type(default)):
                known[name] = value
            else:
                logger.warning("Setting torchferry.%s has a wrong value: %r", name, value)
        return cls(**known)
