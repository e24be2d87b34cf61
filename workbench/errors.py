"""Errors meant for the user: each says what is wrong, where, and what to do next."""

from __future__ import annotations

from workbench.positions import Position


class TorchferryError(Exception):
    """The base of every error whose message is for the user."""

    @property
    def line(self) -> str:
        """What it says, for where there is but one line."""
        return str(self)


class UnknownTargetError(TorchferryError):
    """No such target framework, or no such version of it."""


class SourceError(TorchferryError):
    """Source code that does not parse, or would not once converted; `position` is where (0-based).

    `step` is what to do there.
    """

    def __init__(
        self,
        message: str,
        position: Position,
        filename: str | None = None,
        step: str = "mend the syntax there",
    ) -> None:
        place = f"{filename or '<source>'}:{position.line + 1}:{position.column + 1}"
        super().__init__(f"{place}: {message}; {step}, then convert again")
        self.position = position
        self.reason = message
        self.step = step

    def placed(self, filename: str | None, position: Position | None = None) -> SourceError:
        """The same error in a file that is named, or at another place."""
        return SourceError(self.reason, position or self.position, filename, self.step)


class RuleError(TorchferryError):
    """A rule that is malformed, or that two rules claim the same name."""
