"""The guard of all bookkeeping about a person's objects: what it cannot do becomes a reason.

A notebook's cell belongs to its author. Whatever is noted about their objects, copied or compared
is done under this guard, so that no error of ours ends their cell.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from workbench.targets.bridge import CarryError

log = logging.getLogger(__name__)


class Guard:
    """Keeps what raised, by the name of what it was about."""

    def __init__(self) -> None:
        self.problems: dict[str, str] = {}

    @contextmanager
    def over(self, about: str) -> Iterator[None]:
        """Around bookkeeping about something: an error in it is noted, and goes no further."""
        try:
            yield
        except Exception as error:
            log.debug("not checked: %s", about, exc_info=error)
            self.problems.setdefault(about, reason(error))


def reason(error: Exception) -> str:
    """Why something was not checked, in the reader's words."""
    said = str(error).strip().partition("\n")[0]
    if isinstance(error, CarryError):
        return said
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
