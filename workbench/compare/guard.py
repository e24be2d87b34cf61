"""Error handling for the bookkeeping about a user's objects: errors become reasons.

A notebook's cell belongs to its author. Recording, copying and comparing their objects runs under
this guard, so that our errors do not end their cell.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from workbench.targets.bridge import CarryError

log = logging.getLogger(__name__)


class Guard:
    """Stores errors, by what they were about."""

    def __init__(self) -> None:
        self.problems: dict[str, str] = {}

    @contextmanager
    def over(self, about: str) -> Iterator[None]:
        """Log and store an error of bookkeeping about something, instead of raising it."""
        try:
            yield
        except Exception as error:
            log.debug("not checked: %s", about, exc_info=error)
            self.problems.setdefault(about, reason(error))


def reason(error: Exception) -> str:
    """Return why something was not checked, in the user's terms."""
    message = str(error).strip().partition("\n")[0]
    if isinstance(error, CarryError):
        return message
    return f"{type(error).__name__}: {message}" if message else type(error).__name__
