"""The guard of all bookkeeping about a person's objects: what it cannot do becomes a reason.

A notebook's cell belongs to its author. Whatever is noted about their objects, copied or compared
is done under this guard, so that no error of ours ends their cell.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from workbench.targets.bridge import CarryError

log = logging.getLogger(__name__)
Result = TypeVar("Result")


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

    def ask(self, about: str, work: Callable[[], Result], otherwise: Result) -> Result:
        """What the work returns, or `otherwise` where it raises."""
        with self.over(about):
            return work()
        return otherwise


def reason(error: Exception) -> str:
    """Why something was not checked, in the reader's words."""
    said = str(error).strip().partition("\n")[0]
    if isinstance(error, CarryError):
        return said
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
