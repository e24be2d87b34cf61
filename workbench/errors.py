"""Errors meant for the user: each says what is wrong, where, and what to do next."""

from __future__ import annotations

from workbench.positions import Position


class TorchferryError(Exception):
    """The base of every error whose message is for the user."""


class UnknownTargetError(TorchferryError):
    """No such target framework, or no such version of it."""


class SourceError(TorchferryError):
    """Source code that does not parse; `position` is where (0-based)."""

    def __init__(self, message: str, position: Position, filename: str | None = None) -> None:
        place = f"{filename or '<source>'}:{position.line + 1}:{position.column + 1}"
        super().__init__(f"{place}: {message}; mend the syntax there, then convert again")
        self.position = position
        self.reason = message


class RuleError(TorchferryError):
    """A rule that is malformed, or that two rules claim the same name."""
