"""Built-in iterators, whose position can be read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from workbench.compare.carry.inside import is_a

_EMPTY: tuple[Iterable[Any], ...] = (
    *([], (), "", b"", range(0), set()),
    *({}, {}.values(), {}.items()),
)
# Generators and the iterators of libraries do not expose their position.
_KINDS: tuple[type, ...] = (
    *(type(iter(each)) for each in _EMPTY),
    *(type(reversed([])), type(reversed(range(0))), reversed),
    *(enumerate, zip, map, filter),
)


def has_place(value: object) -> bool:
    """Return whether a value is one of these iterators."""
    return is_a(value, _KINDS)


def taken_apart(value: Any) -> tuple[Callable[..., Any], tuple[Any, ...], Any]:
    """Return what recreates an iterator at its position: a function, its arguments, and the
    position.

    The position is None if the arguments determine it. The iterator is not advanced.
    """
    function, arguments, *place = value.__reduce__()
    return function, arguments, place[0] if place else None


def put_together(function: Callable[..., Any], arguments: list[Any], place: Any) -> Any:
    """Return the iterator of such parts."""
    iterator = function(*arguments)
    if place is not None:
        iterator.__setstate__(place)
    return iterator
