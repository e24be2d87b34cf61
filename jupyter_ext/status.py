"""What `%torchferry` tells: sessions, mirror namespaces, devices."""

from __future__ import annotations

import types
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.compare.session import Session


def status(sessions: Mapping[str, Session]) -> str:
    """A few lines per target."""
    lines = [f"torch {_version('torch')}"]
    for session in sessions.values():
        lines += _session(session)
    return "\n".join(lines)


def _session(session: Session) -> list[str]:
    from workbench.compare.devices import places

    mirror = session.mirror
    held = sorted(
        name
        for name, value in mirror.names.items()
        if not name.startswith("_")
        and name not in mirror.helpers
        and not isinstance(value, types.ModuleType)
    )
    lines = [
        f"{session.bridge.name} {_version(session.bridge.module)}",
        f"  mirror: {', '.join(held) if held else 'empty'}",
        "  devices, in torch's words and the target's:",
    ]
    for place in places(session.bridge):
        ours = place.torch or "torch has none"
        theirs = place.target or f"{session.bridge.name} has none"
        what = f" ({place.what})" if place.what else ""
        lines.append(f"    {ours} = {theirs}{what}")
    return lines


def _version(module: str) -> str:
    return str(getattr(import_module(module), "__version__", ""))
