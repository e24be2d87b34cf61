"""Lines of a user's files: where something was made, and where a call comes from."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import FrameType
from typing import Any

from workbench.compare.carry.identity import IdentityMap
from workbench.streams.torch_recorder import patched

_OURS = str(Path(__file__).resolve().parents[2])
_INSTALLED = ("site-packages", "dist-packages", "importlib", "<frozen")


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A line of a file."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@lru_cache(maxsize=4096)
def is_users(file: str) -> bool:
    """True for a file that is no part of Python, of an installed package or of Torchferry."""
    ours = (_OURS, "<", sys.base_prefix + "/lib/python")
    return not (file.startswith(ours) or any(part in file for part in _INSTALLED))


def caller() -> Place | None:
    """The innermost line of a user's file that is being run; None where there is none."""
    return next(callers(), None)


def callers() -> Iterator[Place]:
    """The lines of users' files that are being run, the innermost first."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if is_users(frame.f_code.co_filename):
            yield Place(frame.f_code.co_filename, frame.f_lineno)
        frame = frame.f_back


class Births:
    """The lines at which modules and optimizers were made."""

    def __init__(self) -> None:
        self._places = IdentityMap()

    def of(self, value: Any) -> Place | None:
        """Where a module or an optimizer was made; None where that is not known."""
        place = self._places.get(value)
        return place if isinstance(place, Place) else None

    @contextmanager
    def noting(self, *kinds: type) -> Iterator[None]:
        """Note where instances of classes are made while open."""

        def make(original: Any) -> Any:
            def start(made: Any, *args: Any, **kwargs: Any) -> Any:
                place = caller()
                found = original(made, *args, **kwargs)
                # A class that is called gives the instance, whose `__init__` gives nothing.
                if place is not None:
                    self._places[made if found is None else found] = place
                return found

            return start

        with ExitStack() as stack:
            for kind in kinds:
                if (calling := _calling(kind)) is not type:
                    stack.enter_context(patched(calling, "__call__", make))
                    continue
                for own in (kind, *kind.__subclasses__()):  # not every one calls its parent's
                    if "__init__" in vars(own):
                        stack.enter_context(patched(own, "__init__", make))
            yield


def _calling(kind: type) -> type:
    """Whose `__call__` makes a class's instances: that of its metaclass, or of `type`."""
    return next(base for base in type.mro(type(kind)) if "__call__" in vars(base))


def package_of(part: Any) -> str:
    """The top-level package that an object's class was defined in."""
    return type(part).__module__.partition(".")[0]
