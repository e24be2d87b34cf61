"""The text of `%torchferry`: sessions, mirror namespaces, devices."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from jupyter_ext.own_rules import rule_messages

if TYPE_CHECKING:
    from workbench.compare.cells.session import Session


def status(sessions: Mapping[str, Session], settings: Sequence[str] = ()) -> str:
    """Return a few lines per target, and the options that every `%%convert` begins with."""
    lines = [f"torch {_version('torch')}"]
    for session in sessions.values():
        lines += [
            f"{session.bridge.name} {_version(session.bridge.module)}",
            f"  mirror: {', '.join(_held(session)) or 'empty'}",
            *(f"  {line}" for line in rule_messages(session.target)),
        ]
    options = " ".join(settings) or "none; %torchferry set OPTIONS sets some"
    return "\n".join([*lines, f"settings: {options}", devices(sessions)])


def devices(sessions: Mapping[str, Session]) -> str:
    """Return the devices of each target, in both frameworks' names, and why others are missing."""
    from workbench.compare.devices import apart, places

    lines = []
    for session in sessions.values():
        name = session.bridge.name
        both = [place for place in places(session.bridge) if place.torch and place.target]
        lines.append(f"devices, with their names in torch and in {name}:")
        lines += [
            f"  {place.torch} = {place.target}" + (f" ({place.what})" if place.what else "")
            for place in both
        ]
        lines += [f"  {reason}" for reason in apart(session.bridge)]
    return "\n".join(lines)


def _held(session: Session) -> list[str]:
    mirror = session.mirror
    return sorted(
        name
        for name, value in mirror.names.items()
        if not name.startswith("_")
        and name not in mirror.helpers
        and not isinstance(value, types.ModuleType)
    )


def _version(module: str) -> str:
    return str(getattr(import_module(module), "__version__", ""))
