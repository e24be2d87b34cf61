"""The error for models that cannot be captured, at the user's line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.codes import UNEXPLAINED
from workbench.errors import TorchferryError

if TYPE_CHECKING:
    from workbench.capture.graph import Location


class CaptureError(TorchferryError):
    """A model or function has no graph: what happened, where, and what to do next.

    `code` is that of the hazard that explains it, else `TF415`; `workbench.codes` lists all codes.
    `location` is the innermost line of the user's code, if known.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str = UNEXPLAINED,
        location: Location | None = None,
        step: str = "",
    ) -> None:
        self.code = code
        self.location = location
        self.step = step
        self.message = message
        place = f"{location}: " if location else ""
        quoted = f"\n    {location.code}" if location and location.code else ""
        super().__init__(f"{place}{message}{quoted}" + (f"\nNext step: {step}" if step else ""))

    @property
    def line(self) -> str:
        """The location, what happened, the user's code and the next step."""
        place = f"{self.location}: " if self.location else ""
        quoted = f" in `{self.location.code}`" if self.location and self.location.code else ""
        step = f"; {self.step}" if self.step else ""
        return f"{place}{' '.join(self.message.split())}{quoted}{step}"
