"""Errors for users: each states the problem, the place and the remedy."""

from __future__ import annotations

from workbench.positions import Position


class TorchferryError(Exception):
    """The base class of errors whose message is for the user."""

    @property
    def line(self) -> str:
        """The message on a single line."""
        return str(self)


class UnknownTargetError(TorchferryError):
    """An unknown target framework, or an unknown version of it."""


class SourceError(TorchferryError):
    """A syntax error in source code, before or after conversion, at `position` (0-based).

    `step` is the remedy.
    """

    def __init__(
        self,
        message: str,
        position: Position,
        filename: str | None = None,
        step: str = "fix the syntax there",
    ) -> None:
        place = f"{filename or '<source>'}:{position.line + 1}:{position.column + 1}"
        super().__init__(f"{place}: {message}; {step}, then convert again")
        self.position = position
        self.reason = message
        self.step = step

    def placed(self, filename: str | None, position: Position | None = None) -> SourceError:
        """Return the same error with a file name, or at another position."""
        return SourceError(self.reason, position or self.position, filename, self.step)


class RuleError(TorchferryError):
    """An error for a malformed rule, or for two rules of the same name."""
