"""Iterators that Python itself makes, whose place in what they go through can be read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from workbench.compare.carry.inside import is_a

_EMPTY: tuple[Iterable[Any], ...] = (
    *([], (), "", b"", range(0), set()),
    *({}, {}.values(), {}.items()),
)
# Generators and the iterators of libraries keep their place to themselves.
_KINDS: tuple[type, ...] = (
    *(type(iter(each)) for each in _EMPTY),
    *(type(reversed([])), type(reversed(range(0))), reversed),
    *(enumerate, zip, map, filter),
)


def has_place(value: object) -> bool:
    """Whether an iterator is one of these."""
    return is_a(value, _KINDS)


def taken_apart(value: Any) -> tuple[Callable[..., Any], tuple[Any, ...], Any]:
    """What makes an iterator that stands where this one does: a function, its arguments, a place.

    The place is None where the arguments say it all. Nothing is taken from the iterator.
    """
    function, arguments, *place = value.__reduce__()
    return function, arguments, place[0] if place else None


def put_together(function: Callable[..., Any], arguments: list[Any], place: Any) -> Any:
    """The iterator of such parts."""
    iterator = function(*arguments)
    if place is not None:
        iterator.__setstate__(place)
    return iterator
