"""Lines of a user's files: where objects were created, and where a call comes from."""

from __future__ import annotations

import sys
from collections import Counter
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
_COMPREHENSIONS = ("<listcomp>", "<genexpr>", "<setcomp>", "<dictcomp>")
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
    """Return whether a file belongs to neither Python, an installed package nor Torchferry."""
    ours = (_OURS, "<", sys.base_prefix + "/lib/python")
    return not (file.startswith(ours) or any(part in file for part in _INSTALLED))


def caller() -> Place | None:
    """Return the innermost user line that is running, or None."""
    return next(callers(), None)


def callers() -> Iterator[Place]:
    """Return the user lines that are running, the innermost first."""
    return (place for place, _ in calls())


def calls() -> Iterator[tuple[Place, FrameType]]:
    """Yield the user lines that are running, each with its function's frame."""
    frame: FrameType | None = sys._getframe(1)
    within: Place | None = None  # a comprehension belongs to the function around it
    while frame is not None:
        code = frame.f_code
        if is_users(code.co_filename):
            within = within or Place(code.co_filename, frame.f_lineno)
            if code.co_name not in _COMPREHENSIONS:
                yield within, frame
                within = None
        frame = frame.f_back


class Births:
    """The lines at which modules and optimizers were created."""

    def __init__(self) -> None:
        self._places = IdentityMap()
        self._counts: Counter[tuple[type, tuple[Place, ...]]] = Counter()

    def of(self, value: Any) -> Place | None:
        """Return the line that created a module or an optimizer, or None."""
        return next(iter(self.lines(value)), None)

    def lines(self, value: Any) -> tuple[Place, ...]:
        """Return the lines that led to its creation, the innermost first."""
        return (self._places.get(value) or ((), 0))[0]

    def number(self, value: Any) -> int:
        """Return how many instances of its class the same lines created before."""
        return (self._places.get(value) or ((), 0))[1]

    @contextmanager
    def noting(self, *kinds: type) -> Iterator[None]:
        """Record where instances of the classes are created while open."""

        def make(original: Any) -> Any:
            def start(made: Any, *args: Any, **kwargs: Any) -> Any:
                lines = tuple(callers())
                found = original(made, *args, **kwargs)
                # A metaclass's `__call__` returns the instance; `__init__` returns None.
                if lines:
                    one = made if found is None else found
                    self._places[one] = lines, self._counts[type(one), lines]
                    self._counts[type(one), lines] += 1
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
    """Return the class whose `__call__` creates a class's instances: its metaclass, or `type`."""
    return next(base for base in type.mro(type(kind)) if "__call__" in vars(base))


def package_of(part: Any) -> str:
    """Return the top-level package that defines an object's class."""
    return type(part).__module__.partition(".")[0]
